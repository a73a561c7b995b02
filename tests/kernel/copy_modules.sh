#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# copy_modules.sh FLAVOUR KERNELS OUT: the file systems that cases use, as modules of that kernel: OUT/NAME has the module and those
# that it needs, uncompressed, named so that sorting gives the order in which they are loaded. A kernel of our own has none.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"

[ $# = 3 ] || die "usage: $0 FLAVOUR KERNELS OUT"
flavour "$1"
root=$(kernel_value "$2" root)
release=$(kernel_value "$2" release)
out=$3
for name in overlay btrfs loop fuse; do
	unpack_modules "$out/$name" $name
done
