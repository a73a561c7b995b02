#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures a fleet on a ClickHouse server of its own, on loopback, and prints the section of doc/bench.md on it. Called by
# `make bench-fleet` in the build directory. $HOSTS (50) hosts of $ROWS (30000) counters of one day; the target of the project
# is HOSTS=1000, which takes 12 GB of disk and an hour. $MEMORY (4000000000) bytes is what a query may use.
set -eu
bench=$PWD/tests/bench
build=$PWD
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/clickhouse.sh"
hosts=${HOSTS:-50} rows=${ROWS:-30000} pushers=4
clickhouse_memory=${MEMORY:-4000000000}
work=$(mktemp -d)
trap 'stop_clickhouse; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
start_clickhouse "$work/server" || { echo "fleet.sh: $clickhouse_refusal" >&2; exit 1; }
"$build/opfleet" init --to="$clickhouse_url" >/dev/null
load=$(cut -d' ' -f1 /proc/loadavg)
now() { date +%s%N; }

# Real sessions: a compiler, an interpreter, a packer.
record() {
	name=$1
	shift
	"$build/operf" --session-dir="$work/real$name" --events TIMER:100000 "$@" >/dev/null 2>"$work/record.log" || { cat "$work/record.log" >&2; exit 1; }
}
mkdir "$work/real1" "$work/real2" "$work/real3"
record 1 c++ -std=c++20 -O1 -I"$here/../.." -c "$here/make_fleet.cpp" -o "$work/compiled.o"
record 2 python3 "$here/../e2e/fleet_session.py" 20 "$work/spec" "$work/sums"
record 3 sh -c "cat '$build'/*.a | gzip -9 >'$work/packed'"
real="$work/real1/samples/current $work/real2/samples/current $work/real3/samples/current"
day=$(($(date +%s) / 86400 - 1))
session=fleet-$(date -u -d "@$((day * 86400))" +%Y%m%d)T000000Z
make_host() { "$bench/make_fleet" "$work/hosts/$1" "$1" "$rows" "$((day * 86400))" $real; }

# In rounds, so that the disk holds few hosts at a time. Only the pushes are timed.
mkdir "$work/hosts"
spent=0 first=0
while [ "$first" -lt "$hosts" ]; do
	last=$((first + 100 < hosts ? first + 99 : hosts - 1))
	for host in $(seq "$first" "$last"); do make_host "$host"; done
	began=$(now)
	seq "$first" "$last" | xargs -P "$pushers" -I HOST "$build/oppush" --session-dir="$work/hosts/HOST" --to="$clickhouse_url" \
		--wait=3600 "$session" >>"$work/pushed"
	spent=$((spent + $(now) - began))
	du -sk "$work/hosts" >>"$work/sizes"
	rm -rf "$work"/hosts/*
	first=$((last + 1))
done
[ "$(grep -c ' verified$' "$work/pushed")" = "$hosts" ] || { cat "$work/pushed" >&2; exit 1; }
all=$(clickhouse 'SELECT count() FROM samples' oprofile)
wire=$(sed -n 's/.* pushed in \([0-9]*\) bytes.*/\1/p' "$work/pushed" | awk '{ n += $1 } END { print n }')
day_text=$(date -u -d "@$((day * 86400))" +%Y-%m-%d)

# median COMMAND...: ms of the median of five runs, after one that warms the caches
median() {
	"$@" >/dev/null
	for round in 1 2 3 4 5; do
		began=$(now)
		"$@" >/dev/null
		echo $((($(now) - began) / 1000000))
	done | sort -n | sed -n 3p
}
query() { clickhouse "$1" oprofile; }
top="SELECT image, place, sum(hits) AS total FROM samples FINAL WHERE day = '$day_text' GROUP BY image, place ORDER BY total DESC LIMIT 50"
unmerged=$(median query "$top")
merge_began=$(now)
query "OPTIMIZE TABLE samples PARTITION $(date -u -d "@$((day * 86400))" +%Y%m%d) FINAL"
merged_in=$((($(now) - merge_began) / 1000000))
rest=$(query "SELECT sum(bytes) FROM system.parts WHERE database = 'oprofile' AND table = 'samples' AND active")
merged=$(median query "$(echo "$top" | sed 's/ FINAL//')")
releases="SELECT path, image, uniq(host), sum(hits) FROM (SELECT image, host, sum(hits) AS hits FROM samples WHERE day = '$day_text'
	AND image IN (SELECT image FROM images WHERE path = '/usr/bin/program0') GROUP BY image, host)
	ANY LEFT JOIN (SELECT image, any(path) AS path FROM images GROUP BY image) USING (image) GROUP BY path, image"
