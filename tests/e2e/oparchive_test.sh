#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# The profiled binary and its sources go into an archive, but no private file that debug information names as a source.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v cc >/dev/null || { echo "skipped: no cc here"; exit 77; }
need_profiling

printf 'precious\n' >"$work/secret"
printf 'precious\n' >"$work/shadow.key"
chmod 600 "$work/secret" "$work/shadow.key"
ln -s shadow.key "$work/link.c"
cat >"$work/spin.c" <<END
volatile unsigned long sink;
int main(void)
{
	for (unsigned long n = 0; n < 300000000ul; n++) sink += n;
#line 1 "$work/secret"
	for (unsigned long n = 0; n < 300000000ul; n++) sink += n;
#line 1 "$work/shadow.key"
	for (unsigned long n = 0; n < 300000000ul; n++) sink += n;
#line 1 "$work/link.c"
	for (unsigned long n = 0; n < 300000000ul; n++) sink += n;
	return 0;
}
END
cc -g -O1 -Wl,--build-id -o "$work/spin" "$work/spin.c"
mkdir "$work/session"
profile spin --session-dir "$work/session" --events TIMER:1000000 "$work/spin" || fail "operf"
"$build/oparchive" --session-dir "$work/session" --include-sources -o "$work/archive" 2>"$work/archive.log" || fail "oparchive"
[ -f "$work/archive$work/spin.c" ] || fail "the source is not in the archive"
for private in secret shadow.key link.c; do
	grep -q "^warning: source $work/$private is left out: it is private, and its name" "$work/archive.log" ||
		fail "no note on $private, a private file that is named as a source"
done
! grep -rqx precious "$work/archive" || fail "a private file is in the archive"

# Its build-id is recorded, so that it is taken although it is private.
cmp "$work/spin" "$work/archive$work/spin" || fail "the profiled binary is not in the archive"

# A file that takes no room on the disk takes none in the archive.
id=$(readelf -n "$work/spin" 2>/dev/null | awk '/Build ID/ { print $3 }')
if [ -n "$id" ]; then
	truncate -s 3G "$work/spin"
	truncate -s 3G "$work/session/samples/operf.log"
	"$build/oparchive" --session-dir "$work/session" -o "$work/sparse" 2>"$work/sparse.log" || fail "oparchive, sparse"
	[ "$(stat -c %s "$work/sparse$work/spin")" = 3221225472 ] || fail "the sparse binary is not in the archive"
	[ "$(du -sm "$work/sparse" | cut -f 1)" -lt 100 ] || fail "holes were written out: $(du -sm "$work/sparse")"
	grep -q "operf.log is not in the archive: it is larger" "$work/sparse.log" || fail "no note on a huge log"
fi
