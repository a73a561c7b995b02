#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever happens on the way, the sums of the server are those of the sessions: $HOSTS (20) hosts whose sessions grow in five
# rounds, through a network that cuts, loses and repeats requests, with $SERVER_KILLS (10) and $PUSHER_KILLS (50). Called by
# `make bench-fleet-exactness` in the build directory; prints a section for doc/bench.md.
set -eu
build=$PWD
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/clickhouse.sh"
work=$(mktemp -d)
trap 'stop_clickhouse; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
start_clickhouse "$work/server" || { echo "fleet_exactness.sh: $clickhouse_refusal" >&2; exit 1; }
stop_clickhouse
cat <<END
## Exactness of a fleet

Printed by \`make bench-fleet-exactness\` (\`tests/bench/fleet_exactness.sh\`): sessions that grow in five rounds,
pushed by 8 pushers at a time. Of the INSERTs one in five is cut in its body, one in ten loses its answer, and each
is sent up to two times more, later and in any order. Pushers and server are killed with SIGKILL. The sums of the
sessions are added up from the descriptions that they were made of.

END
python3 "$here/fleet_exactness.py" "$build" "$work/server" "$work" "${HOSTS:-20}" "${SERVER_KILLS:-10}" "${PUSHER_KILLS:-50}"
