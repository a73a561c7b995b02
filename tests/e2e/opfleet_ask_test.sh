#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# Questions to a real server: two releases of a program on hosts with any name, pushed and symbolized. What opfleet counts
# is what opreport counts in the same sessions, to the sample; names come from the very build or not at all.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/clickhouse.sh"
here=$(cd "${srcdir:-.}" && pwd)/tests/e2e
for needed in cc nm readelf strip; do
	command -v "$needed" >/dev/null || { echo "skipped: no $needed here"; exit 77; }
done
start_clickhouse "$work/server" || { echo "skipped: $clickhouse_refusal"; exit 77; }
url=$clickhouse_url
opfleet() { verb=$1; shift; "$build/opfleet" "$verb" --to="$url" "$@" >"$work/out" 2>"$work/opfleet.log"; }
refused() {
	pattern=$1
	shift
	! opfleet "$@" || fail "opfleet $* should fail"
	grep -q -- "$pattern" "$work/opfleet.log" || fail "opfleet $*: no line with $pattern"
}

mkdir "$work/r1" "$work/r2" "$work/r3" "$work/ci"
cat >"$work/program.c" <<'END'
static inline int doubled(int x) { volatile int twice = x; twice += x; return twice; }
__attribute__((noinline)) int parse(int x) { volatile int sum = x; for (int i = 0; i < TURNS; ++i) sum += i; return sum; }
__attribute__((noinline)) int render(int x) { return doubled(x) + doubled(x + 1); }
__attribute__((noinline)) int store(int x) { volatile int value = x; value ^= 7; return value; }
int main(int argc, char **argv) { (void)argv; return parse(argc) + render(argc) + store(argc); }
END
for release in r1 r2 r3; do
	cc -g -O1 -Wl,--build-id=sha1 -DTURNS="10${release#r}" -o "$work/$release/program" "$work/program.c" || fail "program.c"
done
strip -o "$work/ci/stripped" "$work/r1/program"

# session NUMBER RELEASE HOST WEIGHTS...
session() {
	number=$1 release=$2 host=$3
	shift 3
	python3 "$here/fleet_hosts.py" "$work/$release/program" "$host" "$number" "$work/spec" "$@" || fail "no session"
	"$tests/golden/make_session" "$work/spec" "$work/s$number"
	"$build/oppush" --session-dir="$work/s$number" --to="$url" >>"$work/push.log" 2>&1 || fail "push"
}

# counted_by_opreport SESSIONS...: "SAMPLES SYMBOL" of the program's functions, by opreport
counted_by_opreport() {
	for number in "$@"; do
		"$build/opreport" --session-dir="$work/s$number" --symbols --no-header --format=csv 2>>"$work/opreport.log"
	done | awk -F, '$3 !~ "/" { sum[$3] += $5 } END { for (name in sum) print sum[name], name }' | LC_ALL=C sort
}
# counted_by_opfleet WORDS...: the same, by opfleet top
counted_by_opfleet() {
	opfleet top --format=csv "$@" || fail "top $*"
	python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin):
    if row["symbol"] != "(no symbols)": print(row["samples"], row["symbol"])' <"$work/out" | LC_ALL=C sort
}
# same_counts SESSIONS -- WORDS...
same_counts() {
	sessions=
	while [ "$1" != -- ]; do sessions="$sessions $1"; shift; done
	shift
	counted_by_opreport $sessions >"$work/by_opreport"
	counted_by_opfleet "$@" >"$work/by_opfleet"
	[ -s "$work/by_opreport" ] || fail "opreport counts nothing"
	diff "$work/by_opreport" "$work/by_opfleet" >"$work/diff.log" || fail "top $*: not what opreport counts"
}

refused 'has no tables yet; make them with opfleet init' top
opfleet init || fail "init"
refused 'has no session yet' top
long=$(printf '%016384d' 0 | tr 0 h)
session 1 r1 "web'1\\" parse=8000 render=4000 store=1000 main=200
session 2 r1 'web"2; DROP TABLE samples --' parse=8100 render=3900 store=1000 main=200
session 3 r2 "web'1\\" parse=3000 render=4000 store=1000 main=200
session 4 r2 'web"2; DROP TABLE samples --' parse=3100 render=3900 store=1000 main=200
session 5 r2 'line%0afeed%00and nul' parse=30 render=40
session 6 r2 "$long" parse=50 render=60

