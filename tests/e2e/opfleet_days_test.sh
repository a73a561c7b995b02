#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# opfleet nightly and retain: functions by day add up to the samples, again and again and after a crash; old days go, and
# their functions stay.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/clickhouse.sh"
here=$(cd "${srcdir:-.}" && pwd)/tests
start_clickhouse "$work/server" || { echo "skipped: $clickhouse_refusal"; exit 77; }
url=$clickhouse_url
opfleet() { "$build/opfleet" "$@" --to="$url" >"$work/out" 2>"$work/opfleet.log"; }
refused() {
	pattern=$1
	shift
	! opfleet "$@" || fail "opfleet $* should fail"
	grep -q -- "$pattern" "$work/opfleet.log" || fail "opfleet $*: no line with $pattern"
}
ask() { clickhouse "$1" oprofile; }

# push ROUND HOST TIME [SEALED-NAME]: the generated session, begun then
push() {
	python3 "$here/e2e/fleet_session.py" "$1" "$work/spec" "$work/sums"
	rm -rf "$work/sessions"
	sed -i "s/\"start_time\": 1764028800/\"start_time\": $3/; s/\"stop_time\": 1764032400/\"stop_time\": $(($3 + 3600))/" "$work/spec"
	"$tests/golden/make_session" "$work/spec" "$work/sessions"
	"$build/oppush" --session-dir="$work/sessions" --host="$2" --to="$url" >/dev/null 2>"$work/push.log" || fail "push of $2"
}
# sums_agree: for each day, event, image, application and host that is summarised
sums_agree() {
	ask "SELECT day, event, image, app, host, sum(hits) AS n FROM samples FINAL WHERE $1 GROUP BY day, event, image, app, host
		ORDER BY day, event, image, app, host FORMAT TabSeparated" >"$work/of_samples"
	ask "SELECT day, event, image, app, host, sum(hits) AS n FROM function_days FINAL WHERE $1 AND event != 0 AND hits != 0
		GROUP BY day, event, image, app, host ORDER BY day, event, image, app, host FORMAT TabSeparated" >"$work/of_functions"
	[ -s "$work/of_samples" ] || fail "there are no samples where $1"
	cmp "$work/of_samples" "$work/of_functions" >"$work/diff.log" || fail "function_days are not the samples where $1"
}
summary() { ask 'SELECT * FROM function_days FINAL ORDER BY event, func, image, app, host, day FORMAT TabSeparated'; }

first=1764028800 # 2025-11-25
"$build/opfleet" init --to="$url" >/dev/null || fail "init"
push 1 one $first
push 2 two $first
push 1 one $((first + 86400))
now=$(date +%s)
push 1 one "$((now - 10))"
: "$(ask "INSERT INTO locations (image, place, func, quality, version) SELECT image, place, place % 50 + 1, 2, 2000 FROM samples WHERE place < 2500
	GROUP BY image, place")"

# Complete days are merged and added up; today is not.
opfleet nightly || fail "nightly"
grep -q '^2025-11-25: merged, functions added up$' "$work/out" || fail "the first day is not summarised"
grep -q ': left for later: it is not over$' "$work/out" || fail "today is taken for complete"
sums_agree "day < '2026-01-01'"
[ "$(ask "SELECT max(n) FROM (SELECT count() AS n FROM system.parts WHERE active AND database = 'oprofile' AND table = 'samples'
	AND partition < '20260101' GROUP BY partition)")" = 1 ] || fail "days are not merged"
[ "$(ask "SELECT uniqExact(func) FROM function_days FINAL WHERE day = '2025-11-25' AND hits != 0 AND event != 0")" = 51 ] ||
	fail "not 50 functions and what has no name"

# Again: nothing changes.
summary >"$work/once"
opfleet nightly || fail "a second nightly"
[ "$(grep -c ': nothing new$' "$work/out")" = 2 ] || fail "a second nightly does something"
summary >"$work/twice"
cmp "$work/once" "$work/twice" >"$work/diff.log" || fail "a second nightly changes something"

# A run that was cut off before its mark: its rows are there once after the next one, merged or not.
ask "CREATE TABLE kept AS function_days ENGINE = Memory"
ask "INSERT INTO kept SELECT * FROM function_days FINAL"
ask "ALTER TABLE function_days DROP PARTITION 202511"
ask "INSERT INTO function_days SELECT * FROM kept WHERE event != 0"
opfleet nightly || fail "nightly after a run without a mark"
[ "$(grep -c ': merged, functions added up$' "$work/out")" = 2 ] || fail "a run without a mark counts as complete"
summary >"$work/twice"
[ "$(ask "SELECT day, sum(hits) FROM function_days WHERE event != 0 AND (day, version) IN (SELECT day, max(version) FROM function_days
	GROUP BY day) GROUP BY day ORDER BY day")" = "$(ask "SELECT day, sum(hits) FROM samples FINAL WHERE day < '2026-01-01' GROUP BY day
	ORDER BY day")" ] || fail "rows of a run that was cut off count twice"
