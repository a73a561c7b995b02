#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# DKMS and `make kernel` build the driver with the compiler of the kernel: LLVM's tools for a kernel that they built.
set -eu
command -v bash >/dev/null || { echo "skipped: no bash here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "FAILED: $*"
	exit 1
}

# make_command KERNEL: the command that DKMS, which reads its file in bash, runs.
make_command() {
	kernel_source_dir=$work/$1 dkms_tree=/dkms bash -c '. kernel/dkms.conf; echo "${MAKE[0]}"'
}

# make_kernel KERNEL: with which LLVM `make kernel` builds for it. The build then fails, so that it leaves no module.
make_kernel() {
	! make -s kernel KDIR="$work/$1" >"$work/log" 2>&1 || fail "make kernel without a kernel worked"
	grep -o 'LLVM is .*' "$work/log" || fail "make kernel: $(cat "$work/log")"
}

for kernel in gcc clang bare; do
	mkdir -p "$work/$kernel/include/config"
	printf 'modules:\n\t@echo "LLVM is $(LLVM)."; false\n' >"$work/$kernel/Makefile"
done
echo 'CONFIG_CC_IS_GCC=y' >"$work/gcc/include/config/auto.conf"
echo 'CONFIG_CC_IS_CLANG=y' >"$work/clang/include/config/auto.conf"
for kernel in gcc bare; do
	case $(make_command $kernel) in
	*LLVM*) fail "$(make_command $kernel)" ;;
	"make -C $work/$kernel M=/dkms/"*" modules") ;;
	*) fail "$(make_command $kernel)" ;;
	esac
	[ "$(make_kernel $kernel)" = "LLVM is ." ] || fail "make kernel for $kernel: $(make_kernel $kernel)"
done
case $(make_command clang) in
"make -C $work/clang M=/dkms/"*" LLVM=1 modules") ;;
*) fail "$(make_command clang)" ;;
esac
[ "$(make_kernel clang)" = "LLVM is 1." ] || fail "make kernel for clang: $(make_kernel clang)"
