#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# oppush to a real server: whatever is sent twice, late, cut or killed, the server's sums by host, event and image are those
# of the session, which python adds up by itself (fleet_session.py). What is refused is refused in one line.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/clickhouse.sh"
here=$(cd "${srcdir:-.}" && pwd)/tests/e2e
stub_pid=
stop_stub() {
	[ -z "$stub_pid" ] || { kill "$stub_pid" 2>/dev/null; wait "$stub_pid" 2>/dev/null; } || :
	stub_pid=
}
start_clickhouse "$work/server" || { echo "skipped: $clickhouse_refusal"; exit 77; }
url=$clickhouse_url
dir=$work/sessions

# stub MODE [CERTIFICATE KEY]: a stub before the server, at $stub_port
stub() {
	stop_stub
	rm -f "$work/stub_port"
	mode=$1
	shift
	python3 "$here/fleet_stub.py" "$work/stub_port" "$mode" "$clickhouse_port" "$@" 2>"$work/stub.log" &
	stub_pid=$!
	wait_beside "$stub_pid" 60 "the stub has a port" [ -s "$work/stub_port" ]
	stub_port=$(cat "$work/stub_port")
}

# round N: the session as it is after N rounds, and its sums
round() {
	python3 "$here/fleet_session.py" "$1" "$work/spec" "$work/sums.$1"
	rm -rf "$dir/samples"
	"$tests/golden/make_session" "$work/spec" "$dir"
}

oppush() { "$build/oppush" --session-dir="$dir" --to="$url" "$@" >"$work/out" 2>"$work/oppush.log"; }

# refused PATTERN WORDS...: oppush fails with that line
refused() {
	pattern=$1
	shift
	! oppush "$@" || fail "oppush $* should fail"
	grep -q -- "$pattern" "$work/oppush.log" || fail "oppush $*: no line with $pattern"
}

# sums_are N [HOST]: the server's sums of that host are those of round N
sums_are() {
	host=${2-$recorded_host}
	clickhouse "SELECT name, path, sum(hits) FROM (
		SELECT path, event, hits FROM (SELECT event, image, hits FROM samples FINAL WHERE host IN
			(SELECT host FROM slices WHERE hostname = '$host'))
		ANY LEFT JOIN (SELECT image, any(path) AS path FROM images GROUP BY image) USING (image))
		ANY LEFT JOIN (SELECT event, any(name) AS name FROM events GROUP BY event) USING (event)
		GROUP BY name, path FORMAT TabSeparated" oprofile | LC_ALL=C sort >"$work/server_sums"
	LC_ALL=C sort "$work/sums.$1" >"$work/session_sums"
	diff "$work/session_sums" "$work/server_sums" >"$work/diff.log" || fail "the sums of $host are not those of round $1"
}
recorded_host="web\\'1\\\\"

round 1
refused 'has no tables yet; make them with opfleet init' # nothing is there
"$build/opfleet" init --to="$url" >/dev/null || fail "init"

# Once, twice, as another host.
oppush || fail "push"
grep -q '^current: [0-9]* rows pushed in [0-9]* bytes, verified$' "$work/out" || fail "the push is not verified"
sums_are 1
oppush || fail "push again"
sums_are 1
oppush --host=other || fail "push as another host"
sums_are 1
sums_are 1 other
[ "$(clickhouse 'SELECT count() FROM slices FINAL' oprofile)" = 2 ] || fail "not two slices"
[ "$(clickhouse "SELECT DISTINCT sampled, stored, lost, lost_by, sealed FROM slices FINAL" oprofile | cut -f3-)" = "3	['no_mapping=3']	1" ] ||
	fail "the account is another one"

# It grows; on the way requests are cut in their bodies, and answers are lost.
round 3
direct=$url
stub cut
url=http://default@127.0.0.1:$stub_port/oprofile
oppush --wait=600 || fail "push through a bad network"
grep -q 'again in [0-9]* s$' "$work/oppush.log" || fail "nothing was cut"
sums_are 3
stop_stub
url=$direct

