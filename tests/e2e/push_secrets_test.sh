#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# oppush over TLS speaks only to a server whose certificate is good, and shows its own where that is asked for. What is
# refused is refused in one line, without waiting. A password is in no command line, log, file or environment.
. "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/clickhouse.sh"
here=$(cd "${srcdir:-.}" && pwd)/tests/e2e
command -v openssl >/dev/null || { echo "skipped: no openssl here"; exit 77; }
stub_pid=
stop_stub() {
	[ -z "$stub_pid" ] || { kill "$stub_pid" 2>/dev/null; wait "$stub_pid" 2>/dev/null; } || :
	stub_pid=
}
start_clickhouse "$work/server" || { echo "skipped: $clickhouse_refusal"; exit 77; }
"$build/opfleet" init --to="$clickhouse_url" >/dev/null || fail "init"

# stub MODE CERTIFICATE [CLIENT-CA]: a server with that certificate; its address is in $url
stub() {
	stop_stub
	rm -f "$work/stub_port"
	python3 "$here/fleet_stub.py" "$work/stub_port" "$1" "$clickhouse_port" "$work/$2.pem" "$work/$2.key" ${3+"$work/$3.pem"} \
		2>"$work/stub.log" &
	stub_pid=$!
	wait_beside "$stub_pid" 60 "the stub has a port" [ -s "$work/stub_port" ]
	url=https://pusher@127.0.0.1:$(cat "$work/stub_port")/oprofile
}
password=$work/password
oppush() {
	"$build/oppush" --session-dir="$work/sessions" --to="$url" --password-file="$password" "$@" >"$work/out" 2>"$work/oppush.log"
}
# refused PATTERN WORDS...: oppush fails with that one line, and does not wait for another answer
refused() {
	pattern=$1
	shift
	! oppush --wait=600 "$@" || fail "oppush $* should fail"
	grep -q -- "$pattern" "$work/oppush.log" || fail "oppush $*: no line with $pattern: $(cat "$work/oppush.log")"
	[ "$(wc -l <"$work/oppush.log")" = 1 ] || fail "oppush $*: not one line: $(cat "$work/oppush.log")"
}

# authority NAME; issue AUTHORITY NAME FROM UNTIL: keys and certificates, the latter for 127.0.0.1
authority() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/$1.key" -out "$work/$1.pem" -subj "/CN=$1" \
		-days 30 2>"$work/openssl.log" || fail "openssl req -x509"
}
issue() {
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/$2.key" -out "$work/$2.csr" -subj "/CN=$2" \
		2>"$work/openssl.log" || fail "openssl req"
	rm -rf "$work/ca"
	mkdir "$work/ca"
	: >"$work/ca/index"
	cat >"$work/ca/config" <<-END
		[ca]
		default_ca = one
		[one]
		new_certs_dir = $work/ca
		database = $work/ca/index
		rand_serial = yes
		default_md = sha256
		policy = any
		x509_extensions = names
		[any]
		commonName = supplied
		[names]
		subjectAltName = ${address-IP:127.0.0.1}
	END
	openssl ca -batch -notext -config "$work/ca/config" -cert "$work/$1.pem" -keyfile "$work/$1.key" -startdate "$3" -enddate "$4" \
		-in "$work/$2.csr" -out "$work/$2.pem" 2>"$work/openssl.log" || fail "openssl ca"
	chmod 0600 "$work/$2.key"
}
now=$(date -u +%Y%m%d%H%M%SZ)
next=$(date -u -d '+30 days' +%Y%m%d%H%M%SZ)
authority ours
authority theirs
issue ours good "$now" "$next"
issue ours expired 20200101000000Z 20200201000000Z
address=DNS:elsewhere.example issue ours elsewhere "$now" "$next"
issue theirs foreign "$now" "$next"
issue ours client "$now" "$next"

python3 "$here/fleet_session.py" 1 "$work/spec" "$work/sums"
"$tests/golden/make_session" "$work/spec" "$work/sessions"
secret='secret of the test'
(umask 077; echo "$secret" >"$work/password"; echo 'another secret' >"$work/wrong")

# Servers
stub pass good
oppush --ca-file="$work/ours.pem" || fail "push over TLS: $(cat "$work/oppush.log")"
refused certificate
refused certificate --ca-file="$work/theirs.pem"
refused 'a secret that others can read' --key="$work/spec"
stub pass expired
refused 'certificate has expired' --ca-file="$work/ours.pem"
stub pass foreign
refused certificate --ca-file="$work/ours.pem"
stub pass elsewhere
refused 'does not match\|no alternative certificate subject name' --ca-file="$work/ours.pem"

# Clients
stub pass good ours
refused 'certificate required\|handshake failure' --ca-file="$work/ours.pem"
refused 'unknown ca\|certificate' --ca-file="$work/ours.pem" --certificate="$work/foreign.pem" --key="$work/foreign.key"
oppush --ca-file="$work/ours.pem" --certificate="$work/client.pem" --key="$work/client.key" || fail "push with a certificate"

# Passwords
stub pass good
password=$work/wrong
refused 'Wrong password\|Authentication failed' --ca-file="$work/ours.pem"
password=$work/password
chmod 0644 "$work/password"
refused 'a secret that others can read' --ca-file="$work/ours.pem"
chmod 0600 "$work/password"
url=https://pusher:another@127.0.0.1/oprofile
refused 'has a password in it'
! grep -q another "$work/oppush.log" || fail "the password of an address is printed"
url=http://pusher@192.0.2.1/oprofile
refused 'plain http would send the password'

# Too many parts, and meanwhile a look at what others can see of the process.
stub parts good
"$build/oppush" --session-dir="$work/sessions" --to="$url" --password-file="$work/password" --ca-file="$work/ours.pem" --host=second \
	--wait=600 >"$work/out" 2>"$work/oppush.log" &
pusher=$!
wait_beside "$pusher" 60 "oppush waits for fewer parts" grep -q 'again in' "$work/oppush.log"
tr '\0' ' ' <"/proc/$pusher/cmdline" >"$work/seen"
cat "/proc/$pusher/environ" >>"$work/seen"
grep -q password-file "$work/seen" || fail "not the process that was meant"
wait_end "$pusher" 120 "the pusher" || fail "push to a server with too many parts: $(cat "$work/oppush.log")"
grep -q 'Code: 252 Too many parts (300). Merges are slower; again in [1-9][0-9]* s$' "$work/oppush.log" || fail "error 252 is not reported"
rm "$work/password" "$work/wrong"
rm -f "$work/server/users.xml" # where the server has it from
found=$(grep -rlaF -e "$secret" -e 'another secret' "$work/seen" "$work/out" "$work/oppush.log" "$work/sessions" "$work/server/log" \
	"$work/server/errors" "$work/server/output" "$work/stub.log") || :
[ -z "$found" ] || fail "a password is in $found"
