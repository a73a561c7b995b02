# SPDX-License-Identifier: GPL-2.0-or-later
# For the cases that run in a guest, sourced by each: load and unload the driver, its files, waiting, checking.
# POSIX shell; on arm64 there is nothing but busybox and the programs of programs/. $KIT holds the driver, the
# programs and the cases; the working directory is the case's own. What runs in the background ends with the case, and
# the driver goes. See doc/DRIVER.md for the files.
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

# check WHAT CONDITION...: the words of a test(1) expression.
check() {
	what=$1
	shift
	[ "$@" ] || fail "$what: not so: $*"
}

# wait_for SECONDS COMMAND...: until it succeeds; five times as long with a kernel that checks itself.
wait_for() {
	case $(uname -r) in
	*debug*) ends=$(($(cut -d. -f1 /proc/uptime) + 5 * $1)) ;;
	*) ends=$(($(cut -d. -f1 /proc/uptime) + $1)) ;;
	esac
	shift
	until "$@"; do
		[ "$(cut -d. -f1 /proc/uptime)" -lt "$ends" ] || fail "waited in vain for: $*"
		sleep 0.05
	done
}

# A kernel that checks itself takes so long for a sample that the guard leaves out most of them. Work and periods are four times
# as long there.
# longer NUMBER
longer() {
	case $(uname -r) in
	*debug*) echo $((4 * $1)) ;;
	*) echo "$1" ;;
	esac
}

# load_driver [PARAMETER=VALUE...]: loads it and mounts its files.
load_driver() {
	insmod "$KIT/oprofile.ko" "$@"
	mkdir -p "$fs"
	mount -t oprofilefs nodev "$fs"
}

unload_driver() {
	umount "$fs"
	rmmod oprofile
}

# background COMMAND...: runs it beside the case until the case ends; $pid.
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

# answer FILE [OFFSET] TEXT: the number of bytes one write takes, or the name of its error.
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

# sample LOG [stream_stat words]: samples a command; the figures go to LOG.
sample() {
	log=$1
	shift
	status=0
	stream_stat "$@" >"$log" || status=$?
	[ "$status" = 0 ] || cat "$log"
	check_eq "status of stream_stat $*" "$status" 0
}

# value LOG NAME: a figure of stream_stat's.
value() {
	awk -v name="$2" '$1 == name { print $2; exit }' "$1"
}

# offsets_in LOG NAME: samples at the offsets of the range that a program printed there.
offsets_in() {
	awk -v name="$2" '$1 == "range" && $2 == name { first = $3; last = $4 }
		$1 == "offset" { at[$2] += $3 }
		END { for (o in at) if (o + 0 >= first && o + 0 < last) n += at[o]; print n + 0 }' "$1"
}

# need_model NAME: skips the case if the driver loaded another.
need_model() {
	[ "$(get model)" = "$1" ] || skip "the driver took the model $(get model), not $1"
}

# need_userland: our own programs in a guest that has none of the host's; skips the case if they could not be built.
# $left: what stands there is checked on the host by left_CASE.py once the guest has ended.
need_userland() {
	[ -x "$KIT/ocount" ] || skip "no ocount and operf for this guest: $(cat "$KIT/no_userland")"
	OPROFILE_EVENTS_DIR=$KIT/events
	export OPROFILE_EVENTS_DIR
	left=/out/left/$1
	mkdir -p "$left"
}

# record NAME EVENTS COMMAND...: a session of operf's, NAME.tar in $left, with what operf said in NAME.log. One file, as the clock of a
# guest with -icount runs away while it waits for the host.
record() {
	name=$1 events=$2
	shift 2
	mkdir "$name"
	operf --session-dir="$name" -e "$events" "$@" >"$left/$name.log" 2>&1 || fail "operf: $(cat "$left/$name.log")"
	cat "$left/$name.log"
	tar -cf "$left/$name.tar" "$name"
}
