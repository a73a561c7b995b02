#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# Names and lines from a debuginfod server: found by build-id, only on request; a server that refuses is reported once.
. "${srcdir:-.}/tests/e2e/lib.sh"
for tool in cc objcopy strip readelf python3; do
	command -v $tool >/dev/null || { echo "skipped: no $tool here"; exit 77; }
done
python3 -c 'import http.server' 2>/dev/null || { echo "skipped: python3 here has no HTTP server"; exit 77; }
ldconfig -p | grep -q libdebuginfod.so.1 || { echo "skipped: no libdebuginfod.so.1 here"; exit 77; }
need_profiling

cat >"$work/spin.c" <<'END'
volatile unsigned long sink;
static __attribute__((noinline)) void hidden_name(unsigned long n) { while (n--) sink += n; }
int main(int argc, char **argv) { (void)argv; hidden_name(argc * 300000000ul); return 0; }
END
cc -g -O1 -Wl,--build-id -o "$work/spin" "$work/spin.c"
id=$(readelf -n "$work/spin" | awk '/Build ID/ { print $3 }')
mkdir -p "$work/www/buildid/$id"
objcopy --only-keep-debug "$work/spin" "$work/www/buildid/$id/debuginfo"
strip "$work/spin"
cp "$work/spin" "$work/www/buildid/$id/executable"
mkdir "$work/session"
profile spin --session-dir "$work/session" --events TIMER:1000000 "$work/spin" || fail "operf"

cat >"$work/serve.py" <<'END'
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.HTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
server.serve_forever()
END
python3 "$work/serve.py" "$work/www" >"$work/port" 2>"$work/requests" &
server=$!
wait_beside $server 60 "the server has a port" [ -s "$work/port" ]
url=http://127.0.0.1:$(cat "$work/port")
unset DEBUGINFOD_URLS http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
export DEBUGINFOD_CACHE_PATH="$work/cache"

# report [words]: opreport -l -g; messages in report.log
report() {
	"$build/opreport" --session-dir "$work/session" -l -g "$@" 2>"$work/report.log" >"$work/report"
}

report || fail "opreport without a server"
! grep -q hidden_name "$work/report" || fail "the name is known without a server"
grep -q "spin (.* % of the samples) has .*; install its debug symbols" "$work/report.log" || fail "no note explains the missing name"
[ ! -s "$work/requests" ] || fail "a server was asked though nobody named it"

report --debuginfod "$url" || fail "opreport --debuginfod"
grep -q "spin.c:2 .*hidden_name" "$work/report" || fail "no name and line from the server"
DEBUGINFOD_URLS=$url report || fail "opreport with DEBUGINFOD_URLS"
grep -q "spin.c:2 .*hidden_name" "$work/report" || fail "no name and line with DEBUGINFOD_URLS"

# The program itself is gone: it is fetched by the build-id that the session recorded.
mv "$work/spin" "$work/moved"
report --debuginfod "$url" || fail "opreport without the program"
grep -q "spin.c:2 .*hidden_name" "$work/report" || fail "the program was not fetched"

# Another build has its place: reports and archives fetch the profiled one.
cp "$(command -v cat)" "$work/spin"
report --debuginfod "$url" || fail "opreport with another build in place of the program"
grep -q "spin.c:2 .*hidden_name" "$work/report" || fail "the profiled build was not fetched"
"$build/oparchive" --session-dir "$work/session" --debuginfod "$url" -o "$work/archive" 2>"$work/archive.log" || fail "oparchive"
cmp "$work/archive$work/spin" "$work/moved" || fail "the profiled build is not in the archive"
mv "$work/moved" "$work/spin"

kill $server
rm -rf "$work/cache"
DEBUGINFOD_RETRY_LIMIT=1 report --debuginfod "$url" || fail "a server that is gone ends the report"
[ "$(grep -c debuginfod: "$work/report.log")" = 1 ] || fail "a server that is gone is not reported exactly once"
