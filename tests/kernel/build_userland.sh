#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# build_userland.sh FLAVOUR ROOT OUT: ocount, operf and ophelp for the architecture of that flavour, static, in OUT, which
# may hold an earlier build. ROOT: what fetch_libraries.sh printed. The source tree must not be configured itself.
# Without optimisation: they run for seconds, and every file is compiled for them once more.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"

programs='ocount operf ophelp'

[ $# = 3 ] || die "usage: $0 FLAVOUR ROOT OUT"
flavour "$1"
triplet=${cross%-}
source=$(cd "$here/../.." && pwd)
mkdir -p "$3"
cd "$3"
[ -f config.status ] || "$source/configure" --quiet --host="$triplet" CXXFLAGS=-O0 LDFLAGS="-static -s -L$2/usr/lib/$triplet" \
	CPPFLAGS="-isystem $2/usr/include -isystem $2/usr/include/$triplet"
make -s -j "$(nproc)" $programs
