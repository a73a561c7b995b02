#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A ClickHouse server for a test: Debian's package, on loopback, in a directory of its own, with little memory, as the user
# who runs the test. To be sourced; the caller stops it in its trap:
#   . tests/e2e/clickhouse.sh
#   trap stop_clickhouse EXIT INT TERM
#   start_clickhouse DIRECTORY || skip "$clickhouse_refusal"
# With CHDB=.../node_modules, where npm's chdb is, that is the server: a ClickHouse of today, without users and quotas.
# Afterwards $clickhouse_url is http://default@127.0.0.1:PORT/oprofile, and `clickhouse SQL` prints the answer of the server.

clickhouse_pid=
clickhouse_refusal=

free_ports() {
	python3 -c 'import socket, sys
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*[one.getsockname()[1] for one in held])' "$1"
}

# start_clickhouse DIRECTORY: starts a server in a new or used directory; on the port it had before, if it had one.
# Fails, with the reason in $clickhouse_refusal, where there is no server.
start_clickhouse() {
	clickhouse_dir=$1
	[ -n "${CHDB-}" ] || command -v clickhouse-server >/dev/null || { clickhouse_refusal="no clickhouse-server here"; return 1; }
	command -v python3 >/dev/null || { clickhouse_refusal="no python3 here"; return 1; }
	mkdir -p "$clickhouse_dir"
	for attempt in 1 2 3; do
		[ -f "$clickhouse_dir/config.xml" ] || write_clickhouse_config || return 1
		clickhouse_port=$(cat "$clickhouse_dir/port")
		clickhouse_url=http://default@127.0.0.1:$clickhouse_port/oprofile
		if [ -n "${CHDB-}" ]; then
			NODE_PATH=$CHDB node "${srcdir:-.}/tests/e2e/chdb_server.js" "$clickhouse_port" "$clickhouse_dir" >"$clickhouse_dir/output" 2>&1 &
		else
			clickhouse-server --config-file="$clickhouse_dir/config.xml" >"$clickhouse_dir/output" 2>&1 &
		fi
		clickhouse_pid=$!
		waited=0
		while kill -0 "$clickhouse_pid" 2>/dev/null && [ "$waited" -lt 600 ]; do
			if [ "$(clickhouse 'SELECT 1' 2>/dev/null)" = 1 ]; then
				! command -v met >/dev/null || met clickhouse "$(clickhouse 'SELECT version()')" # of tests
				return 0
			fi
			sleep 0.2
			waited=$((waited + 1))
		done
		stop_clickhouse
		rm -f "$clickhouse_dir/config.xml" # somebody else has the port
	done
	clickhouse_refusal="clickhouse-server does not start: $(tail -n 2 "$clickhouse_dir/output" "$clickhouse_dir/log" 2>/dev/null)"
	return 1
}

write_clickhouse_config() {
	set -- $(free_ports 3)
	[ $# = 3 ] || { clickhouse_refusal="no free ports"; return 1; }
	echo "$1" >"$clickhouse_dir/port"
	cat >"$clickhouse_dir/config.xml" <<-END
		<yandex>
		<logger><level>warning</level><log>$clickhouse_dir/log</log><errorlog>$clickhouse_dir/errors</errorlog></logger>
		<http_port>$1</http_port><tcp_port>$2</tcp_port><interserver_http_port>$3</interserver_http_port>
		<listen_host>127.0.0.1</listen_host>
		<path>$clickhouse_dir/data/</path><tmp_path>$clickhouse_dir/tmp/</tmp_path>
		<user_files_path>$clickhouse_dir/files/</user_files_path>
		<users_config>$clickhouse_dir/users.xml</users_config>
		<default_profile>default</default_profile><default_database>default</default_database>
		<timezone>UTC</timezone>
		<mark_cache_size>67108864</mark_cache_size><uncompressed_cache_size>67108864</uncompressed_cache_size>
		<max_concurrent_queries>20</max_concurrent_queries><keep_alive_timeout>3</keep_alive_timeout>
		</yandex>
	END
	cat >"$clickhouse_dir/users.xml" <<-END
		<yandex>
		<profiles><default>
		<max_memory_usage>${clickhouse_memory-2000000000}</max_memory_usage>
		<max_memory_usage_for_all_queries>${clickhouse_memory-2000000000}</max_memory_usage_for_all_queries>
		<max_threads>2</max_threads><load_balancing>random</load_balancing>
		</default></profiles>
		<users>
		<default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
		<pusher><password>${clickhouse_password-secret of the test}</password><networks><ip>127.0.0.1</ip></networks>
		<profile>default</profile><quota>default</quota></pusher>
		</users>
		<quotas><default></default></quotas>
		</yandex>
	END
}

# clickhouse SQL: what the server answers; fails if it refuses
clickhouse() {
	printf '%s' "$1" | python3 -c 'import sys, urllib.error, urllib.request
request = urllib.request.Request(sys.argv[1], data=sys.stdin.buffer.read())
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
try:
    sys.stdout.buffer.write(opener.open(request, timeout=120).read())
except urllib.error.HTTPError as error:
    sys.exit(error.read().decode(errors="replace"))
except OSError as error:
    sys.exit(str(error))' "http://127.0.0.1:$clickhouse_port/?database=${2-default}"
}

# kill_clickhouse: as a power cut would, but for what the system has not written to disk
kill_clickhouse() {
	[ -z "$clickhouse_pid" ] || { kill -KILL "$clickhouse_pid" 2>/dev/null; wait "$clickhouse_pid" 2>/dev/null; } || :
	clickhouse_pid=
}

stop_clickhouse() {
	[ -z "$clickhouse_pid" ] || { kill "$clickhouse_pid" 2>/dev/null; wait "$clickhouse_pid" 2>/dev/null; } || :
	clickhouse_pid=
}
