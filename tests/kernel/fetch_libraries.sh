#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fetch_libraries.sh FLAVOUR DIR: unpacks into DIR/libraries-ARCH what our programs are built with for the architecture
# of that flavour: Debian's headers and static libraries; installs nothing. Does nothing if they are there with just
# these packages. Prints the folder, which is a root of that architecture.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"
. "$here/private_apt.sh"

packages='libelf-dev libdw-dev libdebuginfod-dev zlib1g-dev liblzma-dev libzstd-dev libpopt-dev binutils-dev libiberty-dev
	libseccomp-dev nlohmann-json3-dev libprotozero-dev'

[ $# = 2 ] || die "usage: $0 FLAVOUR DIR"
flavour "$1"
mkdir -p "$2"
dir=$(cd "$2" && pwd)/libraries-$arch
if [ "$(cat "$dir/packages" 2>/dev/null)" != "$packages" ]; then
	command -v apt-get >/dev/null || die "no apt to fetch libraries with"
	rm -rf "$dir"
	mkdir -p "$dir/download"
	cd "$dir/download"
	[ "$suite" = release ] || suite= # our programs are built by the machine's compiler, for its release
	private_apt "$dir/apt" "$arch" "$suite" >&2
	unpack "$dir/root" $packages >&2
	rm -rf "$dir/download" "$dir/apt"
	printf '%s\n' "$packages" >"$dir/packages"
fi
echo "$dir/root"