# Without names: the program's samples are there, nobody knows of which function.
opfleet top --format=csv || fail "top before names"
[ "$(grep -c symbols "$work/out")" = 2 ] || fail "names from nowhere"
grep -q '100 % of the samples have no names' "$work/opfleet.log" || fail "nothing is said of missing names"

# A path is no proof: another build is there now, and its names are not used.
mv "$work/r1/program" "$work/ci/program"
cp "$work/r2/program" "$work/r1/program"
opfleet symbolize || fail "symbolize"
grep -q 'r2/program: names and lines, ' "$work/out" || fail "release 2 has no names"
grep -q 'r1/program: is another build than the one that was profiled' "$work/out" || fail "names of another build are used"
mv "$work/ci/program" "$work/r1/program"
same_counts 3 4 5 6 --
# A bad source first, then a good one, then the bad one again: the good one stays.
opfleet symbolize --image="$work/ci/stripped" --release=r1 || fail "symbolize a stripped binary"
! counted_by_opfleet --release=r1 | grep -q store || fail "names of a stripped binary"
opfleet symbolize --image="$work/r1/program" --release=r1 || fail "symbolize --image"
opfleet symbolize --image="$work/r2/program" --release=r2 || fail "symbolize --image"
opfleet top --format=csv --release=r1 || fail "top"
cp "$work/out" "$work/good"
opfleet symbolize --image="$work/ci/stripped" --release=r1 || fail "symbolize a stripped binary again"
opfleet top --format=csv --release=r1 || fail "top"
cmp "$work/good" "$work/out" >"$work/diff.log" || fail "a worse source changed names"
[ "$(clickhouse "SELECT count() FROM locations FINAL WHERE length(inlined) > 0 AND inlined[1] LIKE 'doubled%'" oprofile)" -gt 0 ] ||
	fail "no inlined function"
[ "$(clickhouse "SELECT countIf(line = 0 OR file = '') FROM locations FINAL WHERE quality = 4 AND func IN
	(SELECT func FROM function_names WHERE name IN ('parse', 'store'))" oprofile)" = 0 ] || fail "places without lines"

# What opfleet counts is what opreport counts.
same_counts 1 2 3 4 5 6 --
same_counts 1 2 -- --release=r1
same_counts 3 4 5 6 -- --release=r2
same_counts 1 3 -- --host="web'1\\"
same_counts 2 4 -- --host='web"2; DROP TABLE samples --'
same_counts 5 -- --host='line*'
same_counts 6 -- --host="$long"
same_counts 1 3 5 -- --day=2025-11-26
same_counts 2 4 6 -- --until=2025-11-25
same_counts 1 3 5 -- --from=2025-11-26
same_counts 1 2 3 4 -- --host='web*' --app=program --event=CYCLES:100000
same_counts 1 2 -- --image="$work/r1/program"

# The formats have the same numbers.
opfleet top --no-pager || fail "top"
awk 'seen { print $1, $NF } /symbol name$/ { seen = 1 }' "$work/out" | grep -v 'symbols)' | LC_ALL=C sort >"$work/as_text"
opfleet top --format=json || fail "top"
python3 -c 'import json, sys
answer = json.load(sys.stdin)
assert answer["hosts"] == 4 and answer["slices"] == 6, answer
assert sum(row["samples"] for row in answer["rows"]) == answer["samples"], answer
for row in answer["rows"]:
    assert row["percent_low"] <= row["percent"] <= row["percent_high"], row
    if row["symbol"] in ("parse", "render"): assert row["hosts"] == 4 and row["builds"] == 2, row
    if row["symbol"] != "(no symbols)": print(row["samples"], row["symbol"])' <"$work/out" | LC_ALL=C sort >"$work/as_json"
counted_by_opfleet >"$work/as_csv"
cmp "$work/as_text" "$work/as_csv" && cmp "$work/as_json" "$work/as_csv" || fail "formats differ"
opfleet top --limit=2 --format=csv || fail "top --limit"
[ "$(wc -l <"$work/out")" = 3 ] || fail "--limit=2 has other rows"

