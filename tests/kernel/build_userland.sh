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

# A third of the time to compile our files is the standard library's headers: they are compiled once.
precompile() {
	for header in algorithm array charconv chrono filesystem functional map memory optional set span stdexcept string string_view \
		unordered_map utility variant vector; do
		echo "#include <$header>"
	done >standard.h
	"$triplet-g++" -std=c++20 -O0 -x c++-header standard.h -o standard.h.gch
	{ cat standard.h; "$triplet-g++" --version; } >standard.h.gch.sum
}

# What ccache compares: the sum of the compiled headers, which differ each time they are compiled, and paths below the source tree
# as relative ones, so that a build in another clone is found.
export CCACHE_PCH_EXTSUM=1 CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR="$source"

if [ ! -f config.status ]; then
	precompile
	"$source/configure" --quiet --host="$triplet" CXX="${ccache:+ccache }$triplet-g++" \
		CXXFLAGS="-O0 -include standard.h -fpch-preprocess" LDFLAGS="-static -s -L$2/usr/lib/$triplet" \
		CPPFLAGS="-isystem $2/usr/include -isystem $2/usr/include/$triplet"
fi
make -s -j "$(nproc)" $programs
