#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Several machines on one: fleet.sh SOURCE-DIRECTORY, run in the directory of a build. Starts a ClickHouse server, profiles two
# releases of the shop under the names of three hosts, pushes the sessions, symbolizes them and asks what the releases cost.
# Stops the server and removes its files. `./quickstart fleet` runs it. The exit status is 77 where there is no server.
set -eu
build=$PWD
. "$1/tests/e2e/clickhouse.sh"
work=$(mktemp -d)
trap 'stop_clickhouse; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP PIPE
hosts='web-1 web-2 web-3'
export XDG_STATE_HOME="$work" # where operf notes that a line was printed today

say() { printf '\n%s\n' "$*"; }
# run COMMAND...: shows it, then what it prints.
run() {
	printf '$ %s\n' "$*" | sed "s|$url|\$url|; s|$work/||g"
	command=$1
	shift
	"$build/$command" "$@"
}

say "A ClickHouse server on loopback, with a directory of its own"
start_clickhouse "$work/server" || { echo "skipped: $clickhouse_refusal"; exit 77; }
url=$clickhouse_url
echo "url=$url"
run opfleet init --to="$url"

# The programs have to stay where they were profiled: names come from the very build.
for release in 1.0 2.0; do
	mkdir "$work/$release"
	say "Release $release of the shop, profiled under the names of three hosts, and pushed"
	cp "$build/tests/demo/release-$release/shop" "$work/$release/shop"
	for host in $hosts; do
		dir=$work/$host-$release
		mkdir "$dir"
		"$build/operf" --session-dir="$dir" "$work/$release/shop" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
		run oppush --session-dir="$dir" --host="$host" --to="$url"
	done
done
cd "$work"
say "Names of functions, once for each build; elsewhere a build server does this"
for release in 1.0 2.0; do
	run opfleet symbolize --to="$url" --image="$release/shop" --release="$release"
done
say "What costs most, on all hosts?"
run opfleet top --to="$url" --app=shop --limit=6
say "What has release 2.0 changed?"
run opfleet diff --to="$url" --app=shop --limit=6 --release 1.0 2.0
