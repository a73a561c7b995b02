#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# oppush by the standard roads: to a stub that enforces Pyroscope's limits, to one of OTLP whose requests are decoded twice,
# and to a directory. Everything arrives, once, and the counts are those of opreport.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_profiling
[ -x "$build/oppush" ] || { echo "skipped: built without libcurl"; exit 77; }
stubs=${srcdir:-.}/tests/e2e
export PYTHONDONTWRITEBYTECODE=1
servers=
own_program
s=$work/s
mkdir "$s"
profile first --session-dir "$s" --events TIMER:100000 "$program" plain 800 || fail "operf"
name=fleet-$(date -u +%Y%m%dT%H%M%SZ)
cp -r "$s/samples/current" "$s/samples/$name"
stored=$(sed -n 's/.*"stored": *\([0-9]*\).*/\1/p' "$s/samples/$name/manifest.json")
three_parts=$(samples_of "$s" three_parts session:$name)

# serve NAME [busy] [password]: a stub; its port is in $port
serve() {
	mkdir "$work/$1"
	python3 "$stubs/stub_roads.py" "$work/$@" >"$work/$1.port" 2>"$work/$1.log" &
	servers="$servers $!"
	wait_beside $! 60 "the stub has a port" [ -s "$work/$1.port" ]
	port=$(cat "$work/$1.port")
}
push() {
	log=$work/push.log
	"$build/oppush" --session-dir "$s" "$@" >"$log" 2>&1
}

# Refusals
push && fail "without a target"
for target in "gopher://127.0.0.1/x" "ftp://x" "file:" "pyroscope+http://example.org:4040" "otlp+gopher://x"; do
	push --to="$target" && fail "$target was accepted"
	grep -q '^oppush error: ' "$log" || fail "$target: no reason is given"
done
push --to="file:$work/d" current && fail "what is being recorded was pushed"
push --to="file:$work/d" ../x && fail "a path was taken for a session"

# To a directory, twice
push --to="file:$work/d" --host=../evil || fail "file:"
files=$(cd "$work/d" && find . -type f)
echo "$files"
[ "$(echo "$files" | grep -c "^./_../\|^./_\.\._evil/$(date -u +%Y)-[0-9-]*/$name\.[0-9]*\..*\.pb\.gz$")" = "$(echo "$files" | wc -l)" ] ||
	fail "names of files"
! echo "$files" | grep libc || fail "a part is of a library, not of an application"
! echo "$files" | grep -v program || fail "a part is of another application"
push --to="file:$work/d" || fail "again"
grep -q ': nothing new, [0-9]* parts* pushed before$' "$log" || fail "pushed again what is there"

# To a directory in which others write: a link in the place of a host is not followed
mkdir "$work/shared" "$work/elsewhere"
ln -s "$work/elsewhere" "$work/shared/web"
push --to="file:$work/shared" --host=web && fail "a link was followed"
grep -q "^oppush error: .*$work/shared/web" "$log" || fail "a link is not named: $(cat "$log")"
[ -z "$(ls "$work/elsewhere")" ] || fail "written through a link"
rm "$work/shared/web"
push --to="file:$work/shared" --host=web || fail "without the link"
[ -n "$(ls "$work/shared/web")" ] || fail "nothing written"

# To Pyroscope, which is busy at first; its user is asked for a password
serve pyroscope 2 me:secret
printf 'wrong\n' >"$work/password"
chmod 0600 "$work/password"
push --to="pyroscope+http://me@127.0.0.1:$port" --password-file="$work/password" && fail "the wrong password"
grep -q 'status 401: wrong password' "$log" || fail "the refusal is not reported"
printf 'secret\n' >"$work/password"
push --to="pyroscope+http://me@127.0.0.1:$port" --password-file="$work/password" || fail "pyroscope"
! grep -q secret "$log" || fail "a secret in the log"
[ "$(ls "$work/pyroscope" | grep -c 'program.pb.gz')" -ge 1 ] || fail "no profile of the program: $(ls "$work/pyroscope")"
before=$(ls "$work/pyroscope" | wc -l)
push --to="pyroscope+http://me@127.0.0.1:$port" --password-file="$work/password" || fail "again"
[ "$(ls "$work/pyroscope" | wc -l)" = "$before" ] || fail "counted twice"
sum=$(python3 - "$stubs" "$work"/pyroscope/*.pb.gz <<'END'
import gzip, sys
sys.path.insert(0, sys.argv[1])
from stub_roads import fields
total = 0
for path in sys.argv[2:]:
    for number, value in fields(gzip.decompress(open(path, "rb").read())):
        if number == 2:
            for inner, packed in fields(value):
                if inner == 2:
                    n = shift = 0
                    for byte in packed:
                        n |= (byte & 127) << shift
                        shift += 7
                        if byte < 128:
                            total += n  # the first value: samples; then their nanoseconds
                            break
print(total)
END
)
[ "$sum" = "$stored" ] || fail "pprof has $sum samples, the session $stored"

# By OTLP, decoded by hand and by protoc
serve otlp 1
push --to="otlp+http://127.0.0.1:$port" || fail "otlp"
python3 "$stubs/otlp_sums.py" "$work"/otlp/* >"$work/sums" || fail "the request is not sound"
[ "$(sed -n 's/ all$//p' "$work/sums")" = "$stored" ] || fail "OTLP has $(sed -n 's/ all$//p' "$work/sums") samples, the session $stored"
[ "$(sed -n 's/ three_parts$//p' "$work/sums")" = "$three_parts" ] || fail "three_parts: $(cat "$work/sums")"
if command -v protoc >/dev/null; then
	for request in "$work"/otlp/*; do protoc --decode_raw <"$request" || fail "protoc"; done >"$work/raw"
	# values are packed: bytes of varints, or a message to who does not know better; the strings have to be there
	grep -q '"three_parts"' "$work/raw" || fail "protoc does not find the function"
	[ "$(grep -c '^1 {' "$work/raw")" = "$(ls "$work/otlp" | wc -l)" ] || fail "protoc finds other resources"
	echo "protoc: $(wc -l <"$work/raw") lines"
else
	echo "protoc: skipped, not installed"
fi

# Whole call stacks, by both protocols
profile second --session-dir "$s" --callgraph --events TIMER:200000 "$program" plain 300 || fail "operf --callgraph"
cp -r "$s/samples/current" "$s/samples/stacks"
stored=$(sed -n 's/.*"stored": *\([0-9]*\).*/\1/p' "$s/samples/stacks/manifest.json")
serve otlp_stacks
push --to="otlp+http://127.0.0.1:$port" stacks || fail "stacks by otlp"
push --to="pyroscope+http://127.0.0.1:$port" stacks || fail "stacks by pyroscope"
python3 "$stubs/otlp_sums.py" "$work"/otlp_stacks/*.otlp >"$work/sums" || fail "the request with stacks is not sound"
[ "$(sed -n 's/ all$//p' "$work/sums")" = "$stored" ] || fail "OTLP has $(sed -n 's/ all$//p' "$work/sums") stacks, the session $stored samples"

# A server that is not there: what was not sent is sent later
kill $servers 2>/dev/null || true
wait $servers 2>/dev/null || true
push --to="pyroscope+http://127.0.0.1:$port" "$name" && fail "no server"
grep -q '^oppush error: http://127.0.0.1:' "$log" || fail "that is not reported"
echo "three_parts $three_parts samples, the same by all roads; $stored stacks"