# What a release changed, host by host; equal releases differ in nothing.
session 7 r3 "web'1\\" parse=3000 render=4000 store=1000 main=200
session 8 r3 'web"2; DROP TABLE samples --' parse=3100 render=3900 store=1000 main=200
opfleet symbolize --image="$work/r3/program" --release=r3 || fail "symbolize release 3"
marked() { # RELEASES...: the functions that diff marks, by csv
	opfleet diff --host='web*' --format=csv --release "$@" || fail "diff $*"
	python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin):
    if row["significant"] == "true": print(row["symbol"])' <"$work/out"
}
marked r1 r2 >"$work/marks"
grep -qx parse "$work/marks" || fail "the changed function is not marked"
[ -z "$(marked r2 r3)" ] || fail "equal releases: marked $(marked r2 r3)"
opfleet diff --no-pager --host='web*' --release=r1,r2 || fail "diff"
grep -q '^\* .* parse$' "$work/out" || fail "no mark in text"
grep -q '^the smallest change that this comparison could show: 0.* percentage points, at a share of 1 %$' "$work/out" ||
	fail "diff does not say what it can show"
opfleet diff --format=json --host="web'1\\" --release r1 r2 || fail "diff of one host"
python3 -c 'import json, sys
answer = json.load(sys.stdin)
assert answer["before"]["hosts"] == answer["after"]["hosts"] == 1 and not answer["over_hosts"], answer
assert any("how hosts differ is not known" in line for line in answer["remarks"]), answer
rows = {row["symbol"]: row for row in answer["rows"]}
assert rows["parse"]["significant"] and rows["parse"]["points"] < 0, rows
assert all(abs(row["points"] - row["percent_after"] + row["percent_before"]) < 1e-3 for row in rows.values()), rows' <"$work/out" ||
	fail "diff as json"
refused 'give two releases' diff --release r1
refused '--release=r9: the server has none' diff --release r1 r9

# The same after days were added up by function.
opfleet top --format=csv --limit=0 || fail "top"
LC_ALL=C sort "$work/out" >"$work/counted"
opfleet diff --host='web*' --format=csv --limit=0 --release r1 r2 || fail "diff"
LC_ALL=C sort "$work/out" >"$work/compared"
opfleet nightly || fail "nightly"
[ "$(grep -c 'functions added up$' "$work/out")" = 2 ] || fail "nightly adds nothing up"
opfleet top --format=csv --limit=0 || fail "top after nightly"
LC_ALL=C sort "$work/out" | cmp - "$work/counted" >"$work/diff.log" || fail "nightly changes top"
opfleet diff --host='web*' --format=csv --limit=0 --release r1 r2 || fail "diff after nightly"
LC_ALL=C sort "$work/out" | cmp - "$work/compared" >"$work/diff.log" || fail "nightly changes diff"
same_counts 1 3 5 7 -- --day=2025-11-26
same_counts 1 3 7 -- --host="web'1\\"

# Hosts, images and what is missing of both.
opfleet hosts --format=json || fail "hosts"
python3 -c 'import json, sys
rows = {row["host"]: row for row in json.load(sys.stdin)["rows"]}
assert len(rows) == 4 and rows["web\x271\\"]["slices"] == 3 and rows["h" * 16384], rows.keys()
assert "line\nfeed\0and nul" in rows, rows.keys()
assert all(row["unverified"] == row["unsealed"] == 0 and row["lost_percent"] > 0 for row in rows.values()), rows' <"$work/out" ||
	fail "hosts"
opfleet images --format=json --release=r1 || fail "images"
python3 -c 'import json, sys
rows = {row["image"]: row for row in json.load(sys.stdin)["rows"]}
program = rows[sys.argv[1] + "/r1/program"]
assert program["release"] == "r1" and program["named_percent"] == 100 and program["hosts"] == 2, rows
assert rows["/lib/gone.so"]["named_percent"] == 0 and "is not found" in rows["/lib/gone.so"]["remark"], rows' "$work" <"$work/out" ||
	fail "images"
