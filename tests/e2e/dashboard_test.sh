#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# The queries of the dashboard for Grafana on a real server with the tables that opfleet makes: each is understood, and finds
# what was put there. Rows that were sent twice count once.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/clickhouse.sh"
dashboard=${srcdir:-.}/fleet/grafana/dashboard.json
start_clickhouse "$work/server" || { echo "skipped: $clickhouse_refusal"; exit 77; }
"$build/opfleet" init --to="$clickhouse_url" >"$work/init.log" 2>&1 || fail "init"
insert() { clickhouse "INSERT INTO $1 VALUES $2" oprofile || fail "rows for $1"; }

insert events "(1, 'TIMER', 1000000, 0, 1, 1, 1), (2, 'OTHER', 5000, 0, 1, 1, 1)"
insert "images (image, path, version)" "(10, '/bin/a', 1), (11, '/lib/c', 1)"
insert function_names "(100, 'spin'), (101, 'write it')"
insert "locations (image, place, func, version)" "(10, 16, 101, 1), (10, 16, 100, 2), (10, 32, 100, 1), (11, 8, 101, 1)"
for i in 1 2; do # a push that was repeated, and one that went on
	insert "slices (day, slice, host, hostname, sampled, stored, lost, sealed, version)" \
		"('2026-11-24', 5, 1, 'web\\'1', 60, 60, 0, 0, $i), ('2026-11-25', 6, 2, 'db', 50, 40, 10, 1, 1)"
	insert "samples (day, event, image, place, app, host, slice, hits)" \
		"('2026-11-24', 1, 10, 16, 10, 1, 5, $((i * 10))), ('2026-11-24', 1, 10, 32, 10, 1, 5, 5), ('2026-11-25', 1, 11, 8, 10, 2, 6, 30), ('2026-11-25', 1, 11, 9, 11, 2, 6, 10), ('2026-11-25', 2, 11, 8, 10, 2, 6, 999), ('2026-10-01', 1, 10, 16, 10, 1, 5, 777)"
done

# Grafana's macros, as its data source for ClickHouse replaces them
python3 - "$dashboard" "$work" <<'END' || fail "the dashboard"
import json, re, sys
board = json.load(open(sys.argv[1]))
queries = [panel["targets"][0]["rawSql"] for panel in board["panels"]]
queries += [v["query"] for v in board["templating"]["list"] if v["type"] == "query"]
assert len({p["id"] for p in board["panels"]}) == len(board["panels"]) >= 6
for i, sql in enumerate(queries):
    sql = re.sub(r"\$__dateFilter\((\w+)\)", r"\1 >= toDate('2026-11-20') AND \1 <= toDate('2026-11-26')", sql)
    sql = sql.replace("${event:singlequote}", "'TIMER'")
    assert "$" not in sql, sql
    open("%s/%d.sql" % (sys.argv[2], i), "w").write(sql)
END
for query in "$work"/[0-9].sql; do
	clickhouse "$(cat "$query")" oprofile >"${query%.sql}.out" 2>"$work/query.log" || fail "query ${query##*/}: $(cat "$query")"
done
tab=$(printf '\t')
# expect N LINE: query N has that line
expect() { grep -qxF "$(printf '%s' "$2" | tr '|' "$tab")" "$work/$1.out" || fail "query $1 has no line $2: $(cat "$work/$1.out")"; }
expect 0 "2026-11-24 00:00:00|web\\'1|60"
expect 0 '2026-11-25 00:00:00|db|40'
expect 1 '2026-11-25 00:00:00|db|0.2'
expect 2 'spin|/bin/a|25'
expect 2 'write it|/lib/c|30'
expect 3 '2026-11-24 00:00:00|/bin/a|25'
expect 3 '2026-11-25 00:00:00|/lib/c|10'
expect 4 '/bin/a|1|25'
expect 4 '/lib/c|0.75|40'
expect 5 "web\\'1|2026-11-24|1|60|0"
expect 5 'db|2026-11-25|0|40|10'
expect 6 TIMER
echo "$(ls "$work"/[0-9].sql | wc -l) queries"
