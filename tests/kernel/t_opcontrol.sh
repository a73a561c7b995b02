# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-debug
# soak: *-amd64
# limit: 120
# System-wide profiling by opcontrol over the driver, from setup to shutdown, of a program of known shares; then opcontrol over
# perf_event_open and operf find the same shares.
. "$KIT/lib.sh"
PATH=$OP_BUILD:$PATH
program=$OP_BUILD/tests/e2e/shares
awk=/usr/bin/awk # that of busybox has no sqrt()

# quietly COMMAND...: its output is shown only if it fails.
quietly() {
	"$@" >command.log 2>&1 || {
		cat command.log
		fail "$*: status $?"
	}
}

# check_shares WHAT REPORT: three_parts has three quarters of the samples of the two functions, within a hundredth and four
# standard errors of that many samples.
check_shares() {
	$awk '/three_parts/ { three += $1 } /one_part/ { one += $1 }
		END {
			n = three + one
			share = n ? three / n : 0
			room = n ? 0.01 + 4 * sqrt(0.75 * 0.25 / n) : 0
			printf "%.4f of %d samples in three_parts, 0.75 and up to %.4f expected\n", share, n, room
			exit !(n > 300 && share >= 0.75 - room && share <= 0.75 + room)
		}' "$2" >shares.log || {
		cat "$2" shares.log
		fail "$1: the shares are not those of the program"
	}
	echo "$1: $(cat shares.log)"
}

# check_same REPORT OTHER: the shares of the two functions are the same, within four standard errors of two samples of that size.
check_same() {
	cat "$1" >first.report
	cat "$2" >second.report
	$awk '/three_parts/ { three[FILENAME] += $1 } /one_part/ { one[FILENAME] += $1 }
		END {
			a = "first.report"; b = "second.report"
			n = three[a] + one[a]; m = three[b] + one[b]
			if (!n || !m) { print "no samples"; exit 1 }
			all = (three[a] + three[b]) / (n + m)
			error = sqrt(all * (1 - all) * (1 / n + 1 / m))
			apart = three[a] / n - three[b] / m
			printf "%.4f of %d, %.4f of %d: %.1f standard errors apart\n", three[a] / n, n, three[b] / m, m, error ? apart / error : 0
			exit !(apart <= 4 * error && apart >= -4 * error)
		}' first.report second.report >same.log || {
		cat "$1" "$2" same.log
		fail "$1 and $2 do not agree"
	}
	echo "$1 and $2: $(cat same.log)"
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

# A model that is not possible here is an error, and another one than that of the loaded driver.
! opcontrol --init --module "$KIT/oprofile.ko" --model=intel >model.log 2>&1 || fail "the model intel is possible here"
grep -q 'no hardware that it supports' model.log || { cat model.log; fail "it is not reported why"; }
quietly opcontrol --init --module "$KIT/oprofile.ko" --model=rtc
check_eq "model asked for" "$(get model)" rtc
! opcontrol --init --model=timer >model.log 2>&1 || fail "another model than the loaded one is no error"
grep -q 'loaded with the model rtc' model.log || { cat model.log; fail "the loaded model is not named"; }
# The module named is not loaded if one is there, also one whose files are not mounted.
for files in mounted unmounted; do
	opcontrol --init --module "$KIT/oprofile.ko" >module.log 2>&1 || fail "--init with a loaded driver, its files $files"
	grep -q 'a driver was loaded already' module.log || { cat module.log; fail "it is not reported that one is loaded, its files $files"; }
	[ "$files" = unmounted ] || umount "$fs"
done
check_eq "model of the driver that was loaded" "$(get model)" rtc
quietly opcontrol --deinit

quietly opcontrol --init --module "$KIT/oprofile.ko"
check "the driver's files are there" -e "$fs/enable"
quietly opcontrol --setup --no-vmlinux --event TIMER:1000000
quietly opcontrol --start
opcontrol --status >status.log
grep -q driver status.log || { cat status.log; fail "status does not name the driver"; }
"$program" plain 1000 >/dev/null
quietly opcontrol --dump
report driver.txt
check_shares "the driver, by opcontrol" driver.txt
quietly opcontrol --stop
check_eq "enable after --stop" "$(get enable)" 0
quietly opcontrol --save=first
quietly opcontrol --start
"$program" threads 500 >/dev/null
report threads.txt # asks for a dump by itself
check_shares "threads" threads.txt
report first.txt session:first
check_shares "the saved session" first.txt
# The timers of its CPUs are switched while it samples.
received() { cat "$fs/stats/cpu$1/sample_received"; }
quietly opcontrol --timer=1:off --timer-period=500
opcontrol --status | grep -q '^Timers: cpu 0 every 500 us, cpu 1 off$' || fail "status does not name the timers that were changed"
before=$(received 1) other=$(received 0)
"$program" plain 200 >/dev/null
check_eq "samples of a CPU whose timer is off" "$(($(received 1) - before))" 0
[ "$(received 0)" -gt "$other" ] || fail "the other CPU's timer does not run"
quietly opcontrol --timer=all:on --timer-period=0
"$program" plain 200 >/dev/null
[ "$(received 1)" -gt "$before" ] || fail "a timer that is on again does not sample"
quietly opcontrol --shutdown

# The manifest accounts for every sample that the driver took.
taken=$(cat "$fs"/stats/cpu*/sample_received | awk '{ n += $1 } END { print n }')
manifest=/var/lib/oprofile/samples/current/manifest.json
sampled=$(sed -n 's/.*"sampled": *\([0-9]*\).*/\1/p' "$manifest" | head -n 1)
check_eq "samples in the account" "$sampled" "$taken"
# It has the command names that the driver's contexts have.
grep -q '"name": *"shares"' "$manifest" || { cat "$manifest"; fail "the manifest does not have the program's command name"; }
quietly opcontrol --deinit
check "no driver is left" ! -d /sys/module/oprofile

# The same without the driver: opcontrol prints what it uses instead, and works.
quietly opcontrol --reset
opcontrol --start --no-vmlinux >start.log 2>&1 || { cat start.log; fail "no start over perf_event_open"; }
grep -q perf_event_open start.log || { cat start.log; fail "perf_event_open is not mentioned"; }
"$program" plain 1000 >/dev/null
quietly opcontrol --dump
report perf.txt
check_shares "perf_event_open, by opcontrol" perf.txt
quietly opcontrol --shutdown
mkdir operf
quietly operf --session-dir operf --events TIMER:1000000 "$program" plain 1000
report operf.txt --session-dir operf
check_shares "operf" operf.txt
check_same driver.txt perf.txt
check_same driver.txt operf.txt
check_same perf.txt operf.txt
