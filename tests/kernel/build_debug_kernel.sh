#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# build_debug_kernel.sh DIR: the flavour 6.1-debug in DIR, as fetch_kernel.sh would leave it: Debian's 6.1 source built
# with the settings of debug.config. Does nothing if it is there with just these. Takes about ten minutes of two CPUs and 2 GB.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"
. "$here/private_apt.sh"

# Names all tools that are missing; Debian's packages have the same names.
check_tools() {
	missing=
	for tool in bc bison flex; do
		command -v $tool >/dev/null || missing="$missing $tool"
	done
	[ -z "$missing" ] || die "not installed:$missing"
}

# Fails if a missing dependency has dropped one of the settings that matter.
check_config() {
	for setting in KASAN PROVE_LOCKING DEBUG_ATOMIC_SLEEP DEBUG_OBJECTS DEBUG_FS DEBUG_KMEMLEAK FAILSLAB PREEMPT MODULES 9P_FS PERF_EVENTS HOTPLUG_CPU \
		OVERLAY_FS FUSE_FS BTRFS_FS BLK_DEV_LOOP CFS_BANDWIDTH; do
		grep -q "^CONFIG_$setting=y" "$tree/.config" || die "the kernel's configuration dropped $setting"
	done
}

build() {
	mkdir -p "$tree"
	tar -xf "$root"/usr/src/linux-source-6.1.tar.xz -C "$tree" --strip-components 1
	make -s -C "$tree" ARCH=x86_64 tinyconfig
	(cd "$tree" && scripts/kconfig/merge_config.sh -m .config "$here/debug.config" >/dev/null)
	make -s -C "$tree" ARCH=x86_64 olddefconfig
	check_config
	make -s -C "$tree" ARCH=x86_64 CC="${ccache:+ccache }gcc" -j "$(nproc)" bzImage modules
}

[ $# = 1 ] || die "usage: $0 DIR"
flavour 6.1-debug
mkdir -p "$1"
dir=$(cd "$1" && pwd)/$flavour
settings=$(cksum <"$here/debug.config")
if [ "$(sed -n 's/^settings=//p' "$dir/kernel.txt" 2>/dev/null)" != "$settings" ]; then
	check_tools
	rm -rf "$dir"
	mkdir -p "$dir/download"
	cd "$dir/download"
	private_apt "$dir/apt" "$arch" "$suite" >&2
	root=$dir/root
	tree=$dir/linux
	unpack "$root" linux-source-6.1 "busybox-static:$arch" >&2
	build >&2
	rm -rf "$dir/download" "$dir/apt" "$root/usr/src"
	cat >"$dir/kernel.new" <<-END
		release=$(cat "$tree/include/config/kernel.release")
		kdir=$tree
		vmlinuz=$tree/arch/x86/boot/bzImage
		root=$root
		busybox=$root/bin/busybox
		settings=$settings
	END
	mv "$dir/kernel.new" "$dir/kernel.txt"
fi
cat "$dir/kernel.txt"