cmp "$work/once" "$work/twice" >"$work/diff.log" || fail "a run that was cut off changes the summary"
ask "DROP TABLE kept"

# Better symbols, and a late session: the days are added up again.
: "$(ask "INSERT INTO locations (image, place, func, quality, version) SELECT image, place, place % 7 + 1000, 3, 844424930133961 + 4000000000
	FROM samples GROUP BY image, place")"
push 1 late $((first + 5))
opfleet nightly || fail "nightly after new symbols"
[ "$(grep -c ': merged, functions added up$' "$work/out")" = 2 ] || fail "new symbols are not used"
sums_agree "day < '2026-01-01'"
[ "$(ask "SELECT uniqExact(func) FROM function_days FINAL WHERE day = '2025-11-25' AND hits != 0 AND event != 0")" = 7 ] ||
	fail "old functions are still there"

# Killed anywhere: a summary with its mark is whole.
for after in 0.05 0.1 0.2; do
	push 2 "killed$after" $((first + 10))
	"$build/opfleet" nightly --to="$url" >/dev/null 2>&1 &
	nightly=$!
	sleep "$after"
	kill -KILL "$nightly" 2>/dev/null || :
	wait "$nightly" 2>/dev/null || :
	[ "$(ask "SELECT argMax(hits, version) FROM function_days WHERE event = 0 AND day = '2025-11-26'")" = 1 ] || fail "a day lost its mark"
done
opfleet nightly || fail "nightly after a crash"
sums_agree "day < '2026-01-01'"

# Samples that are not all there are not added up.
: "$(ask "INSERT INTO slices (day, slice, host, hostname, rows, sum_hits, sealed, version) VALUES ('2025-11-26', 5, 5, 'lost', 1, 7, 1, 5000000000)")"
summary >"$work/once"
opfleet nightly || fail "nightly without all samples"
grep -q '^2025-11-26: left as it is: samples of some of its sessions are missing' "$work/out" || fail "a part is taken for the whole"
summary >"$work/twice"
cmp "$work/once" "$work/twice" >"$work/diff.log" || fail "a part has changed the summary"

# Retention. What is nonsense is refused.
for words in 30 0d -1d 1.5d d 99999d 30w '30d 40d' '' --max-size=0 --max-size=x --max-size=1X --max-size=-1 --max-size=99999999999T; do
	refused 'give the number of days\|no number of days\|not a number of bytes\|unknown option' retain $words
done
[ "$(ask "SELECT count() FROM samples WHERE day < '2026-01-01'")" -gt 0 ] || fail "nonsense dropped something"
opfleet retain 30d --dry-run || fail "retain --dry-run"
grep -q '^would drop 2025-11-25: [0-9]* bytes, functions are kept$' "$work/out" || fail "--dry-run does not list the day"
opfleet retain 36500d || fail "retain 36500d"
grep -q '^nothing to drop$' "$work/out" || fail "retain 36500d drops something"
summary >"$work/once"
opfleet retain 30d || fail "retain"
[ "$(grep -c '^dropped 2025-11-2[56]: [0-9]* bytes, functions are kept$' "$work/out")" = 2 ] || fail "not both days are dropped"
for table in samples stack_samples slice_files; do
	[ "$(ask "SELECT count() FROM $table WHERE day < '2026-01-01'")" = 0 ] || fail "$table still has old days"
done
[ "$(ask "SELECT count() > 0 FROM samples")" = 1 ] || fail "the new day is gone"
summary >"$work/twice"
cmp "$work/once" "$work/twice" >"$work/diff.log" || fail "the functions are gone"

# A session that comes late to a day that was dropped does not replace what is known of that day: neither one that is
# pushed once more nor a new one.
push 2 two $first
opfleet nightly || fail "nightly after a session that came again"
grep -q '^2025-11-25: nothing new' "$work/out" || fail "a session that came again is news"
push 2 tardy $first
opfleet nightly || fail "nightly after a late session"
grep -q '^2025-11-25: left as it is' "$work/out" || fail "a late session is taken for the whole day"
summary >"$work/twice"
cmp "$work/once" "$work/twice" >"$work/diff.log" || fail "a late session replaced a summary"

# By size: the oldest days go, the newest one stays.
! opfleet retain --max-size=1 || fail "a size that cannot be reached"
grep -q '^dropped 2025-11-25: ' "$work/out" || fail "the oldest day is not dropped"
grep -q 'still [0-9]* bytes are on the disk' "$work/opfleet.log" || fail "no line on what is left"
[ "$(ask "SELECT count() > 0 FROM samples")" = 1 ] || fail "the newest day is gone"
opfleet retain --max-size=1T || fail "a size that is not reached"
