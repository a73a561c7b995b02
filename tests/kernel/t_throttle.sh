# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 sid-amd64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 120
# A period of a microsecond on every CPU for five seconds: a shell always answers within a second, and the profile reports how many
# periods were left out. With a period of a millisecond again, the guard lets go. A host that is so busy that the guest's interrupts
# are rarer than the guard permits leaves it nothing to do: there are three runs, and then that part is skipped.
. "$KIT/lib.sh"

load_driver timer=1
use_timer
for cpu in "$fs"/timer/cpu*; do
	echo 1 >"$cpu/period_us"
done
cat >answers.sh <<-'END'
	hundredths() {
		read -r now rest </proc/uptime
		now=${now%.*}${now#*.}
	}
	worst=0
	hundredths
	ends=$((now + 500))
	while [ "$now" -lt "$ends" ]; do
		hundredths
		begin=$now
		sh -c 'echo here' >/dev/null
		hundredths
		[ $((now - begin)) -le "$worst" ] || worst=$((now - begin))
	done
	echo "worst $worst"
END
background shares 600000
for try in 1 2 3; do
	sample run.log sh answers.sh
	[ "$(value run.log throttled)" -eq 0 ] || break
done
cat run.log
check "slowest answer, hundredths of a second" "$(value run.log worst)" -lt "$(within 100)"
rare=40000 # samples of two CPUs in five seconds: an interrupt in a quarter of a millisecond
if [ "$(value run.log throttled)" -eq 0 ] && [ "$(value run.log received)" -lt "$rare" ]; then
	echo "skipped: periods left out by the guard; the host is too busy for a flood of interrupts"
else
	check "periods left out" "$(value run.log throttled)" -gt 0
	check "throttle records" "$(value run.log throttles)" -gt 0
fi
check "timer overruns" "$(value run.log overruns)" -gt 0
check_eq "balance" "$(value run.log balance)" ok

# The flood first, so that the guard has to let go while sampling. The emulator may be late, if others use the host's CPUs: there may
# be too few in two of three runs, which the log shows.
cat >calm.sh <<-'END'
	periods() {
		for cpu in /dev/oprofile/timer/cpu*; do
			echo "$1" >"$cpu/period_us"
		done
	}
	sum() {
		cat /dev/oprofile/stats/cpu*/"$1" | awk '{ n += $1 } END { print n }'
	}
	periods 1
	sleep 1
	periods "$1"
	sleep 1
	received=$(sum sample_received) throttled=$(sum throttled)
	sleep 3
	echo "calm received $(($(sum sample_received) - received))"
	echo "calm throttled $(($(sum throttled) - throttled))"
END
most=300 # periods of both CPUs, in three seconds
for try in 1 2 3; do
	sample_balanced calm.log sh calm.sh "$(longer 1000)"
	left_out=$(awk '$1 == "calm" && $2 == "throttled" { print $3 }' calm.log)
	[ "$left_out" -ge "$most" ] || break
done
echo "$try of at most 3 runs"
check "periods left out after the flood" "$left_out" -lt "$most"
unload_driver
