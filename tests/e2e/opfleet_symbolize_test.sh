#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# Where opfleet symbolize finds the binaries that hosts profiled: elsewhere on this machine, below another root, at a server
# of debuginfod; and without the sandbox. Each time the file of the very build, or none.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/clickhouse.sh"
here=$(cd "${srcdir:-.}" && pwd)/tests/e2e
for needed in cc nm readelf; do
	command -v "$needed" >/dev/null || { echo "skipped: no $needed here"; exit 77; }
done
start_clickhouse "$work/server" || { echo "skipped: $clickhouse_refusal"; exit 77; }
unset DEBUGINFOD_URLS http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
export DEBUGINFOD_CACHE_PATH="$work/cache"
symbolize() { "$build/opfleet" symbolize --to="$clickhouse_url" "$@" >"$work/out" 2>"$work/opfleet.log" || fail "symbolize $*"; }

# Five builds of a program, at five paths, each profiled on a host.
builds='looked-for rooted served open other'
cat >"$work/program.c" <<'END'
__attribute__((noinline)) int parse(int x) { volatile int sum = x; for (int i = 0; i < TURNS; ++i) sum += i; return sum; }
int main(int argc, char **argv) { (void)argv; return parse(argc); }
END
"$build/opfleet" init --to="$clickhouse_url" >/dev/null || fail "init"
turns=1
for build_name in $builds; do
	mkdir "$work/$build_name"
	cc -g -O1 -Wl,--build-id=sha1 -DTURNS="$turns" -o "$work/$build_name/program" "$work/program.c" || fail "program.c"
	python3 "$here/fleet_hosts.py" "$work/$build_name/program" "host$turns" "$turns" "$work/spec" parse=100 || fail "no session"
	"$tests/golden/make_session" "$work/spec" "$work/s$turns"
	"$build/oppush" --session-dir="$work/s$turns" --to="$clickhouse_url" >"$work/push.log" 2>&1 || fail "push"
	turns=$((turns + 1))
done
# named: the builds that have names, as symbolize printed them
named() { sed -n "s|^$work/\(.*\)/program: names and lines, .*|\1|p" "$work/out" | LC_ALL=C sort | tr '\n' ' '; }

id=$(readelf -n "$work/served/program" | awk '/Build ID/ { print $3 }')
mkdir -p "$work/www/buildid/$id" "$work/root/$work/rooted" "$work/found"
mv "$work/rooted/program" "$work/root/$work/rooted/program"
cp "$work/served/program" "$work/www/buildid/$id/executable"
mv "$work/served/program" "$work/www/buildid/$id/debuginfo"
mv "$work/looked-for/program" "$work/found/program"
mv "$work/open/program" "$work/kept"
rm "$work/other/program"

symbolize
[ -z "$(named)" ] || fail "names of binaries that are not here: $(named)"
[ "$(grep -c '/program: is not found' "$work/out")" = 5 ] || fail "what is missing is not said"
symbolize --image-path="$work/found"
[ "$(named)" = 'looked-for ' ] || fail "--image-path finds $(named)"
symbolize -p "$work/found" --root="$work/root"
[ "$(named)" = 'rooted ' ] || fail "--root finds $(named)"
mv "$work/kept" "$work/open/program"
symbolize --no-sandbox
[ "$(named)" = 'open ' ] || fail "--no-sandbox finds $(named)"

if ldconfig -p | grep -q libdebuginfod.so.1; then
	cat >"$work/serve.py" <<-'END'
		import functools, http.server, sys
		handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
		server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
		print(server.server_port, flush=True)
		server.serve_forever()
	END
	python3 "$work/serve.py" "$work/www" >"$work/port" 2>"$work/requests" &
	wait_beside $! 60 "the server of debuginfod has a port" [ -s "$work/port" ]
	symbolize --debuginfod="http://127.0.0.1:$(cat "$work/port")"
	[ "$(named)" = 'served ' ] || fail "--debuginfod finds $(named)"
else
	echo "skipped: no libdebuginfod.so.1 here"
fi
