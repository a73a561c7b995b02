#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# oppush where the disk of the sessions is full: what the server accepted stays there, one line reports what could not be
# noted, and the next push, once there is room, sends what is missing. The server's sums are the session's each time.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/clickhouse.sh"
[ "$(getconf PAGESIZE)" = 4096 ] || { echo "skipped: files of tmpfs take whole pages, which are larger than 4 KiB here"; exit 77; }
here=$(cd "${srcdir:-.}" && pwd)/tests/e2e
small=$work/small
mkdir "$small"
mount -t tmpfs -o size=8m,nr_inodes=300 tmpfs "$small" 2>"$work/mount.log" || { echo "skipped: no file system of a test's own: $(cat "$work/mount.log")"; exit 77; }
at_exit umount "$small"
start_clickhouse "$work/server" || { echo "skipped: $clickhouse_refusal"; exit 77; }
"$build/opfleet" init --to="$clickhouse_url" >/dev/null || fail "init"
samples=$small/samples

# fill ROOM: leaves that many bytes
fill() {
	cat /dev/zero >"$small/filler" 2>/dev/null || :
	truncate -s "-$1" "$small/filler"
	[ "$(df -B 1 --output=avail "$small" | tail -n 1)" -eq "$1" ] || fail "there are not $1 bytes of room"
}
# session NAME ROUND: that session as it is after so many rounds, with the ledger that it had
session() {
	python3 "$here/fleet_session.py" "$2" "$work/spec" "$work/sums.$2"
	rm -rf "$work/made" "$work/ledger"
	mkdir "$work/ledger"
	! [ -d "$samples/$1" ] || find "$samples/$1" -name 'fleet.*' -exec mv {} "$work/ledger" \;
	rm -rf "$small/samples"
	"$tests/golden/make_session" "$work/spec" "$work/made"
	mkdir -p "$samples"
	mv "$work/made/samples/current" "$samples/$1"
	find "$work/ledger" -name 'fleet.*' -exec mv {} "$samples/$1" \;
}
oppush() { "$build/oppush" --session-dir="$small" --to="$clickhouse_url" "$@" >"$work/out" 2>"$work/oppush.log"; }
sent() { sed -n 's/^[^:]*: \([0-9]*\) rows\{0,1\} pushed in .*/\1/p' "$work/out"; }
one_line() {
	[ "$(wc -l <"$work/oppush.log")" = 1 ] && grep -q "$1" "$work/oppush.log" || fail "not one line with '$1'"
}
sums_are() {
	clickhouse "SELECT name, path, sum(hits) FROM (
		SELECT path, event, hits FROM (SELECT event, image, hits FROM samples FINAL WHERE host IN
			(SELECT host FROM slices WHERE hostname = '$2'))
		ANY LEFT JOIN (SELECT image, any(path) AS path FROM images GROUP BY image) USING (image))
		ANY LEFT JOIN (SELECT event, any(name) AS name FROM events GROUP BY event) USING (event)
		GROUP BY name, path FORMAT TabSeparated" oprofile | LC_ALL=C sort >"$work/server_sums"
	LC_ALL=C sort "$work/sums.$1" | diff - "$work/server_sums" >"$work/diff.log" || fail "the sums of $2 are not those of round $1"
}

# No room at all: everything is sent, and again once there is room, since nothing could be noted.
session current 1
fill 0
oppush --host=none || fail "push without any room"
one_line 'cannot write .*No space left on device; the next push sends everything again$'
sums_are 1 none
whole=$(sent)
[ "$whole" -gt 1000 ] || fail "$whole rows of a session with more"
rm "$small/filler"
oppush --host=none || fail "push once there is room"
[ "$(sent)" = "$whole" ] || fail "of $whole rows that were not noted $(sent) were sent"
[ ! -s "$work/oppush.log" ] || fail "a push with room is not silent"
oppush --host=none || fail "push of what is noted"
[ "$(sent)" -le 1 ] || fail "$(sent) rows were sent that were noted"
sums_are 1 none

# Room for the first batches' rows only. The next push sends the others; meanwhile the session has grown.
rm "$samples"/current/fleet.*
session current 1
fill 12288
oppush --host=some || fail "push with little room"
one_line 'cannot write .*No space left on device; the next push sends everything again$'
sums_are 1 some
rm "$small/filler"
oppush --host=some || fail "push of the rest"
[ "$(sent)" -lt "$whole" ] && [ "$(sent)" -gt 1000 ] || fail "the rest of $whole rows is $(sent)"
sums_are 1 some
session current 3
oppush --host=some || fail "push of what grew"
sums_are 3 some

# A session that is complete: it is marked once there is room for the mark, and not before.
rm -r "$samples"
session fleet-20251125T000000Z 2
fill 0
i=0
while (: >"$small/file$i") 2>/dev/null; do i=$((i + 1)); done # no inode is left
! oppush --host=marked || fail "a session that cannot be marked is done"
grep -q 'cannot write .*/fleet.verified: No space left on device$' "$work/oppush.log" || fail "no line on the mark"
sums_are 2 marked
rm "$small"/file*
[ ! -e "$samples/fleet-20251125T000000Z/fleet.verified" ] || fail "there is a mark"
oppush --host=marked || fail "push of a session that was not marked"
[ -e "$samples/fleet-20251125T000000Z/fleet.verified" ] || fail "a session that is there is not marked"
sums_are 2 marked
