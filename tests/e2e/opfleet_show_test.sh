#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# opfleet show: sessions that were pushed come back so that opreport prints the same of them, byte for byte: flat, whole
# stacks, kernel symbols, code made at run time, processes and CPUs apart. What a hostile server has leads nowhere.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/clickhouse.sh"
here=$(cd "${srcdir:-.}" && pwd)/tests
start_clickhouse "$work/server" || { echo "skipped: $clickhouse_refusal"; exit 77; }
url=$clickhouse_url
day=2025-11-25
mkdir "$work/before" "$work/after"
before=$work/before/oprofile_data
after=$work/after/oprofile_data

# add_session NAME SPEC: a session of the host "web'1\" and that day, from a description
add_session() {
	"$tests/golden/make_session" "$2" "$work/one" >/dev/null || fail "make_session $1"
	python3 -c 'import json, os, sys
path = sys.argv[1] + "/manifest.json"
manifest = json.load(open(path)) if os.path.exists(path) else {"format": 1}
manifest.update(host="web\x271\\", start_time=1764028800 + int(sys.argv[2]), stop_time=1764032400)
json.dump(manifest, open(path, "w"))' "$work/one/samples/current" "$number" || fail "manifest of $1"
	mkdir -p "$before/samples"
	mv "$work/one/samples/current" "$before/samples/$1"
	rm -rf "$work/one"
	number=$((number + 1))
	names="$names $1"
}
number=0
names=
python3 "$here/e2e/fleet_session.py" 2 "$work/spec" "$work/sums"
add_session generated "$work/spec"
for name in calls hostile jit kernel modes multiplexed processes recorded replaced separate stacks two-stacks; do
	add_session "$name" "$here/golden/sessions/$name.txt"