# An older state that comes late changes nothing, not even the account.
account="SELECT sampled, rows, sum_hits FROM slices FINAL WHERE hostname != 'other'"
clickhouse "$account" oprofile >"$work/account"
round 1
refused "sums are not those of the session; it is kept"
sums_are 3
clickhouse "$account" oprofile | cmp - "$work/account" >"$work/diff.log" || fail "an older account replaces a newer one"

# The pusher is killed, wherever it is; then the server.
round 5
for after in 0.01 0.02 0.03 0.05 0.08 0.12; do
	"$build/oppush" --session-dir="$dir" --to="$url" >/dev/null 2>&1 &
	pusher=$!
	sleep "$after"
	kill -KILL "$pusher" 2>/dev/null || :
	wait "$pusher" 2>/dev/null || :
done
for after in 0.02 0.06; do
	"$build/oppush" --session-dir="$dir" --to="$url" --wait=600 >"$work/out" 2>"$work/oppush.log" &
	pusher=$!
	sleep "$after"
	kill_clickhouse
	start_clickhouse "$work/server" || fail "the server does not start again"
	wait_end "$pusher" 120 "the pusher" || fail "the pusher gave up on a server that was killed"
done
oppush || fail "push after all that"
sums_are 5
sums_are 1 other

# Killed at each batch, before and after the server has it: the next push sends what had no answer, and nothing else.
round 2
direct=$url
oppush --host=whole || fail "push of all"
whole=$(sed 's/^current: \([0-9]*\) .*/\1/' "$work/out")
for batch in 1 2 3 4 5 6; do
	for moment in before after; do
		host=$moment$batch
		rm -f "$dir"/samples/current/fleet.* "$work/stub_port.held"
		stub "$moment:$batch"
		url=http://default@127.0.0.1:$stub_port/oprofile
		"$build/oppush" --session-dir="$dir" --to="$url" --host="$host" >"$work/out" 2>"$work/oppush.log" &
		pusher=$!
		wait_beside "$pusher" 60 "$host: the stub holds that batch" [ -e "$work/stub_port.held" ]
		kill -KILL "$pusher"
		wait "$pusher" 2>/dev/null || :
		[ "$(cat "$dir/samples/current/fleet.ledger" 2>/dev/null | grep -c ' pushing ')" = $((batch - 1)) ] || fail "$host: another ledger"
		oppush --host="$host" || fail "$host: push after the crash"
		[ "$(grep -c ' pushing ' "$dir/samples/current/fleet.ledger")" = 6 ] || fail "$host: batches were sent that the server had"
		sed -n 's/^current: \([0-9]*\) rows\{0,1\} pushed in [0-9]* bytes\(, \([0-9]*\) there already\)\{0,1\}, verified$/\1 + \3/p' \
			"$work/out" | sed "s/+ \$/+ 0/" >"$work/rows"
		[ $(($(cat "$work/rows"))) = "$whole" ] || fail "$host: $(cat "$work/rows") rows, not $whole"
		sums_are 2 "$host"
	done
done
stop_stub
url=$direct
round 5

# Two pushers of one directory.
(flock 9; "$build/oppush" --session-dir="$dir" --to="$url" >/dev/null 2>"$work/oppush.log") 9<"$dir/samples" &&
	fail "two pushers of one directory"
grep -q 'is being pushed by another oppush' "$work/oppush.log" || fail "two pushers: no line"

