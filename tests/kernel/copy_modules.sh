#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# copy_modules.sh FLAVOUR KERNELS OUT: the file systems that cases use, as modules of that kernel: OUT/NAME has the module and those
# that it needs, uncompressed, named so that sorting gives the order in which they are loaded. A kernel of our own has none.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"

# copy NAME
copy() {
	mkdir -p "$out/$1"
	number=100
	for module in $(modprobe -d "$root" -S "$release" -D "$1" | awk '$1 == "insmod" { print $2 }'); do
		to=$out/$1/$number-$(basename "$module" .xz)
		case $module in
		*.xz) xz -dc "$module" >"$to" ;;
		*) cp "$module" "$to" ;;
		esac
		number=$((number + 1))
	done
}

[ $# = 3 ] || die "usage: $0 FLAVOUR KERNELS OUT"
flavour "$1"
root=$(kernel_value "$2" root)
release=$(kernel_value "$2" release)
out=$3
[ -d "$root/lib/modules/$release" ] || exit 0
for name in overlay btrfs loop fuse; do
	copy $name
done
