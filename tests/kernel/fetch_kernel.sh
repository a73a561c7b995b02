#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fetch_kernel.sh FLAVOUR DIR: unpacks the newest Debian kernel of that flavour into DIR/FLAVOUR, so that it boots, and, if the
# driver is built for it, its headers, so that modules build against it; installs nothing. Does nothing if it is there, even if
# Debian has a newer one by now: remove DIR/FLAVOUR to get that.
# Prints DIR/FLAVOUR/kernel.txt: release, kdir, vmlinuz, root and busybox.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"
. "$here/private_apt.sh"

# The packages' links and includes name absolute places; point them into the unpacked tree.
relocate() {
	headers=$root/usr/src/linux-headers-$release
	common=$(echo "$root/usr/src/linux-headers-${release%-$image}"-common)
	kbuild=$(echo "$root"/usr/lib/linux-kbuild-*)
	sed -i "s|/usr/src/|$root/usr/src/|g" "$headers/Makefile"
	for tree in "$headers" "$common"; do
		for part in scripts tools; do
			[ ! -L "$tree/$part" ] || ln -sfn "$kbuild/$part" "$tree/$part"
		done
	done
}

# libraries_of PACKAGE...: the packages of libraries that these depend on, for the machine's own architecture.
libraries_of() {
	apt-cache depends --no-recommends --no-suggests "$@" | sed -n 's/^ *Depends: \(z\?lib[^:]*\).*/\1:amd64/p' | sort -u
}

# The build tools of a newer suite need its C library: each is put behind a script of its name, which runs it with the suite's
# libraries.
add_libraries() {
	libraries=$(libraries_of "$1")
	(unpack "$root/libraries" $libraries $(libraries_of $libraries))
	lib=$root/libraries/usr/lib/x86_64-linux-gnu
	find "$root"/usr/lib/linux-kbuild-* -type f -perm -100 | while read -r tool; do
		head -c 4 "$tool" | grep -q ELF || continue
		mv "$tool" "$tool.elf"
		printf '#!/bin/sh\nexec %s --library-path %s --argv0 "$0" "$0.elf" "$@"\n' "$lib/ld-linux-x86-64.so.2" "$lib" >"$tool"
		chmod 755 "$tool"
	done
}

# The headers, and the build tools of the machine's own architecture whatever the kernel's.
fetch_headers() {
	headers_package=$(depends "linux-headers-$image" '^linux-headers-[0-9]')
	kbuild_package=$(depends "$headers_package" '^linux-kbuild-' | sed 's/:.*//'):amd64
	unpack "$root" "$headers_package" "$(depends "$headers_package" '-common$')" "$kbuild_package"
	relocate
	[ "$suite" != sid ] || add_libraries "$kbuild_package"
}

# What no guest needs: most modules, each of which depmod would decompress, and descriptions of boards.
remove_drivers() {
	rm -rf "$root/lib/modules/$release/dtb"
	modules=$root/lib/modules/$release/kernel
	find "$modules" -mindepth 1 -maxdepth 1 ! -name arch ! -name crypto ! -name drivers ! -name fs ! -name lib ! -name mm ! -name net \
		-exec rm -rf {} +
	find "$modules/drivers" "$modules/net" -mindepth 1 -maxdepth 1 ! -name 9p ! -name block ! -name virtio -exec rm -rf {} +
}

# first FILE...: the first of these that is there.
first() {
	for file; do
		[ ! -f "$file" ] || { echo "$file"; return; }
	done
	die "these files are missing: $*"
}

fetch() {
	image_package=$(depends "linux-image-$image" '^linux-image-[0-9]')
	case $image_package in
	linux-image-${series:+$series.}*) ;;
	*) die "the newest $arch kernel is ${image_package:-not to be had}, not $series" ;;
	esac
	# In newer suites the kernel and its modules are packages of their own.
	unpack "$root" "$image_package" $(depends "$image_package" '^linux-binary-') $(depends "$image_package" '^linux-modules-') \
		$(depends "$image_package" '^linux-base-[0-9]') "busybox-static:$arch"
	release=${image_package#linux-image-}
	[ -z "$kernel_arch" ] || fetch_headers
	[ -d "$root/lib/modules" ] || ln -sfn usr/lib "$root/lib"
	remove_drivers
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
		vmlinuz=$(first "$root"/boot/vmlinu[xz]-"$release" "$root/usr/lib/modules/$release/vmlinuz")
		root=$root
		busybox=$(first "$root/bin/busybox" "$root/usr/bin/busybox")
	END
	mv "$dir/kernel.new" "$dir/kernel.txt"
fi
cat "$dir/kernel.txt"