# Only sessions that are complete and at the server by its own sums are marked as such.
[ ! -e "$dir/samples/current/fleet.verified" ] || fail "the current session is marked"
mv "$dir/samples/current" "$dir/samples/fleet-20251125T000000Z"
stub 200
url=http://default@127.0.0.1:$stub_port/oprofile
refused 'Code: 241 Memory limit; nothing is lost, push again later' --wait=1
[ ! -e "$dir/samples/fleet-20251125T000000Z/fleet.verified" ] || fail "a session that is not there is marked"
stub busy
url=http://default@127.0.0.1:$stub_port/oprofile
oppush --wait=600 || fail "push to a busy server"
grep -q 'HTTP status 429: slow down; again in [1-9]' "$work/oppush.log" || fail "429 is not waited for"
grep -q 'HTTP status 503: busy; again in' "$work/oppush.log" || fail "503 is not waited for"
sums_are 5
[ -e "$dir/samples/fleet-20251125T000000Z/fleet.verified" ] || fail "a session that is there is not marked"
[ "$(ls "$dir/samples/fleet-20251125T000000Z" | grep -c '^fleet\.counts')" = 0 ] || fail "a session that is there keeps its counts"
url=$direct
oppush || fail "nothing to push"
[ ! -s "$work/out" ] || fail "a marked session is pushed again"
oppush fleet-20251125T000000Z || fail "push of a named session"

# A current session without samples, beside a saved one that is not yet there, is nothing to push.
for left in directory manifest; do
	rm -rf "$dir/samples/current" "$dir/samples/fleet-20251125T000000Z/fleet.verified"
	mkdir -p "$dir/samples/current/{root}/usr"
	[ $left = directory ] || echo '{"format": 1, "start_time": 1764028800, "unfinished": true}' >"$dir/samples/current/manifest.json"
	oppush || fail "push beside an empty current session: $(cat "$work/oppush.log")"
	[ "$(cut -d: -f1 "$work/out")" = fleet-20251125T000000Z ] && [ ! -s "$work/oppush.log" ] || fail "an empty current session is pushed: $left"
done

