#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# btrfs_image.sh DIR FILE: an empty btrfs file system, compressed. mkfs.btrfs is the machine's, or Debian's, which is unpacked into
# DIR/btrfs once and not installed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"
. "$here/private_apt.sh"

fetch() {
	command -v apt-get >/dev/null || die "no apt to fetch mkfs.btrfs with"
	rm -rf "$dir"
	mkdir -p "$dir/download"
	cd "$dir/download"
	private_apt "$dir/apt" amd64 ""
	unpack "$dir/new" btrfs-progs libblkid1 libuuid1 libudev1 zlib1g liblzo2-2 libzstd1
	rm -rf "$dir/download" "$dir/apt"
	mv "$dir/new" "$dir/root"
}

[ $# = 2 ] || die "usage: $0 DIR FILE"
image=$2.new
mkdir -p "$1"
dir=$(cd "$1" && pwd)/btrfs
make="mkfs.btrfs"
if ! command -v mkfs.btrfs >/dev/null; then
	[ -x "$dir/root/sbin/mkfs.btrfs" ] || (fetch) >&2
	make="env LD_LIBRARY_PATH=$dir/root/usr/lib/x86_64-linux-gnu:$dir/root/lib/x86_64-linux-gnu $dir/root/sbin/mkfs.btrfs"
fi
rm -f "$image"
truncate -s 120M "$image"
$make -q "$image" >&2
gzip -1 <"$image" >"$2"
rm "$image"
