# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.12-amd64 6.1-arm64 6.1-debug
# limit: 120
# A period of a microsecond on every CPU for five seconds: a shell always answers within a second, and the profile reports how many
# periods were left out.
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
sample run.log sh answers.sh
cat run.log
check "slowest answer, hundredths of a second" "$(value run.log worst)" -lt 100
check "periods left out" "$(value run.log throttled)" -gt 0
check "throttle records" "$(value run.log throttles)" -gt 0
check_eq "balance" "$(value run.log balance)" ok
unload_driver
