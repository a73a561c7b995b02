# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.12-amd64 6.1-debug
# soak: *-amd64
# limit: 150
# AMD's samplers through the driver, from opcontrol to opreport. No machine of ours has them: the kernel's PMUs are a double's, whose
# overflows have known words (pmu_doubles/ibs_double.c), and the processor is described as one of family 10h. Each derived event has
# the samples that its words make, to the last one.
. "$KIT/lib.sh"
PATH=$OP_BUILD:$PATH
double=/sys/kernel/debug/ibs_double
program=$KIT/shares
fetch_events="IBS_FETCH_ALL IBS_FETCH_KILLED IBS_FETCH_ATTEMPTED IBS_FETCH_ICACHE_MISSES IBS_FETCH_2M_PAGE IBS_FETCH_LATENCY"
op_events="IBS_OP_ALL IBS_OP_TAG_TO_RETIRE IBS_OP_MISPREDICTED_BRANCH_TAKEN IBS_OP_DC_LOAD_LAT IBS_OP_NB_LOCAL_DRAM
	IBS_OP_L1_DTLB_MISS_L2_DTLB_HIT"
[ -f "$KIT/ibs_double.ko" ] || skip "there is no double of the samplers"
[ -d /sys/kernel/debug ] || skip "this kernel has no debugfs"
[ -d /sys/kernel/debug/tracing ] || mount -t debugfs debugfs /sys/kernel/debug

# quietly COMMAND...: its output is shown only if it fails.
quietly() {
	"$@" >command.log 2>&1 || {
		cat command.log
		fail "$*: status $?"
	}
}

# The processor that the programs see; the PMUs are those of the guest's kernel.
mkdir -p machine/proc
ln -s /sys machine/sys
ln -s /proc/sys machine/proc/sys
printf 'processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 16\nmodel\t\t: 2\ncpu MHz\t\t: 2000.000\n\n' >machine/proc/cpuinfo
printf '0: 00000010 68747541 444d4163 69746e65\n1: 00100f23 00020000 00802009 178bfbff\n' >machine/cpuid
export OPROFILE_MACHINE_DIR="$PWD/machine" OPROFILE_EVENTS_DIR="$KIT/events"

# load_double [PARAMETER=VALUE...]: as slow as the kernel needs, or its interrupts leave the daemon no time.
load_double() {
	insmod "$KIT/ibs_double.ko" ns_per_count="$(longer 20)" "$@"
	quietly opcontrol --init --module "$KIT/oprofile.ko"
	check_eq "the model" "$(get model)" perf
}

unload_double() {
	quietly opcontrol --deinit
	rmmod ibs_double
}

# delivered KIND COLUMN ROW=TIMES...: the overflows of these rows, each so many times; column 3: all, 4: those of the program.
delivered() {
	kind=$1
	column=$2
	shift 2
	awk -v kind="$kind" -v column="$column" -v rows="$*" '
		BEGIN { n = split(rows, row); for (i = 1; i <= n; i++) { split(row[i], one, "="); times[one[1]] = one[2] } }
		$1 == kind { sum += $column * times[$2] }
		END { print sum }' delivered
}

# expected EVENT COLUMN
expected() {
	case $1 in
	IBS_FETCH_ALL) delivered fetch "$2" 0=1 1=1 2=1 3=1 ;;
	IBS_FETCH_KILLED) delivered fetch "$2" 0=1 ;;
	IBS_FETCH_ATTEMPTED) delivered fetch "$2" 1=1 2=1 3=1 ;;
	IBS_FETCH_ICACHE_MISSES | IBS_FETCH_2M_PAGE) delivered fetch "$2" 2=1 ;;
	IBS_FETCH_LATENCY) delivered fetch "$2" 1=7 2=300 3=40 ;;
	IBS_OP_ALL) delivered op "$2" 0=1 1=1 2=1 3=1 ;;
	IBS_OP_TAG_TO_RETIRE) delivered op "$2" 0=100 ;;
	IBS_OP_MISPREDICTED_BRANCH_TAKEN) delivered op "$2" 1=1 ;;
	IBS_OP_DC_LOAD_LAT) delivered op "$2" 2=200 ;;
	IBS_OP_NB_LOCAL_DRAM) delivered op "$2" 2=1 ;;
	IBS_OP_L1_DTLB_MISS_L2_DTLB_HIT) delivered op "$2" 3=1 ;;
	*) fail "what is $1?" ;;
	esac
}

# start_run: with a buffer for half a minute, as the host may be busy and the daemon late.
start_run() {
	cat "$double/delivered" >before
	quietly opcontrol --start
}

