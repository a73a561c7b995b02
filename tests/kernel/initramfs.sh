#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# initramfs.sh FLAVOUR KERNELS FILE: a compressed initramfs for the guest: busybox, guest_init, and the modules that
# reach the host's files in the order they load in. FLAVOUR is a kernel that fetch_kernel.sh left in KERNELS.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"

[ $# = 3 ] || die "usage: $0 FLAVOUR KERNELS FILE"
flavour "$1"
root=$(kernel_value "$2" root)
release=$(kernel_value "$2" release)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/bin" "$tree/proc" "$tree/sys" "$tree/dev" "$tree/mnt" "$tree/new" "$tree/out" "$tree/tmp"
cp "$(kernel_value "$2" busybox)" "$tree/bin/busybox"
ln -s busybox "$tree/bin/sh"
cp "$here/guest_init" "$tree/init"
chmod 755 "$tree/init"
unpack_modules "$tree/modules" virtio_pci 9pnet_virtio 9p
(cd "$tree" && find . | cpio -o -H newc -R 0:0 --quiet | gzip -1) >"$3"
