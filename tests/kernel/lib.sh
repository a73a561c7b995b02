# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of the cases that run in a guest, sourced by each: loading and unloading the driver, its files, waiting, checking.
# POSIX shell; on arm64 there is nothing but busybox and the programs of programs/. $KIT contains the driver, the programs and the
# cases; the working directory is the case's own. When a case ends, its background processes are killed and the driver is unloaded.
# doc/DRIVER.md describes the driver's files.
set -eu
PATH=$KIT:$PATH
fs=/dev/oprofile
work=$PWD

fail() {
	echo "FAILED: $*"
	exit 1
}

skip() {
	echo "skipped: $*"
	exit 77
}

# check_eq WHAT FOUND EXPECTED
check_eq() {
	[ "$2" = "$3" ] || fail "$1: $2, not $3"
}

# check WHAT EXPRESSION...: as of test(1).
check() {
	what=$1
	shift
	[ "$@" ] || fail "$what: this is false: $*"
}

# phase WHAT: prints what the case does next, and when: the log of a case that hangs ends with it.
phase() {
	echo "at $(cut -d' ' -f1 /proc/uptime) s: $*"
}

# within NUMBER: a limit of time: longer on a slow machine, and ten times as long with a debug kernel.
within() {
	case $(uname -r) in
	*debug*) echo $((10 * $1 * ${OP_SLOWNESS:-100} / 100)) ;;
	*) echo $(($1 * ${OP_SLOWNESS:-100} / 100)) ;;
	esac
}

# wait_for SECONDS COMMAND...: until it succeeds; within that time. One that ran out of time ends as a case does whose limit is over.
wait_for() {
	patience=$(within "$1")
	ends=$(($(cut -d. -f1 /proc/uptime) + patience))
	shift
	until "$@"; do
		[ "$(cut -d. -f1 /proc/uptime)" -lt "$ends" ] || {
			echo "FAILED: waited $patience s without success for: $*"
			exit 124
		}
		sleep 0.05
	done
}

# longer NUMBER: four times as much with a debug kernel, for work and periods: it takes so long for a sample that the guard leaves
# out most of them.
longer() {
	case $(uname -r) in
	*debug*) echo $((4 * $1)) ;;
	*) echo "$1" ;;
	esac
}

# fewer NUMBER: so many samples to be expected at least, fewer on a slow machine: there the timer has long expired again when its
# interrupt is handled.
fewer() {
	echo $(($1 * 100 / ${OP_SLOWNESS:-100}))
}

# expedite_rcu: until the case ends, the kernel waits less long for RCU. For cases that start and stop sampling hundreds of times:
# most of their time is such waits, with a busy program beside. A debug kernel, which checks the use of RCU, waits as ever.
expedite_rcu() {
	case $(uname -r) in
	*debug*) return ;;
	esac
	[ ! -e /sys/kernel/rcu_expedited ] || echo 1 >/sys/kernel/rcu_expedited
}

# load_module FILE [PARAMETER=VALUE...]: one of the driver's builds; as $OP_PLACING asks (run.sh), unless the parameters do.
load_module() {
	file=$1
	shift
	[ "${OP_PLACING-}" != worker ] || set -- place_by_worker=1 "$@"
	insmod "$KIT/$file" "$@"
}

# load_driver [PARAMETER=VALUE...]: loads the driver and mounts its files.
load_driver() {
	load_module oprofile.ko "$@"
	mkdir -p "$fs"
	mount -t oprofilefs nodev "$fs"
}

# load_nmi_double: the driver with counters that are memory, and real NMIs where with_nmis is the command. Counter 0 counts cycles, in
# no mode yet.
load_nmi_double() {
	[ -d /sys/kernel/debug/tracing ] || mount -t debugfs debugfs /sys/kernel/debug
	load_module oprofile_double.ko double_cpu=intel model=intel
	mount -t oprofilefs nodev "$fs"
	echo 1 >/sys/kernel/debug/oprofile_msr/lint1
	put 0/event 0x3c
	put 0/count 100000
}

unload_driver() {
	umount "$fs"
	rmmod oprofile
}