# run_program [COMMAND...]: starts the program, by that command; the double counts its overflows and puts them where it
# never is.
run_program() {
	"$@" "$program" 100000 >program.log 2>&1 &
	pid=$!
	wait_for 20 grep -q shares "/proc/$pid/comm"
	echo "$place" >/sys/module/ibs_double/parameters/address
	echo "$pid" >/sys/module/ibs_double/parameters/pid
}

# end_run: stops the profiler, then the program, so that all its samples can be placed; leaves `delivered` and `lost`.
end_run() {
	quietly opcontrol --stop
	kill "$pid"
	awk 'NR == FNR { all[$1 $2] = $3; own[$1 $2] = $4; next } { print $1, $2, $3 - all[$1 $2], $4 - own[$1 $2] }' before \
		"$double/delivered" >delivered
	cat "$fs"/stats/cpu*/sample_lost_overflow | awk '{ n += $1 } END { print n }' >lost
	grep . "$fs"/stats/cpu*/sample_lost_* | grep -v ':0$' || true
	echo 0 >/sys/module/ibs_double/parameters/pid
	quietly opcontrol --dump
	quietly opcontrol --shutdown
	cat delivered
}

# samples_of_program EVENT COUNT: those where the double puts them.
samples_of_program() {
	opreport -l "event:$1" "image:$program" >"$1.txt" 2>report.err || { cat report.err; fail "no report of $1"; }
	grep -q "$1 events.*count $2\$" "$1.txt" || { cat "$1.txt"; fail "the report does not name $1 and its count"; }
	awk '$NF == "_fini" { n = $1 } END { print n + 0 }' "$1.txt"
}

# check_events COUNT EVENT...: each has as many samples of the program as the double delivered.
check_events() {
	count=$1
	shift
	for event in "$@"; do
		want=$(expected "$event" 4)
		echo "$event: $want samples of the program"
		check "$event: samples" "$want" -gt 0
		check_eq "$event: samples" "$(samples_of_program "$event" "$count")" "$want"
	done
}

# events COUNT UNIT_MASK EVENT...: as options of opcontrol.
events() {
	count=$1$2
	shift 2
	for event in "$@"; do
		printf -- '--event=%s:%s ' "$event" "$count"
	done
}

setup="--no-vmlinux --buffer-size=1048576 --buffer-watershed=262144"
place=0x$(/usr/bin/nm "$program" | awk '$3 == "_fini" { print $1 }') # not run before the program ends
load_double
quietly opcontrol --setup $setup --event=IBS_FETCH_ALL:50000
start_run
check "the sampler's counter" "$(get 0/pmu)" = "$(cat /sys/bus/event_source/devices/ibs_fetch/type)"
run_program
sleep 2
end_run
check_events 50000 IBS_FETCH_ALL
check_eq "samples that found no room" "$(cat lost)" 0
manifest=/var/lib/oprofile/samples/current/manifest.json
sampled=$(sed -n 's/.*"sampled": *\([0-9]*\).*/\1/p' "$manifest" | head -n 1)
check_eq "samples in the account" "$sampled" "$(expected IBS_FETCH_ALL 3)"
quietly opcontrol --reset

# Several events of both samplers beside a counter's, by dispatched operations.
quietly opcontrol --setup $setup $(events 64000 "" $fetch_events) $(events 128000 :0x1 $op_events) --event=CPU_CLK_UNHALTED:100000
start_run
check_eq "what ibs_op counts" "$(cat /sys/module/ibs_double/parameters/counts_ops)" Y
run_program
sleep 2
end_run
check_events 64000 $fetch_events
check_events 128000 $op_events
check_eq "samples that found no room" "$(cat lost)" 0
opreport event:CPU_CLK_UNHALTED >cycles.txt 2>&1 || { cat cycles.txt; fail "no report of the counter beside them"; }
quietly opcontrol --reset

# By cycles, with call chains, of user mode only.
quietly opcontrol --setup $setup --callgraph=4 $(events 800000 :0x0:0:1 $op_events)
start_run
check_eq "what ibs_op counts" "$(cat /sys/module/ibs_double/parameters/counts_ops)" N
run_program
sleep 3
end_run
check_events 800000 $op_events
quietly opcontrol --reset

# What is refused, in one line.
refused() {
	! opcontrol --setup $setup --callgraph=0 "$@" >refused.log 2>&1 || fail "not refused: $*"
	cat refused.log
	check_eq "lines of the refusal of $*" "$(wc -l <refused.log)" 1
}
refused --event=IBS_FETCH_ALL:50001
grep -q "no multiple of 16" refused.log || fail "the reason is another"
refused --event=IBS_FETCH_ALL:50000 --event=IBS_FETCH_KILLED:64000
unload_double

