#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# build_userland.sh FLAVOUR ROOT OUT: ocount, operf and ophelp for the architecture of that flavour, static, in OUT, which
# may hold an earlier build. ROOT: what fetch_libraries.sh printed. The source tree must not be configured itself. The working
# directory is a build tree in which everything is built for this machine.
#
# What takes the time is to compile each file once more. So
# - only files that the programs are linked with here are compiled for there;
# - without optimisation: the programs run for seconds;
# - the files of a directory are compiled as one ("unit"): each template is instantiated once in a unit, not in every file. Where two
#   files define the same name in their anonymous namespaces that is an error, and the unit is parted. What each file means alone
#   is the concern of the other builds;
# - the standard library's headers, which are in every unit, are compiled once.
# usage within: build_userland.sh --unit NAME FILE...
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"
source=$(cd "$here/../.." && pwd)

programs='ocount operf ophelp'
flags='-O0 -include standard.h -fpch-preprocess'

# What ccache compares: the sum of the compiled headers, which differ each time they are compiled, and paths below the source tree
# as relative ones, so that a build in another clone is found.
export CCACHE_PCH_EXTSUM=1 CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR="$source"

# compile NAME FILE...: units/NAME.o, and more with longer names. Files are without their suffix. Those in which the compiler finds errors
# become a unit of their own; if that does not part them, each half does.
compile() (
	unit=$1
	shift
	printf '#include "%s.cpp"\n' "$@" >"units/$unit.cpp"
	! make -s CXXFLAGS="$flags" "units/$unit.o" >"units/$unit.log" 2>&1 || return 0
	[ $# -gt 1 ] || { cat "units/$unit.log" >&2; die "$1.cpp does not compile"; }
	rm "units/$unit.cpp"
	files=$(printf '%s\n' "$@")
	others=$(sed -n "s|^$source/\([^:]*\)\.cpp:.* error: .*|\1|p" "units/$unit.log" | sort -u | grep -x -e "$files") || others=
	[ -n "$others" ] && [ "$(echo "$others" | wc -l)" -lt $# ] || others=$(echo "$files" | sed "1,$(($# / 2))d")
	compile "${unit}_a" $(echo "$files" | grep -v -x -e "$others")
	compile "${unit}_b" $others
)

if [ "${1-}" = --unit ]; then
	shift
	compile "$@"
	exit
fi

[ $# = 3 ] || die "usage: $0 FLAVOUR ROOT OUT"
flavour "$1"
triplet=${cross%-}

# words MAKE-VARIABLE...: those of these variables of the working directory's makefile, one a line.
words() {
	printf 'print:\n\t@printf "%%s\\n"%s\n' "$(printf ' $(%s)' "$@")" | make -s -f Makefile -f - print
}

# members: of the archives, which the linker takes for the programs; and others that only another machine's archives have. What other
# libraries define does not matter here.
members() {
	for program in $programs; do
		ld -M --unresolved-symbols=ignore-all -e 0 -o /dev/null $(words ${program}_OBJECTS) --start-group libutils.a libopd.a libop.a \
			--end-group 2>/dev/null || :
	done | sed -n 's/^lib[a-z]*\.a(\([^)]*\.o\)).*/\1/p' | sort -u
}

# A third of the time to compile our files is the standard library's headers: they are compiled once.
precompile() {
	for header in algorithm array charconv chrono filesystem functional map memory optional set span stdexcept string string_view \
		unordered_map utility variant vector; do
		echo "#include <$header>"
	done >standard.h
	"$triplet-g++" -std=c++20 -O0 -x c++-header standard.h -o standard.h.gch
	{ cat standard.h; "$triplet-g++" --version; } >standard.h.gch.sum
}

# files: of the members that are linked on this machine, or are not in its archives; without suffix, one a line.
files() {
	words libop_a_OBJECTS libopd_a_OBJECTS libutils_a_OBJECTS | awk '
		{ name = $1; sub(/.*\//, "", name) }
		FILENAME == "members" { wanted[$1]; next }
		FILENAME == "members.all" { known[name]; next }
		(name in wanted) || !(name in known)' members members.all - | sed 's/\.o$//'
}

# units: lines of a unit's name and its files: those of an earlier build, or one for each directory.
units() {
	if cmp -s sources sources.new && ls units/*.cpp >/dev/null 2>&1; then
		for each in units/*.cpp; do
			echo "$(basename "$each" .cpp)" $(sed 's/#include "\(.*\)\.cpp"/\1/' "$each")
		done
		return
	fi
	rm -rf units
	awk -F / '{ unit = $0; sub(/\/[^\/]*$/, "", unit); gsub(/\//, "_", unit); files[unit] = files[unit] " " $0 }
		END { for (unit in files) print unit files[unit] }' sources.new
}

mkdir -p "$3"
make -s Makefile >&2
members >"$3/members"
words libop_a_OBJECTS libopd_a_OBJECTS libutils_a_OBJECTS >"$3/members.all"
[ -s "$3/members" ] || die "the programs are not built here"
cd "$3"
if [ ! -f config.status ]; then
	precompile
	"$source/configure" --quiet --host="$triplet" CXX="${ccache:+ccache }$triplet-g++" CXXFLAGS=-O0 \
		LDFLAGS="-static -s -L$2/usr/lib/$triplet" CPPFLAGS="-isystem $2/usr/include -isystem $2/usr/include/$triplet"
fi
make -s Makefile >&2
files | while read -r file; do
	if [ -f "$source/$file.cpp" ]; then echo "$file" >&3; else echo "$file.o"; fi
done 3>sources.new >made_objects # files that are made themselves are compiled as ever
units >units.new
mkdir -p units/.deps
rm -f units/*.o
# The unit that takes longest first.
awk '{ print NF, $0 }' units.new | sort -rn | cut -d ' ' -f 2- | xargs -L 1 -P "$(nproc)" "$here/build_userland.sh" --unit
mv sources.new sources
objects="$(ls units/*.cpp | sed 's/cpp$/o/') $(cat made_objects)"
rm -f $programs
make -s -j "$(nproc)" CXXFLAGS="$flags" libop_a_OBJECTS="$(echo $objects)" libopd_a_OBJECTS= libutils_a_OBJECTS= $programs
