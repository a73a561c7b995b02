# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.12-amd64
# limit: 120
# The life cycle of system-wide profiling by opcontrol, over the driver, on a program of known shares; then the perf source
# and operf on the same program agree.
. "$KIT/lib.sh"
PATH=$OP_BUILD:$PATH
program=$OP_BUILD/tests/e2e/shares

# quietly COMMAND...: its output is shown only if it fails.
quietly() {
	"$@" >command.log 2>&1 || {
		cat command.log
		fail "$*: status $?"
	}
}

# ratio REPORT: samples in three_parts for each hundred in one_part.
ratio() {
	awk '/three_parts/ { three += $1 } /one_part/ { one += $1 } END { print one ? int(100 * three / one) : 0 }' "$1"
}

# check_shares WHAT REPORT
check_shares() {
	found=$(ratio "$2")
	[ "$found" -ge 270 ] && [ "$found" -le 330 ] || {
		cat "$2"
		fail "$1: three_parts to one_part is $found to 100"
	}
	echo "$1: $found to 100"
}

# report LOG [opreport words]
report() {
	log=$1
	shift
	opreport "$@" -l "image:$program" >"$log" 2>report.err || {
		cat report.err
		fail "opreport $*"
	}
}

quietly opcontrol --init --module "$KIT/oprofile.ko"
check "the driver's files are there" -e "$fs/enable"
quietly opcontrol --setup --no-vmlinux --event TIMER:1000000
quietly opcontrol --start
opcontrol --status >status.log
grep -q driver status.log || { cat status.log; fail "status does not name the driver"; }
"$program" plain 300 >/dev/null
quietly opcontrol --dump
report driver.txt
check_shares "the driver, by opcontrol" driver.txt
quietly opcontrol --stop
check_eq "enable after --stop" "$(get enable)" 0
quietly opcontrol --save=first
quietly opcontrol --start
"$program" threads 60 >/dev/null
report threads.txt # asks for a dump by itself
check_shares "threads" threads.txt
report first.txt session:first
check_shares "the saved session" first.txt
quietly opcontrol --shutdown

# Every sample the driver took is in the manifest's account.
taken=$(cat "$fs"/stats/cpu*/sample_received | awk '{ n += $1 } END { print n }')
manifest=/var/lib/oprofile/samples/current/manifest.json
sampled=$(sed -n 's/.*"sampled": *\([0-9]*\).*/\1/p' "$manifest" | head -n 1)
check_eq "samples in the account" "$sampled" "$taken"
quietly opcontrol --deinit
check "no driver is left" ! -d /sys/module/oprofile

# The same without the driver: it says so and works.
quietly opcontrol --reset
opcontrol --start --no-vmlinux >start.log 2>&1 || { cat start.log; fail "no start over perf_event_open"; }
grep -q perf_event_open start.log || { cat start.log; fail "nobody says that perf_event_open is used"; }
"$program" plain 300 >/dev/null
quietly opcontrol --dump
report perf.txt
check_shares "perf_event_open, by opcontrol" perf.txt
quietly opcontrol --shutdown
mkdir operf
quietly operf --session-dir operf --events TIMER:1000000 "$program" plain 300
report operf.txt --session-dir operf
check_shares "operf" operf.txt