# In NMIs, which come to CPU 0.
load_double nmi=1
quietly opcontrol --setup $setup --callgraph=0 --event=IBS_FETCH_ALL:50000 --event=IBS_FETCH_LATENCY:50000
start_run
run_program /usr/bin/taskset -c 0
: >/out/nmi
sleep 2
rm /out/nmi
sleep 1
end_run
check_events 50000 IBS_FETCH_ALL IBS_FETCH_LATENCY
check_eq "samples that found no room" "$(cat lost)" 0
unload_double

# Call chains. A sampler's interrupt may come when the process is in its kernel code already: the callers are those of user mode. The
# kernel has none: what called the sampled instruction is not known.
load_double
put 0/count 50000
put 0/kernel 1
put 0/user 1
put 0/enabled 1
exec 3<"$fs/buffer"
put 0/pmu 2147483647
check_eq "a PMU that does not exist" "$(answer enable 1)" EINVAL
exec 3<&-
put 0/pmu "$(cat /sys/bus/event_source/devices/ibs_op/type)"
put backtrace_depth 5
sample_balanced chain.log -c call_chain call_chain 2000
check_chain chain.log kernel
check_eq "kernel callers" "$(value chain.log kernel_frames)" 0
cat >late.sh <<-'END'
	call_chain 3000 >ranges & pid=$!
	until grep -q base ranges; do
		sleep 0.05
	done
	place=$(awk '$2 == "c" { print $3 }' ranges)
	echo $((place + $(sed -n 's/base //p' ranges))) >/sys/module/ibs_double/parameters/late_address
	echo $pid >/sys/module/ibs_double/parameters/pid
	wait
	echo 0 >/sys/module/ibs_double/parameters/pid
	cat ranges
	echo "range late $place $((place + 1))"
END
sample_balanced late.log -c call_chain sh late.sh
late=$(in_chain late.log user late)
late=${late#* }
whole=$(in_chain late.log user late b a)
whole=${whole#* }
echo "$late samples when the interrupt came late, $whole of them called by b called by a"
check "samples when the interrupt came late" "$late" -gt "$(fewer 100)"
check "of these, called by b called by a, per mille" $((whole * 1000 / late)) -ge 700 # the others are in other calls of the kernel
unload_double

# A process that sleeps in the kernel code in which the interrupt came, for good: its samples are placed without it, and closing does not
# wait for it.
insmod "$KIT/ibs_double.ko" ns_per_count="$(longer 20)"
insmod "$KIT/oprofile.ko" place_by_task=1
mkdir -p "$fs"
mount -t oprofilefs nodev "$fs"
put 0/count 50000
put 0/kernel 1
put 0/user 1
put 0/enabled 1
put 0/pmu "$(cat /sys/bus/event_source/devices/ibs_op/type)"
mkfifo pipe
cat >asleep.sh <<-'END'
	cat pipe >/dev/null & reader=$!
	dd if=/dev/zero of=pipe bs=64M >/dev/null 2>&1 & writer=$!
	echo "$reader $writer" >ends
	until grep -q '^dd$' "/proc/$writer/comm"; do
		sleep 0.05
	done
	start=$(awk '$2 ~ /x/ { sub("-.*", "", $1); print $1; exit }' "/proc/$writer/maps")
	echo "0x$start" >/sys/module/ibs_double/parameters/late_address
	echo "$writer" >/sys/module/ibs_double/parameters/pid
	sleep 3
	kill -STOP "$reader"
	sleep 0.5
END
sample_balanced asleep.log sh asleep.sh
check "samples of a process that then sleeps" "$(samples_of asleep.log image busybox)" -gt "$(fewer 100)"
check_eq "lost because it did not run" "$(cat "$fs"/stats/cpu*/sample_lost_pending | awk '{ n += $1 } END { print n }')" 0
sample_balanced after.log sleep 0.1
read -r reader writer <ends
echo 0 >/sys/module/ibs_double/parameters/pid
kill "$writer"
kill -CONT "$reader"
unload_driver
rmmod ibs_double

# Without such PMUs, and with a model that has none.
insmod "$KIT/oprofile.ko" timer=1
mkdir -p "$fs"
mount -t oprofilefs nodev "$fs"
refused --event=IBS_FETCH_ALL:50000
unload_driver
refused --event=IBS_FETCH_ALL:50000
grep -q "no PMU ibs_fetch" refused.log || fail "the reason is another"
