#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# build_module.sh [--sparse] [--without MACRO] FLAVOUR KERNELS OUT: builds oprofile.ko for that flavour in OUT, from a copy
# of kernel/ alone, with the kernel's extra warnings; a warning is an error. --sparse also checks address spaces and locks.
# --without: as on a kernel for which Kbuild does not define MACRO.
# $kernel_source: another folder than kernel/.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"

check=
if [ "${1-}" = --sparse ]; then
	command -v sparse >/dev/null || die "sparse is not installed"
	check=yes
	shift
fi
macro=
if [ "${1-}" = --without ]; then
	macro=$2
	shift 2
fi
[ $# = 3 ] || die "usage: $0 [--sparse] [--without MACRO] FLAVOUR KERNELS OUT"
flavour "$1"
kdir=$(kernel_value "$2" kdir)
mkdir -p "$3"
out=$(cd "$3" && pwd)
cp -R "${kernel_source:-$here/../../kernel}/." "$out/"
chmod -R u+w "$out"
without=
if [ -n "$macro" ]; then
	(cd "$out" && grep -q -w "$macro" -- *.c) || die "no file uses $macro"
	without=ccflags-remove-y=-D$macro
fi
# Headers without sparse's part of Kbuild ignore C=2: only a run of sparse leaves `checked`. A silent make prints nothing of it.
if [ -n "$check" ]; then
	rm -f "$out/checked"
	printf '#!/bin/sh\n: >"%s/checked"\nexec sparse "$@"\n' "$out" >"$out/check"
	chmod +x "$out/check"
fi
unset MAKEFLAGS MFLAGS # of a make -j that runs the tests: its job server is not for this one, which would print a warning
# What the kernel's own compiler has and this one may not have is turned off: BTF needs pahole, alignment gcc 14, and an unknown
# attribute in the kernel's headers is not ours.
make -C "$kdir" M="$out" ARCH="$kernel_arch" ${cross:+CROSS_COMPILE=$cross} CC="${ccache:+ccache }${cross}gcc" W=1 \
	CONFIG_DEBUG_INFO_BTF_MODULES= CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT= KCFLAGS=-Wno-attributes \
	${check:+C=2} ${check:+CHECK="$out/check"} $without modules >"$out/build.log" 2>&1 || {
	cat "$out/build.log" >&2
	die "oprofile.ko does not build for $flavour"
}
if grep -iE '(warning|error):' "$out/build.log" | grep -v 'pahole version differs' >&2; then
	die "oprofile.ko builds for $flavour with warnings"
fi
[ -z "$check" ] || [ -e "$out/checked" ] || die "the headers of $flavour cannot be used with sparse"