# What grew: only what changed is sent, and everything if the server lost it.
grow() {
	mkdir "$work/kept"
	cp "$dir"/samples/current/fleet.* "$work/kept"
	round "$1"
	mv "$work"/kept/* "$dir/samples/current"
	rmdir "$work/kept"
}
pushed_rows() { sed -n 's/^current: \([0-9]*\) rows\{0,1\} pushed in [0-9]* bytes, \([0-9]*\) there already, verified$/\1/p' "$work/out"; }
round 2
oppush --host=grown || fail "push of what will grow"
grep -q '^current: [0-9]* rows pushed in [0-9]* bytes, verified$' "$work/out" || fail "not everything of a new host was sent"
whole=$(sed 's/^current: \([0-9]*\) .*/\1/' "$work/out")
grow 3
oppush --host=grown || fail "push of what grew"
sums_are 3 grown
[ "$(pushed_rows)" -lt "$((whole / 2))" ] || fail "of $whole rows $(pushed_rows) were sent again"
oppush --host=grown || fail "push of what did not change"
[ "$(pushed_rows)" -le 1 ] || fail "$(pushed_rows) rows were sent that did not change"
ledger=$dir/samples/current/fleet.ledger
[ "$(grep -c ' verified ' "$ledger")" = 3 ] || fail "the ledger has not three pushes"
! grep -q ' refused\| unequal ' "$ledger" || fail "the ledger has a push that failed"
clickhouse 'TRUNCATE TABLE samples' oprofile
oppush --host=grown || fail "push of what the server lost"
sums_are 3 grown
grep -q ' unequal ' "$ledger" || fail "the ledger does not have what the server lost"
printf 'torn' >>"$ledger"
for file in "$dir"/samples/current/fleet.counts.*; do truncate -s -3 "$file"; done
oppush --host=grown || fail "push after a crash"
sums_are 3 grown
chmod 0555 "$dir/samples/current"
rm -f "$ledger" "$dir"/samples/current/fleet.counts.* 2>/dev/null || :
oppush --host=grown || fail "push of a session that cannot be written to"
chmod 0755 "$dir/samples/current"

# A disk that is full here: the push goes on, and the next one sends again what could not be noted. There: the session stays.
round 2
(trap '' XFSZ; ulimit -f 1; oppush --host=full) || fail "push with a full disk here"
grep -q 'the next push sends everything again' "$work/oppush.log" || fail "a full disk is not reported"
sums_are 2 full
rows=$(sed 's/^current: \([0-9]*\) .*/\1/' "$work/out")
oppush --host=full || fail "push after a full disk"
[ "$(sed 's/^current: \([0-9]*\) .*/\1/' "$work/out")" -gt $((rows / 2)) ] || fail "the ledger has rows that it had no room for"
sums_are 2 full
stub full
url=http://default@127.0.0.1:$stub_port/oprofile
refused 'Code: 243 Cannot reserve 1.00 MiB, not enough space; nothing is lost, push again later' --wait=0 --host=there
stub write
url=http://default@127.0.0.1:$stub_port/oprofile
refused 'Code: 75 Cannot write to file .*No space left on device; nothing is lost, push again later' --wait=0 --host=there
[ "$(grep -c . "$work/oppush.log")" = 1 ] || fail "a full disk there has not one line"
url=$direct
oppush --host=there || fail "push to a server that had a full disk"
sums_are 2 there

# A session that was renamed, copied and restored is one session. Two copies that were pushed at a time are, too.
named() {
	sed -i 's/^{/{"session_id": "00112233445566778899aabbccddeeff", /; s/^{"session_id": "[0-9a-f]*", "session_id": /{"session_id": /' \
		"$1/manifest.json"
	grep -q '^{"session_id": "00112233445566778899aabbccddeeff",' "$1/manifest.json" || fail "no session_id in the manifest"
}
slices_of() { clickhouse "SELECT count(), sum(sum_hits) FROM slices FINAL WHERE hostname = '$1'" oprofile; }
round 1
named "$dir/samples/current"
cp -r "$dir" "$work/older"
round 3
named "$dir/samples/current"
oppush --host=copied || fail "push of the original"
sums_are 3 copied
one_slice=$(slices_of copied)
cp -r "$dir/samples/current" "$dir/samples/renamed"
oppush --host=copied renamed || fail "push under another name"
rm -f "$dir"/samples/renamed/fleet.*
oppush --host=copied renamed || fail "push under another name without its ledger"
cp -r "$dir" "$work/newer"
"$build/oppush" --session-dir="$work/newer" --to="$url" --host=copied >"$work/out" 2>"$work/newer.log" &
pusher=$!
"$build/oppush" --session-dir="$work/older" --to="$url" --host=copied >"$work/older.out" 2>"$work/oppush.log" && fail "an older copy is complete"
grep -q 'sums are not those of the session; it is kept' "$work/oppush.log" || fail "an older copy: no line"
wait_end "$pusher" 120 "the pusher" || fail "push of a copy elsewhere"
sums_are 3 copied
[ "$(slices_of copied)" = "$one_slice" ] || fail "a copy is another slice: $(slices_of copied), not $one_slice"
sed -i 's/00112233445566778899aabbccddeeff/ffeeddccbbaa99887766554433221100/' "$dir/samples/current/manifest.json"
oppush --host=copied || fail "push of a session that began in the same second"
[ "$(slices_of copied | cut -f1)" = 2 ] || fail "two sessions of one second are one slice"
rm -rf "$dir/samples/renamed"

# What others need not know.
round 1
oppush --hash-hosts --no-cmdline --host=private.example --spread=1 || fail "push without names"
[ "$(clickhouse "SELECT count() FROM slices WHERE hostname LIKE '%private%' OR manifest LIKE '%private%'" oprofile)" = 0 ] ||
	fail "the host's name was sent"
[ "$(clickhouse "SELECT countIf(manifest LIKE '%secret word%') FROM slices WHERE hostname LIKE 'host-%'" oprofile)" = 0 ] ||
	fail "the command line was sent"

# Whole stacks: as many samples as the session has with stacks.
"$tests/golden/make_session" "$here/../golden/sessions/stacks.txt" "$work/stacked"
echo '{"format": 1, "start_time": 1764028800, "events": [{"name": "TIMER", "count": 1000000}]}' >"$work/stacked/samples/current/manifest.json"
"$build/oppush" --session-dir="$work/stacked" --host=stacked --to="$url" >"$work/out" 2>"$work/oppush.log" || fail "push of stacks"
awk '$1 == "stack" { n += $2 } END { print n }' "$here/../golden/sessions/stacks.txt" >"$work/given"
clickhouse "SELECT sum(hits) FROM stack_samples FINAL WHERE host IN (SELECT host FROM slices WHERE hostname = 'stacked')" \
	oprofile >"$work/stack_sum"
cmp "$work/given" "$work/stack_sum" >"$work/diff.log" || fail "stacks: $(cat "$work/stack_sum") samples, not $(cat "$work/given")"
[ "$(clickhouse 'SELECT count() FROM stacks WHERE parent != 0 AND parent NOT IN (SELECT stack FROM stacks)' oprofile)" = 0 ] ||
	fail "a stack without its caller"

# A clock that was wrong.
sed -i 's/"start_time": *1764028800/"start_time": 5/' "$dir/samples/current/manifest.json"
refused 'the clock of its host was wrong'
sed -i 's/"start_time": *5/"start_time": 4000000000/' "$dir/samples/current/manifest.json"
refused 'the clock of its host was wrong'
sed -i 's/"start_time": *4000000000/"start_time": 1764028800/' "$dir/samples/current/manifest.json"
stub late
url=http://default@127.0.0.1:$stub_port/oprofile
oppush --host=early || fail "push with a clock that is ahead"
grep -q "clock is 7[12][0-9][0-9] s ahead of the server's; days may be the wrong ones" "$work/oppush.log" || fail "a wrong clock is not reported"
[ "$(clickhouse "SELECT clock_ahead_ms > 7000000 FROM slices FINAL WHERE hostname = 'early'" oprofile)" = 1 ] || fail "it is not stored"
sums_are 1 early
url=$direct

# A hostile name of a host is data.
name="x'%0a\\\"; DROP TABLE samples %00%ff"
long=$(head -c 16000 /dev/zero | tr '\0' h)
python3 - "$dir/samples/current/manifest.json" "$name$long" <<'END'
import json, sys
manifest = json.load(open(sys.argv[1]))
manifest["host"] = sys.argv[2]
json.dump(manifest, open(sys.argv[1], "w"))
END
oppush || fail "push of a host with a hostile name"
[ "$(clickhouse "SELECT hex(substring(hostname, 1, 27)) FROM slices FINAL WHERE length(hostname) > 16000" oprofile)" = \
	78270A5C223B2044524F50205441424C452073616D706C65732000 ] || fail "a hostile name is not read back as it was"

# An outage of two days: what was cut meanwhile waits on disk, and is pushed at once afterwards.
round 1
hour=0
while [ "$hour" -lt 48 ]; do
	start=$((1764028800 + hour * 3600))
	cut=$dir/samples/fleet-$(date -u -d "@$start" +%Y%m%dT%H%M%SZ)
	cp -r "$dir/samples/current" "$cut"
	sed -i "s/\"start_time\": *1764028800/\"start_time\": $start/; s/\"stop_time\": *[0-9]*/\"stop_time\": $((start + 3600))/" "$cut/manifest.json"
	hour=$((hour + 1))
done
rm -rf "$dir/samples/current"
stop_clickhouse
refused 'onnect' --wait=0 --host=outage
start_clickhouse "$work/server" || fail "the server does not start again"
oppush --host=outage || fail "push after an outage"
[ "$(grep -c '^fleet-.* verified$' "$work/out")" = 48 ] && [ "$(ls "$dir"/samples/*/fleet.verified | wc -l)" = 48 ] || fail "an outage lost sessions"
awk -F '\t' '{ printf "%s\t%s\t%d\n", $1, $2, 48 * $3 }' "$work/sums.1" >"$work/sums.48"
sums_are 48 outage
oppush --host=outage || fail "nothing to push after an outage"
[ ! -s "$work/out" ] || fail "pushed again after an outage"