done
if "$tests/e2e/can_profile" 2>"$work/can_profile.log"; then
	own_program
	mkdir "$work/real"
	profile real --session-dir "$work/real" --callgraph --events TIMER:1000000 "$program" plain 500 || fail "operf"
	mv "$work/real/samples/current" "$before/samples/real"
	rm -rf "$before/samples/real/images" # kept binaries are not pushed
	names="$names real"
	real_host=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["host"])' "$before/samples/real/manifest.json")
	real_day=$(python3 -c 'import json, sys, time
print(time.strftime("%Y-%m-%d", time.gmtime(json.load(open(sys.argv[1]))["start_time"])))' "$before/samples/real/manifest.json")
fi

# reports SIDE NAME: all that opreport prints of a session, to $work/SIDE.reports/NAME
reports() {
	mkdir -p "$work/$1.reports"
	(cd "$work/$1" && for words in "" "--symbols" "--symbols --details" "--symbols --format=json" "--symbols --format=csv" "--format=json" \
		"--call-tree --threshold=0" "--call-tree=callers --format=json" "--format=folded -o -"; do
		echo "== $words"
		"$build/opreport" session:"$2" --root="$here/fixtures/root" $words 2>"$work/errors" || echo "status $?"
		sed '/^Using .* for samples directory/d' "$work/errors"
	done) >"$work/$1.reports/$2"
}

show() { "$build/opfleet" show "$@" --to="$url" >"$work/out" 2>"$work/show.log"; }
# refused PATTERN WORDS...: opfleet show fails with that line
refused() {
	pattern=$1
	shift
	! show "$@" || fail "opfleet show $* should fail"
	grep -q -- "$pattern" "$work/show.log" || fail "opfleet show $*: no line with $pattern"
}

"$build/opfleet" init --to="$url" >/dev/null || fail "init"
"$build/oppush" --session-dir="$before" --to="$url" $names >"$work/push.out" 2>"$work/push.log" || fail "push"
show "web'1\\" "$day" --session-dir="$after" || fail "show"
[ -z "${real_host-}" ] || show "$real_host" "$real_day" --session-dir="$after" || fail "show of what operf recorded"
for name in $names; do
	[ -d "$after/samples/$name" ] || fail "there is no session $name"
	reports before "$name"
	reports after "$name"
	cmp -s "$work/before.reports/$name" "$work/after.reports/$name" || {
		diff "$work/before.reports/$name" "$work/after.reports/$name" | head -n 40 >"$work/diff.log"
		fail "reports of session $name differ"
	}
done
grep -q 'work' "$work/after.reports/stacks" || fail "the reports have no symbols"
! ls -a "$after/samples" | grep -q '^\.show' || fail "something is left behind"

# Nothing is overwritten, and what is wrong is refused.
refused 'session .*/samples/stacks exists already' "web'1\\" "$day" --session-dir="$after"
refused 'has nothing of host nobody' nobody "$day" --session-dir="$work/none"
refused 'is no day' "web'1\\" 2025-02-30 --session-dir="$work/none"
refused 'give the directory' "web'1\\" "$day"
[ ! -e "$work/none" ] || fail "a directory is made for nothing"

# What a hostile server has leads nowhere.
insert() { clickhouse "INSERT INTO $1" oprofile || fail "insert into $1"; }
account() { insert "slices (day, slice, host, hostname, session, manifest, sealed, version) VALUES ('2025-11-26', $1, 1, 'evil', '$2', '$3', 1, 1)"; }
file() { insert "slice_files VALUES ('2025-11-26', 1, $1, '$2', unhex('$(printf '%b' "$3" | gzip -c | od -An -v -tx1 | tr -d ' \n')'), 1)"; }
empty='oprofile-ng slice 1\n'
account 1 '../../escaped' '{}'; file 1 index.gz "$empty"
account 2 '.hidden' '{}'; file 2 index.gz "$empty"
account 3 'no-manifest' 'nonsense'; file 3 index.gz "$empty"
account 4 'no-index' '{}'
account 5 'bad-index' '{}'; file 5 index.gz "${empty}plain 0 0 0 0 0 0 0 0 0 0 {root}/../../escaped/{dep}/{root}/x/E.1.0.all.all.all\n"
account 6 'bad-file' '{}'; file 6 index.gz "$empty"; file 6 '../../escaped.gz' x
account 7 'bad-code' '{}'; file 7 index.gz "$empty"; file 7 '{root}/../../../{dep}/{anon:anon}/7.jo.gz' x
account 8 'bad-stacks' '{}'; file 8 index.gz "$empty"; file 8 'stacks/../../../escaped.gz' x
account 9 'manifest' '{}'; file 9 index.gz "$empty"; file 9 'manifest.json.gz' x
account 10 'fewer' '{}'; file 10 index.gz "$empty"
insert "samples VALUES ('2025-11-26', 1, 2, 3, 4, 1, 10, 0, 0, 5)"
account 11 'good' '{}'; file 11 index.gz "${empty}apart 1 2 3 4 0 0 0 0 0 0 {root}/good/{dep}/{root}/good/E.1.0.all.all.all\n10 5\n"
! show evil 2025-11-26 --session-dir="$work/evil" || fail "what a hostile server has is no session"
[ "$(ls -A "$work/evil/samples")" = good ] || fail "there is more than one good session: $(ls -A "$work/evil/samples")"
[ "$(find "$work" -name '*escaped*' | wc -l)" = 0 ] || fail "something was written outside"
[ "$(grep -c '^opfleet show error: ' "$work/show.log")" = 10 ] || fail "not a line for each"

# A link in the way is not followed; a killed show leaves no session, and the next one goes on.
mkdir -p "$work/linked" "$work/elsewhere"
ln -s "$work/elsewhere" "$work/linked/samples"
refused 'symbolic link' "web'1\\" "$day" --session-dir="$work/linked"
[ -z "$(ls -A "$work/elsewhere")" ] || fail "a link was followed"
for after_time in 0.02 0.05 0.1; do
	"$build/opfleet" show "web'1\\" "$day" --to="$url" --session-dir="$work/killed" >/dev/null 2>&1 &
	shower=$!
	sleep "$after_time"
	kill -KILL "$shower" 2>/dev/null || :
	wait "$shower" 2>/dev/null || :
	for session in "$work/killed/samples"/*; do
		[ ! -d "$session" ] || [ -f "$session/manifest.json" ] || fail "a part of a session looks like one"
	done
done
rm -rf "$work/killed/samples/generated"
show "web'1\\" "$day" --session-dir="$work/killed" || grep -q 'exists already' "$work/show.log" || fail "show after a crash"
[ -d "$work/killed/samples/generated" ] || fail "no session after a crash"

# Without the files there is no session, but the samples are there.
"$build/oppush" --session-dir="$before" --to="$url" --host=bare --no-files stacks >"$work/push.out" 2>"$work/push.log" || fail "push --no-files"
refused 'pushed with --no-files' bare "$day" --session-dir="$work/bare"
