#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# opfleet flame: the call stacks of hosts and days are those that opreport prints of the sessions, with the names that the
# server has; several hosts add up.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/clickhouse.sh"
here=$(cd "${srcdir:-.}" && pwd)/tests
command -v readelf >/dev/null || { echo "skipped: no readelf here"; exit 77; }
command -v cc >/dev/null || { echo "skipped: no cc here"; exit 77; }
start_clickhouse "$work/server" || { echo "skipped: $clickhouse_refusal"; exit 77; }
url=$clickhouse_url
opfleet() { verb=$1; shift; "$build/opfleet" "$verb" --to="$url" "$@" >"$work/out" 2>"$work/opfleet.log"; }
refused() {
	pattern=$1
	shift
	! opfleet "$@" || fail "opfleet $* should fail"
	grep -q -- "$pattern" "$work/opfleet.log" || fail "opfleet $*: no line with $pattern"
}

cat >"$work/program.c" <<'END'
__attribute__((noinline)) int leaf(int x) { volatile int sum = x; for (int i = 0; i < 9; ++i) sum += i; return sum; }
__attribute__((noinline)) int middle(int x) { return leaf(x) + 1; }
__attribute__((noinline)) int other(int x) { volatile int value = x; value ^= 7; return value; }
int main(int argc, char **argv) { (void)argv; return middle(argc) + leaf(argc) + other(argc); }
END
cc -g -O1 -fno-inline -fno-ipa-icf -Wl,--build-id=sha1 -o "$work/program" "$work/program.c" || fail "program.c"

# session HOST TIME FACTOR: stacks of the program, so many times
session() {
	python3 - "$work/program" "$1" "$2" "$3" >"$work/spec" <<'END' || fail "no session"
import json, re, subprocess, sys
program, host, time, factor = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
at = {}
for line in subprocess.check_output(["nm", program], text=True).splitlines():
    words = line.split()
    if len(words) == 3: at[words[2]] = int(words[0], 16)
build_id = re.search(r"Build ID: ([0-9a-f]+)", subprocess.check_output(["readelf", "-n", program], text=True)).group(1)
kind = "TIMER.1000000.0.all.all.all"
main, middle, leaf, other = (at[name] for name in ("main", "middle", "leaf", "other"))
print("cpu_type 4\nfile {root}%s/{dep}/{root}%s/%s\nheader count=1000000" % (program, program, kind))
flat = {leaf + 4: 50, leaf + 8: 20, other + 4: 9, main + 4: 5}
for place, n in flat.items(): print("%#x %d" % (place, n * factor))
print("file {root}%s/{dep}/{root}/lib/gone.so/%s\nheader count=1000000\n0x1000 %d" % (program, kind, 3 * factor))
print("stacks " + kind)
for n, frames in ((40, (main + 8, middle + 4, leaf + 4)), (10, (main + 12, leaf + 4)), (20, (main + 8, middle + 4, leaf + 8)),
                  (9, (main + 16, other + 4)), (3, (main + 5,))):
    print("stack %d root %s %s" % (n * factor, program, " ".join("%#x" % frame for frame in frames)) if n != 3
          else "stack %d dump_short %s %#x /lib/gone.so+0x1000" % (n * factor, program, main + 8))
total = (sum(flat.values()) + 3) * factor
print("text manifest.json " + json.dumps({"format": 1, "host": host, "start_time": time, "stop_time": time + 60, "kernel_release": "6.1",
    "events": [{"name": "TIMER", "count": 1000000}], "ledger": {"sampled": total, "stored": total},
    "images": {program: {"build_id": build_id}, "/lib/gone.so": {"build_id": "ab" * 20}}}))
END
	rm -rf "$work/session.$1"
	"$tests/golden/make_session" "$work/spec" "$work/session.$1"
	"$build/oppush" --session-dir="$work/session.$1" --to="$url" >"$work/push.out" 2>"$work/push.log" || fail "push of $1"
}
# same_stacks HOST FACTOR WORDS...: what opfleet flame has is what opreport has of that host, so many times
same_stacks() {
	host=$1 factor=$2
	shift 2
	"$build/opreport" --session-dir="$work/session.$host" --format=folded -o "$work/of_session" 2>"$work/opreport.log" || fail "opreport"
	awk -v factor="$factor" '{ n = $NF * factor; sub(/[0-9]+$/, ""); print $0 n }' "$work/of_session" | LC_ALL=C sort >"$work/expected"
	opfleet flame "$@" -o "$work/folded" || fail "flame $*"
	LC_ALL=C sort "$work/folded" >"$work/stacks"
	diff "$work/expected" "$work/stacks" >"$work/diff.log" || fail "flame $*: other stacks than opreport's"
}

"$build/opfleet" init --to="$url" >/dev/null || fail "init"
refused 'has no session yet' flame
session one 1764028800 1
session two 1764028800 3
opfleet flame --host=one || fail "flame without names"
grep -q '^program;\[program\];\[program\];\[program\] ' "$work/out" || fail "names that the server does not have"
opfleet symbolize --image="$work/program" --release=r1 || fail "symbolize"
same_stacks one 1 --host=one
same_stacks one 4
same_stacks one 3 --host=two --day=2025-11-25
grep -q '^program;main;middle;leaf 180$' "$work/folded" || fail "no stack of known functions"

# Only the stacks that end in an image.
opfleet flame --image=gone.so -o "$work/folded" || fail "flame --image"
[ "$(wc -l <"$work/folded")" = 1 ] || fail "stacks that end elsewhere"
grep -q '\[gone.so\] 12$' "$work/folded" || fail "no stack that ends in the image"

# The other formats hold the same samples.
opfleet flame --format=pprof -o "$work/profile.pb.gz" || fail "flame --format=pprof"
python3 -c 'import gzip, sys
data = gzip.decompress(open(sys.argv[1], "rb").read())
sys.exit(not all(word in data for word in (b"leaf", b"middle", b"gone.so", b"TIMER")))' "$work/profile.pb.gz" || fail "the profile lacks names"
opfleet flame --format=html -o "$work/page.html" || fail "flame --format=html"
grep -q '<html' "$work/page.html" || fail "no page"
python3 -c 'import base64, gzip, json, re, sys
page = open(sys.argv[1]).read()
facts = json.loads(gzip.decompress(base64.b64decode(re.search(r"id=\"data-facts\"[^>]*>([^<]*)<", page).group(1))))
sys.exit("2 hosts" not in json.dumps(facts))' "$work/page.html" || fail "the page does not have the hosts"

# What is wrong is refused in a line, and no file is made.
refused 'not one of folded, pprof, html' flame --format=svg -o "$work/none"
refused 'takes no further words' flame word
refused 'host' flame --host=nobody -o "$work/none"
[ ! -e "$work/none" ] || fail "a file without samples"

# Stacks whose callers are gone, or lead in a circle, are reported, and their samples are there without them.
clickhouse "INSERT INTO stack_samples SELECT day, event, toUInt64(77), app, host, slice, tgid, cpu, toUInt64(2) FROM stack_samples LIMIT 1" oprofile
clickhouse "INSERT INTO stacks VALUES (77, 78, 1, 1, 0)" oprofile
clickhouse "INSERT INTO stacks VALUES (78, 77, 1, 1, 3)" oprofile
opfleet flame -o "$work/folded" || fail "flame with a circle"
grep -q 'does not have the whole stacks of 2 samples' "$work/opfleet.log" || fail "a circle is taken for a stack"