# with_each_placing COMMAND...: with the driver loaded with the parameters $placing, so that the interrupt places samples and leaves
# the rest to the sampled process, so that this process places them all, so that a worker does what the interrupt leaves, and so that
# the worker places them all.
with_each_placing() {
	for placing in "" place_by_task=1 place_by_worker=1 "place_by_task=1 place_by_worker=1"; do
		load_driver timer=1 $placing
		"$@"
		unload_driver
	done
}

# background COMMAND...: runs it until the case ends; sets $pid.
background() {
	"$@" >background.log 2>&1 &
	pid=$!
}

# get FILE; put FILE VALUE
get() {
	cat "$fs/$1"
}
put() {
	echo "$2" >"$fs/$1"
}

# answer FILE [OFFSET] TEXT: prints the number of bytes that one write takes, or the name of its error.
answer() {
	file=$fs/$1
	shift
	poke "$file" "$@" || true
}

# use_timer [NANOSECONDS]: counter 0 of the timer model, user and kernel.
use_timer() {
	put 0/count "${1-1000000}"
	put 0/kernel 1
	put 0/user 1
	put 0/enabled 1
}

# sample LOG [stream_stat arguments]: samples a command and writes stream_stat's figures to LOG.
sample() {
	log=$1
	shift
	status=0
	stream_stat "$@" >"$log" || status=$?
	[ "$status" = 0 ] || cat "$log"
	check_eq "status of stream_stat $*" "$status" 0
}

# sample_balanced LOG [stream_stat arguments]: the same; prints the log. Each sample is either in the stream or counted as lost.
sample_balanced() {
	sample "$@"
	cat "$log"
	check_eq "balance" "$(value "$log" balance)" ok
}

# value LOG NAME: one of stream_stat's figures.
value() {
	awk -v name="$2" '$1 == name { print $2; exit }' "$1"
}

# offsets_in LOG NAME: samples in the range of offsets that a program printed into the log.
offsets_in() {
	awk -v name="$2" '$1 == "range" && $2 == name { first = $3; last = $4 }
		$1 == "offset" { at[$2] += $3 }
		END { for (o in at) if (o + 0 >= first && o + 0 < last) n += at[o]; print n + 0 }' "$1"
}

# check_three_parts THREE ONE: three quarters of these samples are in the first function of shares, within a hundredth and four standard
# errors of that many: sqrt(0.75 * 0.25 / n). busybox has no square roots.
check_three_parts() {
	awk -v three="$1" -v one="$2" 'BEGIN {
		n = three + one
		share = n ? three / n : 0
		beyond = (share > 0.75 ? share - 0.75 : 0.75 - share) - 0.01
		printf "%d and %d samples, 3 parts of 4 are %.4f\n", three, one, share
		exit !n || (beyond > 0 && beyond * beyond > 16 * 0.75 * 0.25 / n)
	}' || fail "the shares are not those of the program"
}

# most_missed: samples in 100,000 that may be lost, with the parameters $placing. A worker that places all of them finds the mmap lock
# of some held for as long as it tries, if the machine is busy.
most_missed() { worker_places_all "$placing" && echo 1000 || echo 100; }

# worker_places_all [PARAMETERS]: succeeds if a worker places all samples of processes, not only those that the interrupt cannot.
# The store then has its whole size at once, and it is too late to copy stacks.
worker_places_all() {
	case "${1-} ${OP_PLACING-} $(uname -v)" in
	*worker*PREEMPT_RT* | place_by_task=1\ worker* | place_by_task=1\ place_by_worker=1*) ;;
	*) return 1 ;;
	esac
}

# daemon_pid: the process of the daemon, not those that read files for it and have its name.
daemon_pid() {
	opcontrol --status | sed -n 's/^Daemon .*: pid //p'
}

# used_memory: bytes of the driver's buffers.
used_memory() {
	awk '/\[oprofile\]/ { n += $2 } END { print n + 0 }' /proc/vmallocinfo
}

# need_model NAME: skips the case if the driver has chosen another model.
need_model() {
	[ "$(get model)" = "$1" ] || skip "the driver took the model $(get model), not $1"
}