difference=$(median query "$releases")
verification=$(median query "SELECT count(), sum(h) FROM (SELECT max(hits) AS h FROM samples WHERE day = '$day_text'
	AND host IN (SELECT host FROM slices WHERE hostname = 'host1') GROUP BY event, image, place, app, tgid, cpu)")

# Questions by opfleet, with names: a function is 256 bytes. The first of the two builds of a program is release 1.
query "INSERT INTO images SELECT image, build_id, path, kind, package, package_version,
	toString(2 - reinterpretAsUInt8(unhex(substring(build_id, 15, 2))) % 2), version + 1 FROM images FINAL WHERE path LIKE '/usr/bin/program%'"
query "INSERT INTO locations (image, place, first, func, quality, version) SELECT image, place, intDiv(place, 256) * 256,
	cityHash64(path, intDiv(place, 256)), 3, 1000 FROM (SELECT DISTINCT image, place FROM samples)
	ANY LEFT JOIN (SELECT image, any(path) AS path FROM images GROUP BY image) USING (image)"
query "INSERT INTO function_names SELECT func, concat('function', toString(func)) FROM locations GROUP BY func"
query "OPTIMIZE TABLE locations FINAL"
ask() { "$build/opfleet" "$@" --to="$clickhouse_url" --format=csv; }
# answers FILE: what is asked below
answers() { { ask top; ask diff --app=program0 --release 1 2; } >"$1" 2>>"$work/asked.log"; }
asked_top=$(median ask top) asked_diff=$(median ask diff --app=program0 --release 1 2)
answers "$work/raw"
nightly_began=$(now)
"$build/opfleet" nightly --to="$clickhouse_url" >"$work/nightly"
summarised_in=$((($(now) - nightly_began) / 1000000))
query "ALTER TABLE samples DROP PARTITION $(date -u -d "@$((day * 86400))" +%Y%m%d)"
summary_rows=$(query "SELECT count() FROM function_days WHERE day = '$day_text' AND event != 0")
rolled_top=$(median ask top) rolled_diff=$(median ask diff --app=program0 --release 1 2)
answers "$work/rolled"
cmp "$work/raw" "$work/rolled" || { echo "fleet.sh: answers from function_days differ" >&2; exit 1; }
memory=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$clickhouse_pid/status")

# One host-day, by itself: the whole, then what an hourly push of a tenth more costs.
make_host 1
"$bench/measure" 3 - "$build/oppush" --session-dir="$work/hosts/1" --to="$clickhouse_url" --host=measured "$session" >"$work/cost" 2>"$work/measure.log"
cpu=$(cut -d' ' -f2 "$work/cost") rss=$(cut -d' ' -f3 "$work/cost")

cat <<END
## A fleet

Printed by \`make bench-fleet\` (\`tests/bench/fleet.sh\`): ClickHouse $(clickhouse 'SELECT version()') on the same machine, over loopback;
$hosts hosts with a day of $rows counters each, $all rows of \`samples\`, made of three real sessions with noise, in 100
programs of two builds; load $load at the start. Queries: medians of five, caches warm, SQL over HTTP.

| | |
|---|---|
| $pushers pushers at a time, each push verified | $((all * 1000 / (spent / 1000000))) rows/s |
| on the wire, gzip | $(awk "BEGIN { printf \"%.1f\", $wire / $all }") bytes a row |
| at rest, merged | $(awk "BEGIN { printf \"%.1f\", $rest / $all }") bytes a row |
| sessions on the hosts' disks | $(awk '{ n += $1 } END { printf "%.0f", n / '"$hosts"' }' "$work/sizes") kB a host-day |
| \`oppush\` of a host-day | $cpu ms of CPU, $rss kB peak RSS |
| the check of one host-day | $verification ms |
| top 50 places of the day, not merged (\`FINAL\`) | $unmerged ms |
| merging the day (\`OPTIMIZE ... FINAL\`) | $merged_in ms |
| top 50 places of the day, merged | $merged ms |
| two builds of one program, by host | $difference ms |
| \`opfleet top\`, merged | $asked_top ms |
| \`opfleet diff\` of two releases of one program, merged | $asked_diff ms |
| adding the day up by function (\`opfleet nightly\`), $summary_rows rows | $summarised_in ms |
| \`opfleet top\` from these | $rolled_top ms |
| \`opfleet diff\` from these | $rolled_diff ms |
| peak RSS of the server | $memory kB |
END
