#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fetch_kernel.sh FLAVOUR DIR: unpacks the newest Debian kernel of that flavour into DIR/FLAVOUR, so that it boots, and, if the
# driver is built for it, its headers, so that modules build against it; installs nothing. Does nothing if it is there.
# Prints DIR/FLAVOUR/kernel.txt: release, kdir, vmlinuz, root and busybox.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"
. "$here/private_apt.sh"

# The packages' links and includes name absolute places; point them into the unpacked tree.
relocate() {
	headers=$root/usr/src/linux-headers-$release
	common=$(echo "$root/usr/src/linux-headers-${release%-$arch}"-common)
	kbuild=$(echo "$root"/usr/lib/linux-kbuild-*)
	sed -i "s|/usr/src/|$root/usr/src/|g" "$headers/Makefile"
	for tree in "$headers" "$common"; do
		for part in scripts tools; do
			[ ! -L "$tree/$part" ] || ln -sfn "$kbuild/$part" "$tree/$part"
		done
	done
}

# The headers, and the build tools of the machine's own architecture whatever the kernel's.
fetch_headers() {
	headers_package=$(depends "linux-headers-$image" '^linux-headers-[0-9]')
	unpack "$root" "$headers_package" "$(depends "$headers_package" '-common$')" \
		"$(depends "$headers_package" '^linux-kbuild-' | sed 's/:.*//'):amd64"
	relocate
}

fetch() {
	image_package=$(depends "linux-image-$image" '^linux-image-[0-9]')
	case $image_package in
	linux-image-$series.*) ;;
	*) die "the newest $arch kernel is ${image_package:-not to be had}, not $series" ;;
	esac
	unpack "$root" "$image_package" "busybox-static:$arch"
	release=${image_package#linux-image-}
	[ -z "$kernel_arch" ] || fetch_headers
	[ -d "$root/lib/modules" ] || ln -sfn usr/lib "$root/lib"
	depmod -b "$root" "$release"
}

[ $# = 2 ] || die "usage: $0 FLAVOUR DIR"
flavour "$1"
mkdir -p "$2"
dir=$(cd "$2" && pwd)/$flavour
if [ ! -f "$dir/kernel.txt" ]; then
	command -v apt-get >/dev/null || die "no apt to fetch kernels with"
	rm -rf "$dir"
	mkdir -p "$dir/download"
	cd "$dir/download"
	private_apt "$dir/apt" "$arch" "$suite" >&2
	root=$dir/root
	fetch >&2
	rm -rf "$dir/download" "$dir/apt"
	cat >"$dir/kernel.new" <<-END
		release=$release
		kdir=$root/usr/src/linux-headers-$release
		vmlinuz=$(echo "$root"/boot/vmlinu[xz]-"$release")
		root=$root
		busybox=$root/bin/busybox
	END
	mv "$dir/kernel.new" "$dir/kernel.txt"
fi
cat "$dir/kernel.txt"
