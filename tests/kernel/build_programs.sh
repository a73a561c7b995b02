#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# build_programs.sh FLAVOUR OUT: the test programs, static, for that flavour's architecture; where the driver is not built, those
# that do not need it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"

# build NAME SOURCE or compiler option...
build() {
	name=$1
	shift
	(cd "$here/programs" && "${cross}gcc" -std=gnu11 -O2 -g -Wall -Wextra -Werror -static -D_GNU_SOURCE -I"$here/../.." \
		-o "$out/$name" "$@")
}

# program NAME [SOURCE or compiler option...]: of NAME.c.
program() {
	name=$1
	shift
	build "$name" "$name.c" "$@"
}

[ $# = 2 ] || die "usage: $0 FLAVOUR OUT"
flavour "$1"
mkdir -p "$2"
out=$(cd "$2" && pwd)
program shares
[ "$arch" = amd64 ] || program known_instructions -nostdlib
build plain_chain call_chain.c -fomit-frame-pointer -fno-shrink-wrap -fno-optimize-sibling-calls
program signal_chain -fno-optimize-sibling-calls
[ -n "$kernel_arch" ] || exit 0
program calls
program call_chain -fno-omit-frame-pointer -fno-shrink-wrap -fno-optimize-sibling-calls
[ "$arch" != arm64 ] || program call_chain_32
program count_instructions
program fixed_work
program forks
[ "$arch" != amd64 ] || program counted_loop
program fs_fuzz
program bad_reader
program fuse_hang
program map_run
program poke
program rounds
program short_lived
program snapshot
program stream_stat stream_check.c
