#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# The package of a binary, by its own note or by dpkg's database: opfleet symbolize stores it, opfleet images shows it, and
# a file that is not known to be of the package has no package.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/clickhouse.sh"
for needed in cc strip readelf md5sum python3; do
	command -v "$needed" >/dev/null || { echo "skipped: no $needed here"; exit 77; }
done
start_clickhouse "$work/server" || { echo "skipped: $clickhouse_refusal"; exit 77; }
unset DEBUGINFOD_URLS http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
opfleet() {
	verb=$1
	shift
	"$build/opfleet" "$verb" --to="$clickhouse_url" "$@" >"$work/out" 2>"$work/opfleet.log" || fail "$verb $*"
}

# A program with the note, as linkers make it with --package-metadata, and programs without: one of no package, one as dpkg
# installed it, one that was changed after that and still has its build-id.
cat >"$work/program.c" <<'END'
__attribute__((noinline)) int parse(int x) { volatile int sum = x; for (int i = 0; i < TURNS; ++i) sum += i; return sum; }
int main(int argc, char **argv) { (void)argv; return parse(argc); }
END
cat >"$work/note.s" <<'END'
	.section .note.package,"a",%note
	.balign 4
	.long 2f-1f, 4f-3f, 0xcafe1a7e
1:	.asciz "FDO"
2:	.balign 4
3:	.asciz "{\"type\":\"deb\",\"os\":\"debian\",\"name\":\"noted-tools\",\"version\":\"1:2.3-4+b1\",\"architecture\":\"amd64\"}"
4:	.balign 4
	.section .note.GNU-stack,"",%progbits
END
make_program() { # PATH TURNS [SOURCE]
	mkdir -p "${1%/*}"
	cc -g -O1 -Wl,--build-id=sha1 -DTURNS="$2" -o "$1" "$work/program.c" $3 || fail "program.c"
}
make_program "$work/bin/noted" 1 "$work/note.s"
make_program "$work/bin/plain" 2 ""
make_program "$work/root/usr/bin/shipped" 3 ""
make_program "$work/root/usr/bin/changed" 4 ""
dpkg=$work/root/var/lib/dpkg
mkdir -p "$dpkg/info"
printf '/.\n/bin\n/bin/shipped\n/bin/changed\n' >"$dpkg/info/made-up.list"
(cd "$work/root/usr" && md5sum bin/shipped bin/changed) >"$dpkg/info/made-up.md5sums"
printf 'Package: made-up\nStatus: install ok installed\nArchitecture: amd64\nVersion: 5.6-7\n' >"$dpkg/status"
strip -g "$work/root/usr/bin/changed"
own=$(readlink -f "$(command -v sleep)")

# A host that ran them all; each has a sample.
build_id_of() { readelf -n "$1" 2>/dev/null | awk '/Build ID/ { print $3 }'; }
python3 - "$work/bin/noted" "$(build_id_of "$work/bin/noted")" "$work/bin/plain" "$(build_id_of "$work/bin/plain")" \
	/usr/bin/shipped "$(build_id_of "$work/root/usr/bin/shipped")" /usr/bin/changed "$(build_id_of "$work/root/usr/bin/changed")" \
	"$own" "$(build_id_of "$own")" >"$work/spec" <<'END' || fail "no session"
import json, sys
builds = dict(zip(sys.argv[1::2], sys.argv[2::2]))
print("cpu_type 32\nspeed 2394")
for path in builds:
    print("file {root}%s/{dep}/{root}%s/CYCLES.100000.0.all.all.all\nheader event_code=0x3c count=100000\n0x1130 5" % (path, path))
total = 5 * len(builds)
print("text manifest.json " + json.dumps({
    "format": 1, "tool": "test 1", "command": "prog", "host": "web1", "kernel_release": "6.1", "cpu_type": 32, "cpu_speed_mhz": 2394,
    "start_time": 1764028800, "stop_time": 1764032400, "events": [{"name": "CYCLES", "count": 100000, "enabled_ns": 5, "running_ns": 5}],
    "images": {path: {"build_id": build} for path, build in builds.items()},
    "ledger": {"sampled": total, "stored": total, "lost": {}}}))
END
opfleet init
"$tests/golden/make_session" "$work/spec" "$work/session"
"$build/oppush" --session-dir="$work/session" --to="$clickhouse_url" >"$work/push.log" 2>&1 || fail "push"

# packages: "IMAGE RELEASE PACKAGE VERSION" of the images here, '-' for what is not known
packages() {
	opfleet images --format=json
	python3 -c 'import json, sys
for row in json.load(sys.stdin)["rows"]:
    print(row["image"].rsplit("/", 1)[1], *[row[key] or "-" for key in ("release", "package", "package_version")])' <"$work/out" |
		grep -v "^${own##*/} " | LC_ALL=C sort
}
expect() { # WHEN ROWS: what packages() has to print
	packages >"$work/rows"
	printf '%s\n' "$2" | cmp -s - "$work/rows" || fail "$1: $(cat "$work/rows")"
}
expect "before symbolize" "changed - - -
noted - - -
plain - - -
shipped - - -"

# The release and the package of a binary come one after the other, and neither takes the other away.
opfleet symbolize --image="$work/bin/noted,$work/bin/plain" --release=r1
grep -q "^$work/bin/noted: names and lines, .*, of package noted-tools 1:2.3-4+b1\$" "$work/out" || fail "symbolize prints no package"
grep -q "^$work/bin/plain: names and lines, .*new place\$" "$work/out" || fail "plain has a package: $(cat "$work/out")"
opfleet symbolize --root="$work/root"
after="changed - - -
noted r1 noted-tools 1:2.3-4+b1
plain r1 - -
shipped - made-up 5.6-7"
expect "after symbolize" "$after"
opfleet symbolize --image="$work/root/usr/bin/shipped" --release=r2
after=$(printf '%s\n' "$after" | sed 's/^shipped -/shipped r2/')
expect "after --release" "$after"

# What is known stays, wherever the next look is made.
rm -r "$dpkg"
opfleet symbolize --root="$work/root"
opfleet symbolize --image="$work/root/usr/bin/shipped"
expect "without the database" "$after"

opfleet images
grep -q '^samples .* image  *package  *version  *remark$' "$work/out" || fail "text has no columns for packages"
grep -q '/noted  *noted-tools  *1:2.3-4+b1$' "$work/out" || fail "text has no package"
opfleet images --format=csv
head -n 1 "$work/out" | grep -qx 'samples,percent,named_percent,hosts,release,build_id,quality,image,package,package_version,paths,remark' ||
	fail "columns of csv have changed"
grep -q ",$work/bin/noted,noted-tools,1:2.3-4+b1,$work/bin/noted," "$work/out" || fail "csv has no package"

# This machine's own sleep, if it is as dpkg installed it.
owner=$(dpkg -S "$own" 2>/dev/null || dpkg -S "${own#/usr}" 2>/dev/null) || { echo "skipped: sleep is of no package here"; exit 0; }
owner=${owner%%:*}
dpkg --verify "$owner" 2>/dev/null | grep -q "/${own##*/}\$" && { echo "skipped: sleep was changed here"; exit 0; }
opfleet symbolize
opfleet images --format=csv
grep -qF ",$own,$owner,$(dpkg-query -W -f '${Version}' "$owner"),$own," "$work/out" || fail "sleep is not of $owner"
