#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# DKMS builds the driver with the compiler of the kernel: LLVM's tools for a kernel that they built.
set -eu
command -v bash >/dev/null || { echo "skipped: no bash here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# make_command KERNEL: the command that DKMS, which reads its file in bash, runs.
make_command() {
	kernel_source_dir=$work/$1 dkms_tree=/dkms bash -c '. kernel/dkms.conf; echo "${MAKE[0]}"'
}

for kernel in gcc clang; do
	mkdir -p "$work/$kernel/include/config"
done
mkdir "$work/bare"
echo 'CONFIG_CC_IS_GCC=y' >"$work/gcc/include/config/auto.conf"
echo 'CONFIG_CC_IS_CLANG=y' >"$work/clang/include/config/auto.conf"
for kernel in gcc bare; do
	case $(make_command $kernel) in
	*LLVM*) echo "FAILED: $(make_command $kernel)"; exit 1 ;;
	"make -C $work/$kernel M=/dkms/"*" modules") ;;
	*) echo "FAILED: $(make_command $kernel)"; exit 1 ;;
	esac
done
case $(make_command clang) in
"make -C $work/clang M=/dkms/"*" LLVM=1 modules") ;;
*) echo "FAILED: $(make_command clang)"; exit 1 ;;
esac
