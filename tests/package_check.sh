#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# package_check.sh BUILD: the source package made in that build tree holds every file that git has, builds, leaves its
# sources as they were, installs documents whose links work, uninstalls all that it installs, and distclean leaves nothing.
# Its tests are not run again: they are the same files. It is compiled by the same commands as BUILD, so that ccache has the
# objects.
set -eu
build=$(cd "$1" && pwd)
work=$build/package
rm -rf "$work"
mkdir "$work"
fail() {
	echo "FAILED: source package: $*"
	[ ! -s "$work/list" ] || cat "$work/list"
	exit 1
}
# files DIRECTORY: those below it, but for the build tree's
files() {
	(cd "$1" && find . -path ./build -prune -o ! -type d -print | sed 's|^\./||' | sort)
}

rm -f "$build"/oprofile-ng-*.tar.xz # of other versions
make -s -C "$build" dist >"$work/dist.log" 2>&1 || { cat "$work/dist.log"; fail "make dist"; }
tar -xf "$build"/oprofile-ng-*.tar.xz -C "$work"
tree=$(ls -d "$work"/oprofile-ng-*)
files "$tree" >"$work/packed"
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
	git ls-files | grep -vx '\.gitignore' | sort | comm -23 - "$work/packed" >"$work/list"
	[ ! -s "$work/list" ] || fail "files of git are missing"
else
	echo "no git here: what the package holds is not compared"
fi

(cd "$tree" && tr "\n" "\0" <"$work/packed" | xargs -0 cksum --) >"$work/before"
mkdir "$tree/build"
cd "$tree/build"
eval "set -- $("$build/config.status" --config)"
../configure "$@" || fail "configure"
make -s -j "$(nproc)" >"$work/make.log" || fail "make"
make -s install DESTDIR="$work/root" >"$work/install.log" 2>&1 || { cat "$work/install.log"; fail "make install"; }
# Each relative link of the installed documents leads to an installed file.
docs=$(dirname "$(find "$work/root" -name README.md)")
(cd "$docs" && find . -name '*.md' | while read -r page; do
	grep -oE '\]\([^)#: ]+[)#]' "$page" | sed 's/^](//; s/.$//' | while read -r link; do
		[ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
	done
done) >"$work/list"
[ ! -s "$work/list" ] || fail "installed documents link to what is not installed"
[ -e "$docs/doc/annotated.png" ] || fail "the README's picture is not installed"
echo "installed: $(du -sm "$work/root" | cut -f 1) MB, $(find "$work/root" -type f | wc -l) files"
make -s uninstall DESTDIR="$work/root" >/dev/null || fail "make uninstall"
find "$work/root" ! -type d >"$work/list"
[ ! -s "$work/list" ] || fail "uninstalling leaves files"
make -s distclean >/dev/null || fail "make distclean"
find . ! -type d >"$work/list"
[ ! -s "$work/list" ] || fail "distclean leaves files"
files "$tree" | cmp -s - "$work/packed" && (cd "$tree" && tr "\n" "\0" <"$work/packed" | xargs -0 cksum --) | cmp -s - "$work/before" ||
	fail "building changed the source tree"
rm -rf "$work"
