# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-debug
# limit: 60
# There is no memory at once for what a sample needs, a new image or the mappings of a process: its samples are counted as lost, or
# their stacks as not copied, and the next ones find memory. The kernel's fault injection (failslab) refuses what may not wait.
. "$KIT/lib.sh"

[ -d /sys/kernel/debug/tracing ] || mount -t debugfs debugfs /sys/kernel/debug
faults=/sys/kernel/debug/failslab
[ -d "$faults" ] || skip "this kernel has no fault injection"
echo 0 >"$faults/verbose"
echo -1 >"$faults/times"
echo Y >"$faults/ignore-gfp-wait" # those that may wait get memory

# refuse PER_CENT: so many of the requests that may not wait.
refuse() {
	echo "$1" >"$faults/probability"
}

milliseconds=$(longer 1000)
mkdir files
mount -t tmpfs tmpfs files

# sampled NAME PER_CENT: runs a new copy of shares while so many requests are refused, and writes the figures to NAME.log.
sampled() {
	cp "$KIT/shares" "files/$1"
	refuse "$2"
	sample_balanced "$1.log" "files/$1" $milliseconds
	refuse 0
	with_image=$(samples_of "$1.log" image "/$1")
	lost=$(cat "$fs"/stats/cpu*/sample_lost_overflow | awk '{ n += $1 } END { print n }')
}

load_driver timer=1 place_by_task=1
use_timer
sampled without 100
check_eq "samples of a program whose image gets no memory" "$with_image" 0
check "of these, counted as lost" "$lost" -gt "$(fewer 50)"
sampled with 0
check "samples of a program whose image gets memory" "$with_image" -gt "$(fewer 50)"
check_eq "lost" "$lost" 0

# Its image is known, but the record of its mappings gets no memory: the sample is there, and its stack has not been copied.
put backtrace_depth 16
put stack_size 16384
cat >then_refuse.sh <<-END
	files/with 100
	echo 100 >$faults/probability
	files/with $milliseconds
	echo 0 >$faults/probability
END
sample_balanced stacks.log sh then_refuse.sh
check "samples of a known image" "$(samples_of stacks.log image /with)" -gt "$(fewer 50)"
check "stacks not copied" "$(value stacks.log not_copied)" -gt "$(fewer 20)"
put stack_size 0
put backtrace_depth 0
unload_driver

# One request of four, whoever asks, where interrupts place samples of 100 programs, all new.
load_driver timer=1
use_timer
n=0
while [ $n -lt 100 ]; do
	cp "$KIT/shares" "files/p$n"
	echo "files/p$n $(longer 20) >/dev/null" >>all.sh
	n=$((n + 1))
done
refuse 25
sample_balanced all.log sh all.sh
refuse 0
check "programs with samples" "$(grep -c '^image .*/p[0-9]*$' all.log)" -ge 20
unload_driver
