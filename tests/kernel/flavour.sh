# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel flavours: Debian suite, architecture and tools of each.
# Sourced; call flavour NAME first.
PATH=$PATH:/usr/sbin:/sbin

# Before a compiler's name: ccache, where it is installed.
ccache=$(command -v ccache || true)

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

flavours='6.1-amd64 6.1-arm64 6.1-ppc64el 6.1-debug 6.12-amd64 6.12-arm64 sid-amd64 sid-arm64 sid-rt-amd64 sid-rt-arm64'

# flavour NAME: sets flavour, series ("" = whatever the suite has), suite ("" = stable and its security updates, release =
# without these, which Debian's mirrors do not always hold whole for every architecture, backports, sid), arch, image (the
# kernel's package is linux-image-$image), cross, kernel_arch ("" if the driver is not built for it).
flavour() {
	flavour=$1
	case " $flavours " in
	*" $flavour "*) ;;
	*) die "no such kernel flavour: $flavour (one of $flavours)" ;;
	esac
	case $flavour in
	6.1-ppc64el) series=6.1 suite=release ;;
	6.1-*) series=6.1 suite= ;;
	6.12-*) series=6.12 suite=backports ;;
	sid-*) series= suite=sid ;;
	esac
	case $flavour in
	*-rt-arm64) arch=arm64 image=rt-arm64 cross=aarch64-linux-gnu- kernel_arch=arm64 ;;
	*-rt-amd64) arch=amd64 image=rt-amd64 cross= kernel_arch=x86 ;;
	*-arm64) arch=arm64 image=arm64 cross=aarch64-linux-gnu- kernel_arch=arm64 ;;
	*-ppc64el) arch=ppc64el image=powerpc64le cross=powerpc64le-linux-gnu- kernel_arch= ;;
	*) arch=amd64 image=amd64 cross= kernel_arch=x86 ;;
	esac
}

# kernel_value DIR KEY: what fetch_kernel.sh (or build_debug_kernel.sh) wrote about the flavour's kernel in DIR.
# Keys: release kdir vmlinuz root busybox.
kernel_value() {
	sed -n "s|^$2=||p" "$1/$flavour/kernel.txt"
}

# unpack_modules DIR NAME...: in DIR these modules of kernel $release in $root and those that they need, each once, uncompressed,
# named so that sorting gives the order in which they are loaded. A kernel of our own has everything built in.
unpack_modules() {
	to=$1
	shift
	mkdir -p "$to"
	[ -d "$root/lib/modules/$release" ] || return 0
	number=100
	for module in $(modprobe -d "$root" -S "$release" -D -a "$@" | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'); do
		case $module in
		*.xz) xz -dc "$module" >"$to/$number-$(basename "$module" .xz)" ;;
		*) cp "$module" "$to/$number-$(basename "$module")" ;;
		esac
		number=$((number + 1))
	done
}