day=$(clickhouse "SELECT toString(min(day)) FROM slices" oprofile)
clickhouse "INSERT INTO samples SELECT day, event, image, place + 1, app, host, slice, tgid, cpu, hits FROM samples WHERE
	host IN (SELECT host FROM slices WHERE hostname LIKE 'line%') LIMIT 1" oprofile
opfleet coverage || fail "coverage"
grep -q '^4 hosts, . of them with samples of 2025-11-26$' "$work/out" || fail "coverage has no hosts"
grep -q "^[1-3] hosts* late, with the last day there is: .*h ($day)" "$work/out" || fail "nobody is late"
grep -q '^2 hosts lost more than 1 % of their samples: ' "$work/out" || fail "nobody is lossy"
grep -q '^1 host with slices whose rows differ from their account: line?feed?and nul$' "$work/out" || fail "nobody is unverified"
awk '$NF == "--image-path" || /--image-path or --root$/' "$work/out" | head -n 1 | grep -q gone.so || fail "images without names are not first"

# What is missing is in the head.
opfleet top || fail "top"
grep -q '^24 samples were lost while recording, .* %: no_mapping 24$' "$work/out" || fail "losses are not in the head"
clickhouse "INSERT INTO slices SELECT day, slice, host, hostname, labels, session, start, stop, wall_ms, cpus, kernel, cpu_type, mhz,
	tool, clock_ahead_ms, sampled, stored, lost, lost_by, rows, sum_hits, stack_rows, stack_hits, 0, manifest, version + 1
	FROM slices FINAL LIMIT 1" oprofile
opfleet top || fail "top"
grep -q '^1 slice is not complete, of 8: there may be more samples$' "$work/out" || fail "the head has no open slice"

# A day whose samples were dropped is in function_days only.
# The accounts of chosen programs are then those of all sessions of their hosts.
ask_of_days() {
	answers | grep -vE '"(slices|cores)": |samples were lost|not complete'
	opfleet top --format=json --day=2025-11-25 || fail "top of a day"
	cat "$work/out"
}
answers() {
	for words in "--day=2025-11-25 --app=program" "--day=2025-11-25 --release=r1" "--app=program --release=r2" --image=gone.so; do
		opfleet top --format=json $words || fail "top $words"
		cat "$work/out"
	done
	opfleet diff --format=json --app=program --release r1 r2 || fail "diff of days"
	cat "$work/out"
}
# New accounts have the days added up with the row that was inserted above.
clickhouse "INSERT INTO slices SELECT day, slice, host, hostname, labels, session, start, stop, wall_ms, cpus, kernel, cpu_type, mhz,
	tool, clock_ahead_ms, sampled, stored, lost, lost_by, rows, sum_hits, stack_rows, stack_hits, sealed, manifest, version + 1
	FROM slices FINAL" oprofile
opfleet nightly || fail "nightly of what was added"
ask_of_days >"$work/kept"
[ "$(grep -c '"hosts": [1-9]' "$work/kept")" -gt 20 ] || fail "answers have no hosts"
clickhouse "ALTER TABLE samples DROP PARTITION 20251125" oprofile
ask_of_days >"$work/dropped"
cmp "$work/dropped" "$work/kept" >"$work/diff.log" || fail "samples that were dropped are missing"
clickhouse "ALTER TABLE samples DROP PARTITION 20251126" oprofile
ask_of_days >"$work/dropped"
cmp "$work/dropped" "$work/kept" >"$work/diff.log" || fail "samples that were dropped are missing, of several days"

# Words that match nothing, and days that do not exist.
refused "--host=x' OR 1=1 --: the server has none" top --host="x' OR 1=1 --"
refused '--app=a.b: the server has none' top --app="$(printf 'a\nb')"
refused '--release=: the server has none\|--release=r9: the server has none' top --release=r9
refused '--event=CYC: the server has none; it has CYCLES:100000:0:1:1' top --event=CYC
refused 'not a day like' top --day="2025-11-25' OR '1"
refused 'not one of text, json, csv' top --format=xml
refused 'no samples of 2024-01-01 to 2024-01-01 match' top --day=2024-01-01
refused 'has no build-id' symbolize --image="$work/program.c"
refused '--release is for the binaries of --image' symbolize --release=r1
