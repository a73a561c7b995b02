#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# Lines and inlined functions are those that llvm-symbolizer finds. A program full of inlined code, compiled in every form of
# debug information we read, is asked at random addresses (always the same). addr2line is no measure: it names the innermost
# of inlined functions after the symbol that they lie in.
# ADDRESSES: how many of each of the main forms.
. "${srcdir:-.}/tests/e2e/lib.sh"
source=$(cd "${srcdir:-.}" && pwd)/tests/e2e/inlines.cpp
frames=$tests/e2e/frames
addresses=${ADDRESSES:-25000}

if ! command -v objcopy >/dev/null; then
	echo "skipped: no objcopy here"
	exit 77
fi
symbolizer=
for name in llvm-symbolizer-14 llvm-symbolizer; do
	[ -n "$symbolizer" ] || symbolizer=$(command -v $name || true)
done
if [ -z "$symbolizer" ]; then
	echo "skipped: no llvm-symbolizer here"
	exit 77
fi
# ask IMAGE <ADDRESSES: what the other one finds, in the form of addr2line
ask() { "$symbolizer" --obj="$1" --output-style=GNU --functions=linkage --no-demangle --addresses --inlines; }
echo "compared with $symbolizer"

# compare IMAGE COUNT [ASKED]: our frames of IMAGE beside the other's of ASKED, a form of the same program
compare() {
	"$frames" pick "${3:-$1}" "$2" 4711 >"$work/addresses"
	"$frames" print "$1" <"$work/addresses" >"$work/ours" 2>"$work/frames.log" || fail "frames of $1"
	ask "${3:-$1}" <"$work/addresses" >"$work/theirs"
	"$frames" compare "${3:-$1}" "$work/ours" "$work/theirs" || fail "$1: too many differences"
}

# Where the debug information lies must not matter: the same program with it elsewhere, beside the other's answer for the
# program with all of it inside. Both have the same code at the same addresses.
fewer=$((addresses / 10))

split_files() {
	dir=$work/split-$compiler-$version
	mkdir "$dir"
	(cd "$dir" && $compiler -std=c++20 -O2 -gsplit-dwarf -gdwarf-$version -o program "$source")
	echo " .dwo where it was compiled"
	compare "$dir/program" $fewer "$image"
	for file in "$dir"/*.dwo; do
		objcopy --compress-debug-sections=zstd "$file"
	done
	echo " .dwo compressed by zstd"
	compare "$dir/program" $fewer "$image"
	for file in "$dir"/*.dwo; do
		objcopy --decompress-debug-sections "$file"
	done
	mv "$dir" "$dir-moved"
	dir=$dir-moved
	echo " .dwo beside the program"
	compare "$dir/program" $fewer "$image"
	packer=
	for name in llvm-dwp-14 llvm-dwp dwp; do
		[ -n "$packer" ] || packer=$(command -v $name || true)
	done
	if [ -z "$packer" ]; then
		echo "skipped: no dwp here"
		return
	fi
	echo " .dwp ($packer)"
	# llvm-dwp 14 does not come to an end on some files.
	if ! in_time 20 "$packer" -o "$dir/program.dwp" "$dir"/*.dwo 2>"$work/dwp.txt"; then
		echo "skipped: $packer cannot: $(head -n 1 "$work/dwp.txt")"
		return
	fi
	rm "$dir"/*.dwo
	compare "$dir/program" $fewer "$image"
}

# debug_file COMPRESSION
debug_file() {
	dir=$work/debug-$compiler-$version-$1
	mkdir -p "$dir/.debug"
	objcopy --only-keep-debug --compress-debug-sections=$1 "$image" "$dir/.debug/program.debug"
	objcopy --strip-all --add-gnu-debuglink="$dir/.debug/program.debug" "$image" "$dir/program"
	echo " separate and compressed by $1"
	compare "$dir/program" $fewer "$image"
}

shared_file() {
	if ! command -v dwz >/dev/null; then
		echo "skipped: no dwz here"
		return
	fi
	dir=$work/shared-$compiler-$version
	mkdir "$dir"
	cp "$image" "$dir/program"
	cp "$image" "$dir/other"
	if ! (cd "$dir" && dwz -m common program other) 2>"$work/dwz.txt" || ! [ -f "$dir/common" ]; then
		echo "skipped: dwz cannot: $(head -n 1 "$work/dwz.txt")"
		return
	fi
	echo " shared by dwz"
	compare "$dir/program" $fewer "$image"
	objcopy --compress-debug-sections=zstd "$dir/common"
	objcopy --compress-debug-sections=zstd "$dir/program"
	echo " shared by dwz and compressed by zstd"
	compare "$dir/program" $fewer "$image"
}

compared=0
for compiler in g++ clang++; do
	if ! command -v $compiler >/dev/null; then
		echo "skipped: no $compiler here"
		continue
	fi
	for version in 4 5; do
		image=$work/$compiler-$version
		echo "$compiler -gdwarf-$version"
		$compiler -std=c++20 -O2 -gdwarf-$version -o "$image" "$source"
		compare "$image" "$addresses"
		split_files
		debug_file zlib
		debug_file zstd
		shared_file
		compared=$((compared + 1))
	done
done
[ $compared -gt 0 ] || exit 77
