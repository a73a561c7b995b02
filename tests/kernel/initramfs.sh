#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# initramfs.sh FLAVOUR KERNELS FILE: a compressed initramfs for the guest: busybox, guest_init, and the modules that
# reach the host's files in the order they load in. FLAVOUR is a kernel that fetch_kernel.sh left in KERNELS.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"

# wanted_modules: files of the modules the guest needs, dependencies first, each once. A kernel of our own has
# everything built in.
wanted_modules() {
	[ -d "$root/lib/modules/$release" ] || return 0
	modprobe -d "$root" -S "$release" -D -a virtio_pci 9pnet_virtio 9p |
		awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

# add_modules: copies them to $tree/modules, uncompressed, named so that sorting gives the order.
add_modules() {
	mkdir "$tree/modules"
	number=100
	for module in $(wanted_modules); do
		to=$tree/modules/$number-$(basename "$module" .xz)
		case $module in
		*.xz) xz -dc "$module" >"$to" ;;
		*) cp "$module" "$to" ;;
		esac
		number=$((number + 1))
	done
}

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
add_modules
(cd "$tree" && find . | cpio -o -H newc -R 0:0 --quiet | gzip -1) >"$3"
