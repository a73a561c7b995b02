#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
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
profile spin --session-dir "$work/session" "$work/spin" || fail "operf"
"$build/oparchive" --session-dir "$work/session" --include-sources -o "$work/archive" 2>"$work/archive.log" || fail "oparchive"
[ -f "$work/archive$work/spin.c" ] || fail "the source is not in the archive"
for private in secret shadow.key link.c; do
	grep -q "^warning: source $work/$private is left out: it is private, and its name" "$work/archive.log" ||
		fail "no note on $private, a private file that is named as a source"
done
! grep -rqx precious "$work/archive" || fail "a private file is in the archive"
