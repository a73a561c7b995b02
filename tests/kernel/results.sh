# SPDX-License-Identifier: GPL-2.0-or-later
# What run.sh reports, and which failures of a case are excused: printed, in files of ./check-kernel/FLAVOUR, and in
# ./check-kernel/reruns. Sourced; needs $top, $flavour and $series.
#
# A kernel of a series (6.1, 6.12) decides: what it reports goes to CASE.trs, for tests/summary.sh, and no result is a failure. The
# newest kernel changes without us and does not: what it reports goes to CASE.report, for newest.txt of check.sh. With
# $OP_NEWEST_DECIDES set it does decide.

failures=0

decides() {
	[ -n "$series" ] || [ -n "${OP_NEWEST_DECIDES-}" ]
}

# result PASS|FAIL|SKIP CASE [REMARK]
result() {
	kind_of_result=report mark='newest kernel: '
	! decides || kind_of_result=trs mark=
	printf '%s%s: %s %s%s\n' "$mark" "$1" "$flavour" "$2" "${3:+ ($3)}"
	printf ':test-result: %s\n:global-test-result: %s\n:remark: %s\n' "$1" "$1" "${3-}" >"$top/$flavour/$2.$kind_of_result"
	[ "$1" != FAIL ] || failures=$((failures + 1))
}

# no_result NAME REASON: nothing of this kernel, or of a part of it, could be run.
no_result() {
	! decides || { result FAIL "$1" "no result: $2"; return; }
	result SKIP "$1" "$2"
}

has_result() {
	[ -f "$top/$flavour/$1.trs" ] || [ -f "$top/$flavour/$1.report" ]
}

show() {
	sed 's/^/    /'
}

# took KIND NAME SECONDS: a line of the table of times.
took() {
	echo "$flavour $1 $2 $3" >>"$top/$flavour/times"
}

now() {
	date +%s
}

# what_failed STATUS SECONDS: in words.
what_failed() {
	case $1 in
	124 | 137 | 143) echo "not done within its limit of time" ;;
	98) echo "the driver could not be unloaded" ;;
	99) echo "the kernel complained" ;;
	77) echo "skipped, after it had failed" ;;
	*) echo "status $1 after $2 s" ;;
	esac
}

# note_rerun CASE ATTEMPT MESSAGE: a line of ./check-kernel/reruns; those of the newest kernel are kept apart.
note_rerun() {
	reruns=$top/reruns
	decides || reruns=$top/reruns.newest
	echo "$flavour $1 $2 $3" >>"$reruns"
}

# report CASE LOG STATUS SECONDS ATTEMPT: the result of a case, or, if it is to be run again, its name in $red, and in $late if it ran
# out of time. A case is red if it failed three times; at once if the driver stayed loaded or the kernel complained. One that
# has failed has to pass: being skipped does not excuse it.
report() {
	case $3-$5 in
	0-1) result PASS "$1" "$4 s"; return ;;
	0-*) result PASS "$1" "$4 s, at attempt $5"; return ;;
	77-1) result SKIP "$1" "$(sed -n 's/^skipped: //p' "$2")"; return ;;
	98-* | 99-* | *-3) result FAIL "$1" "$(what_failed "$3" "$4")${5:+, at attempt $5}" ;;
	*)
		red="$red $1"
		[ "$3" != 124 ] || late="$late $1"
		cp "$2" "$top/$flavour/$1.attempt$5.log"
		what_failed "$3" "$4" >"$top/$flavour/$1.failed"
		printf 'failed at attempt %s, and is run again alone: %s %s (%s)\n' "$5" "$flavour" "$1" "$(cat "$top/$flavour/$1.failed")"
		;;
	esac
	tail -n 60 "$2" | show
}
