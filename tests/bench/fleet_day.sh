#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A day of one host that is pushed each hour: what 24 pushes cost the host and the network. Called by `make bench-fleet-day`
# in the build directory; prints a section for doc/bench.md. Each hour is a real session of a compiler, an interpreter and a
# packer, at 2.5 kHz, whose samples stand for $SAMPLES (10) each. KEEP=DIR keeps the real sessions there, or takes them from
# there, so that the same day can be pushed by another build.
set -eu
bench=$PWD/tests/bench
build=$PWD
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/../e2e/clickhouse.sh"
samples=${SAMPLES:-10}
work=$(mktemp -d)
real=${KEEP:-$work/real}
relay_pid=
stop_relay() { [ -z "$relay_pid" ] || { kill "$relay_pid" 2>/dev/null; wait "$relay_pid" 2>/dev/null; } || :; }
trap 'stop_relay; stop_clickhouse; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
start_clickhouse "$work/server" || { echo "fleet_day.sh: $clickhouse_refusal" >&2; exit 1; }
"$build/opfleet" init --to="$clickhouse_url" >/dev/null
load=$(cut -d' ' -f1 /proc/loadavg)

# As many source files as there are hours: no two hours are alike.
sources=$(ls "$root"/libop/base/*.cpp | head -n 24)
[ "$(echo "$sources" | wc -l)" = 24 ] || { echo "fleet_day.sh: not 24 source files in libop/base/" >&2; exit 1; }
record_hour() {
	source=$(echo "$sources" | sed -n "$(($1 + 1))p")
	cat >"$work/hour.sh" <<-END
		c++ -std=c++20 -O1 -I'$root' -c '$source' -o '$work/compiled.o'
		python3 '$here/../e2e/fleet_session.py' $((1 + $1 % 5)) '$work/spec' '$work/sums'
		xz -1 -c '$work/compiled.o' '$work/spec' >'$work/packed'
	END
	mkdir -p "$real/$1"
	"$build/operf" --session-dir="$real/$1" --events TIMER:400000 sh "$work/hour.sh" >"$work/record.log" 2>&1 ||
		{ cat "$work/record.log" >&2; exit 1; }
}

python3 "$here/count_bytes.py" "$work/port" "$work/counts" "$clickhouse_port" &
relay_pid=$!
waited=0
until [ -s "$work/port" ]; do
	sleep 0.1
	waited=$((waited + 1))
	[ "$waited" -lt 300 ] || { echo "fleet_day.sh: no relay" >&2; exit 1; }
done
url=http://default@127.0.0.1:$(cat "$work/port")/oprofile

# The session is one that is recorded into until the day is over: its lock has a process that lives.
day=$(($(date +%s) / 86400 - 1))
session=fleet-$(date -u -d "@$((day * 86400))" +%Y%m%d)T000000Z
dir=$work/host
mkdir "$dir"
for hour in $(seq 0 23); do
	[ -d "$real/$hour/samples/current" ] || record_hour "$hour"
	rm -f "$dir/lock"
	"$bench/add_hour" "$dir" "$hour" $((day * 86400)) "$samples" "$real/$hour/samples/current"
	name=current
	if [ "$hour" = 23 ]; then
		name=$session
		mv "$dir/samples/current" "$dir/samples/$name"
	else
		echo $$ >"$dir/lock"
	fi
	"$bench/measure" 1 - sh -c 'exec "$@" >>"$0"' "$work/pushed" "$build/oppush" --session-dir="$dir" --to="$url" "$name" >>"$work/cost"
done
grep -q "^$session: .* verified\$" "$work/pushed" || { cat "$work/pushed" >&2; exit 1; }
counters=$(clickhouse 'SELECT rows FROM slices FINAL' oprofile)
rows=$(sed -n 's/.*: \([0-9]*\) rows\{0,1\} pushed in .*/\1/p' "$work/pushed" | awk '{ n += $1 } END { print n }')
bodies=$(sed -n 's/.* pushed in \([0-9]*\) bytes.*/\1/p' "$work/pushed" | awk '{ n += $1 } END { print n }')
waited=0
until [ "$(cut -d' ' -f3 "$work/counts")" = 24 ]; do # the end of a connection is noted after the pusher's
	sleep 0.1
	waited=$((waited + 1))
	[ "$waited" -lt 100 ] || { echo "fleet_day.sh: not 24 connections: $(cat "$work/counts")" >&2; exit 1; }
done
read -r up down connections <"$work/counts"

cat <<END
## A host's day in a fleet

Printed by \`make bench-fleet-day\` (\`tests/bench/fleet_day.sh\`): one host pushes the session of its day each hour, to
ClickHouse $(clickhouse 'SELECT version()') over loopback, without TLS. An hour is a real session of a compiler, an interpreter and a
packer at 2.5 kHz; one of its samples counts for 1 to $((2 * samples - 1)). After 24 hours there are $counters counters;
load $load at the start.

| | measured | wanted |
|---|---|---|
| rows sent in $connections pushes | $rows | |
| bodies of requests | $bodies bytes, $(awk "BEGIN { printf \"%.1f\", $bodies / $rows }") a row | |
| all bytes of the connections | $up to the server, $down from it | 500000 together |
| CPU of the pushes | $(awk '{ n += $2 } END { printf "%.0f", n }' "$work/cost") ms | 1000 ms |
| peak RSS | $(awk '$3 > n { n = $3 } END { print n }' "$work/cost") kB | 30720 kB |
END