# load_modules NAME: a module of the kernel and those that it needs. Some are loaded already.
load_modules() {
	for module in "$KIT/modules/$1"/*; do
		[ ! -f "$module" ] || insmod "$module" 2>/dev/null || true
	done
}

# need_file_system NAME: skips the case if the kernel does not have it.
need_file_system() {
	load_modules "$1"
	grep -q -w "$1" /proc/filesystems || skip "the kernel has no $1"
}

# samples_of LOG KIND END: samples in images (KIND image), or of executables (app), whose path ends in END.
samples_of() {
	awk -v kind="$2" -v end="$3" '
		$1 == kind && substr($3, length($3) - length(end) + 1) == end { n += $2 }
		END { print n + 0 }' "$1"
}

# check_alike LOG KIND END END MISSED: both have samples, and as many within error: four standard deviations and a twentieth, besides
# the periods that the timer missed on their CPU, as it does where the host is busy: a burst of them may be one program's alone.
check_alike() {
	first=$(samples_of "$1" "$2" "$3")
	second=$(samples_of "$1" "$2" "$4")
	echo "$2 $3: $first samples, $4: $second; $5 missed"
	check "samples of $3 and $4" $((first + second)) -gt 200
	check "samples of $3" "$first" -gt $(((first + second) / 10))
	check "samples of $4" "$second" -gt $(((first + second) / 10))
	awk -v a="$first" -v b="$second" -v missed="$5" 'BEGIN {
		n = a + b
		apart = (a > b ? a - b : b - a) - missed
		exit apart > 0 && apart * apart > 16 * n + n * n / 400
	}' || fail "not as many samples of $3 as of $4"
}

# in_chain LOG MODE PART...: samples of that mode in call_chain, and those of them whose innermost addresses lie in those parts.
in_chain() {
	awk -v mode="$2" -v parts="$3 ${4-} ${5-}" '
		BEGIN { depth = split(parts, part) }
		$1 == "range" { first[$2] = $3; last[$2] = $4 }
		$1 == "base" { base = mode == "kernel" ? $2 : 0 }
		$1 == "chain" && $2 == mode {
			inside = 1
			for (i = 1; i <= depth; i++) {
				at = $(3 + i) - base
				inside = inside && at >= first[part[i]] && at < last[part[i]]
			}
			all += $3
			good += inside * $3
		}
		END { print all + 0, good + 0 }' "$1"
}

# check_chain LOG MODE: nearly all samples in c were called by b, which was called by a. Not all: on its first and last instructions
# c has no frame of its own.
check_chain() {
	in_c=$(in_chain "$1" "$2" c)
	in_c=${in_c#* }
	whole=$(in_chain "$1" "$2" c b a)
	whole=${whole#* }
	echo "$2: $in_c samples in c, $whole of them called by b called by a"
	check "samples in $2 mode of c" "$in_c" -gt "$(fewer 50)"
	check "of these, called by b called by a, per mille" "$((whole * 1000 / in_c))" -ge 990
}

# check_equal_work PROGRAM PROGRAM: two copies of shares do equal work at the same time; each has its own samples, also as the
# executable.
check_equal_work() {
	use_timer
	milliseconds=$(longer 2000)
	sample_balanced run.log sh -c "$1 $milliseconds 0 >first.log & $2 $milliseconds 0 >second.log; wait"
	missed=$(cat "$fs/stats/cpu0/timer_overruns") # since the driver was loaded, for this
	check_alike run.log image "$1" "$2" "$missed"
	check_alike run.log app "$1" "$2" "$missed"
}

# need_userland CASE: prepares for our own programs in a guest without the host's; skips the case if they could not be built.
# $output: what the case puts there is checked on the host by verify_CASE.py once the guest has ended.
need_userland() {
	[ -x "$KIT/ocount" ] || skip "no ocount and operf for this guest: $(cat "$KIT/no_userland")"
	OPROFILE_EVENTS_DIR=$KIT/events
	export OPROFILE_EVENTS_DIR
	output=/out/output/$1
	mkdir -p "$output"
}

# record NAME EVENTS COMMAND...: records a session with operf; leaves it as NAME.tar in $output, and what operf printed as NAME.log.
# One file, as the clock of a guest with -icount advances too far while the guest waits for the host.
record() {
	name=$1 events=$2
	shift 2
	mkdir "$name"
	operf --session-dir="$name" -e "$events" "$@" >"$output/$name.log" 2>&1 || fail "operf: $(cat "$output/$name.log")"
	cat "$output/$name.log"
	tar -cf "$output/$name.tar" "$name"
}
