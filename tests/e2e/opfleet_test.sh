#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# opfleet on a real server: tables are made once, what is wrong is refused in one line, no secret is printed.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/clickhouse.sh"
start_clickhouse "$work/server" || { echo "skipped: $clickhouse_refusal"; exit 77; }
url=$clickhouse_url
opfleet() { "$build/opfleet" "$@" >"$work/out" 2>"$work/opfleet.log"; }

# refused PATTERN WORDS...: opfleet fails with that one line
refused() {
	pattern=$1
	shift
	! opfleet "$@" || fail "opfleet $* should fail"
	[ "$(wc -l <"$work/opfleet.log")" = 1 ] || fail "opfleet $*: not one line"
	grep -q -- "$pattern" "$work/opfleet.log" || fail "opfleet $*: no line with $pattern"
}

refused 'give a verb'
refused 'no verb nonsense' nonsense
refused 'give the server: --to' init
refused 'plain http would send' init --to=http://u@192.0.2.1/d
refused 'has a password in it' init --to="http://u:hidden@127.0.0.1/d"
! grep -q hidden "$work/opfleet.log" || fail "a password is printed"

for verb in '' init symbolize top diff hosts images coverage show flame nightly retain; do
	opfleet $verb --usage || fail "opfleet $verb --usage"
	grep -q "^Usage: opfleet $verb" "$work/out" || fail "opfleet $verb --usage prints no usage"
	opfleet $verb --help && grep -q -- '--version' "$work/out" || fail "opfleet $verb --help"
	opfleet $verb --version && grep -q ": oprofile-ng [0-9]" "$work/out" || fail "opfleet $verb --version"
done

opfleet init --to="$url" || fail "init"
grep -q '^http://default@127.0.0.1:[0-9]*/oprofile, ClickHouse [0-9.]*: made samples, ' "$work/out" || fail "init prints no tables"
opfleet init --to="$url" || fail "a second init"
grep -q 'all tables are there' "$work/out" || fail "a second init makes tables"
[ "$(clickhouse 'SELECT count() FROM schema_versions' oprofile)" = 1 ] || fail "one version is recorded"
if clickhouse 'SELECT version()' | grep -q '^18'; then
	refused 'cannot drop rows by itself' init --keep-days=30 --to="$url"
else
	opfleet init --keep-days=30 --to="${url}_kept" || fail "init --keep-days"
fi

# A host other than loopback, only on request. 0.0.0.0 reaches this machine, too.
open=http://default@0.0.0.0:$clickhouse_port/oprofile
refused 'plain http would send' init --to="$open"
no_proxy=0.0.0.0 opfleet init --insecure-http --to="$open" || fail "init --insecure-http"

# Passwords come from a file that nobody else can read.
user=http://pusher@127.0.0.1:$clickhouse_port/secret
echo 'secret of the test' >"$work/password"
chmod 0644 "$work/password"
refused 'a secret that others can read' init --to="$user" --password-file="$work/password"
chmod 0600 "$work/password"
opfleet init --to="$user" --password-file="$work/password" || fail "init with a password"
refused 'Password required\|Authentication failed' init --to="$user"
echo 'another one' >"$work/password"
refused 'Wrong password\|Authentication failed' init --to="$user" --password-file="$work/password"
! grep -rq 'secret of the test\|another one' "$work/opfleet.log" "$work/out" || fail "a password is printed"

# Tables of an older version get what they lack, those of a newer one stay as they are.
# older VERSION: the tables are said to be of that version
older() {
	clickhouse 'DROP TABLE schema_versions' oprofile
	clickhouse 'CREATE TABLE schema_versions (version UInt32) ENGINE = ReplacingMergeTree() ORDER BY version' oprofile
	clickhouse "INSERT INTO schema_versions VALUES ($1)" oprofile
}
# by_event NAME: a table of days as version 2 had it, with two versions of 20,000 rows in each of two months
by_event() {
	clickhouse "CREATE TABLE $1 (day Date, event UInt64, image UInt64, func UInt64, app UInt64, host UInt64, hits UInt64, version UInt64)
		ENGINE = ReplacingMergeTree(version) PARTITION BY toYYYYMM(day) ORDER BY (event, func, image, app, host, day)" oprofile
	for version in 5 7; do
		clickhouse "INSERT INTO $1 SELECT toDate('2025-11-29') + number % 4, 1, number % 3, number, 2, 3, number + $version, $version
			FROM system.numbers LIMIT 40000" oprofile
	done
}
rows_of() { clickhouse "SELECT count(), uniqExact(day, func), sum(hits), min(version) FROM $1" oprofile; }
clickhouse 'DROP TABLE slice_files' oprofile
clickhouse 'DROP TABLE function_days' oprofile
by_event function_days
older 1
mkdir -p "$work/none/samples"
! "$build/oppush" --session-dir="$work/none" --to="$url" 2>"$work/push.log" || fail "a push to older tables"
grep -q 'tables of version 1, this program knows version 3; bring them up to it with opfleet init' "$work/push.log" ||
	fail "no remedy for older tables"
opfleet init --to="$url" || fail "init of older tables"
grep -q ': made slice_files$' "$work/out" || fail "init does not add what is missing"
# days_are_sorted: each row of the newest version once, in a table that is sorted by day
days_are_sorted() {
	[ "$(rows_of function_days)" = "$(printf '40000\t40000\t800260000\t7')" ] || fail "function_days are $(rows_of function_days)"
	clickhouse 'SHOW CREATE TABLE function_days' oprofile | grep -q 'ORDER BY (day, ' || fail "function_days are not sorted by day"
	[ "$(clickhouse "EXISTS TABLE function_days_by_event" oprofile)" = 0 ] || fail "the former table is still there"
}
days_are_sorted
# An upgrade that was cut off goes on: before the new table, and when it had a part of the rows.
by_event function_days_by_event
clickhouse 'DROP TABLE function_days' oprofile
older 2
opfleet init --to="$url" || fail "init after an upgrade that was cut off early"
days_are_sorted
by_event function_days_by_event
clickhouse 'ALTER TABLE function_days DROP PARTITION 202512' oprofile
older 2
opfleet init --to="$url" || fail "init after an upgrade that was cut off"
days_are_sorted
grep -q 'all tables are there' "$work/out" || fail "an upgrade without new tables names some"
clickhouse 'INSERT INTO schema_versions VALUES (7)' oprofile
refused 'tables of version 7, this program knows version 3' init --to="$url"

stop_clickhouse
refused 'connect' init --to="$url"
