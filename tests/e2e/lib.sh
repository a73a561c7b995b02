# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the end-to-end tests: a directory of their own, the built tools, skipping where nothing can be profiled.
set -eu
. "${srcdir:-.}/tests/environment.sh"
. "${srcdir:-.}/tests/e2e/processes.sh"
build=$PWD
tests=$build/tests
work=$(mktemp -d)
leave_nothing
# Nothing is read from, or left in, the home of whoever runs the tests.
export HOME="$work/home" XDG_STATE_HOME="$work/state"
mkdir "$HOME"

fail() {
	echo "FAILED: $*" >&2
	for log in "$work"/*.log; do
		[ -f "$log" ] && sed "s|^|${log##*/}: |" "$log" >&2
	done
	exit 1
}

# profile LOG [operf words]: runs operf; its messages go to LOG.
profile() {
	log=$work/$1.log
	shift
	"$build/operf" "$@" >"$log.out" 2>"$log"
}

# without_map COMMAND...: runs it and hides what it prints. The perf map that it leaves is removed: a later process gets its number.
without_map() {
	ended=0
	pid=$(sh -c 'echo $$; exec "$@" >/dev/null 2>&1' sh "$@") || ended=$?
	rm -f "/tmp/perf-$pid.map"
	return $ended
}

# asked COMMAND...: whether can_profile, so started, permits it; if not, the reason is $refusal
asked() {
	permitted=0
	refusal="no profiling here: $("$@" 2>&1)" || permitted=$?
	[ "$permitted" -le 1 ] || fail "$*: $refusal"
	return "$permitted"
}

# may_profile [KIND...]: whether the kernel lets this user sample in these ways (can_profile.cpp); if not, the reason is $refusal
may_profile() { asked "$tests/e2e/can_profile" "$@"; }

# need_profiling [KIND...]: skips the test where the kernel does not let this user sample in these ways; where it does, operf
# has to.
need_profiling() {
	may_profile "$@" || { echo "skipped: $refusal"; exit 77; }
	mkdir "$work/probe"
	profile probe --session-dir "$work/probe" true || fail "operf cannot profile though the kernel would let it"
}

# may_act_as_another: whether programs can be started by $another as a user who has no rights and reaches $work; if not, the reason
# is $refusal
may_act_as_another() {
	another="setpriv --reuid 65534 --regid 65534 --clear-groups"
	refusal="there is no setpriv here"
	command -v setpriv >/dev/null || return
	chmod 755 "$work"
	refusal="no other user can be had who reaches $work: $($another test -x "$work" 2>&1)"
}

# another_may_profile [KIND...]: as may_profile, of that user
another_may_profile() {
	[ -x "$work/can_profile" ] || install "$tests/e2e/can_profile" "$work/"
	asked $another "$work/can_profile" "$@"
}

# Skips the test where operf does not walk stacks itself.
need_walked_stacks() {
	case $(uname -m) in
	x86_64 | aarch64 | ppc64le) ;;
	*)
		echo "skipped: on this machine stacks are walked by the kernel"
		exit 77
		;;
	esac
}

# complete_of SESSION: how many of its call stacks are complete, and how many there are, by its manifest
complete_of() {
	awk '/"stacks": *\{/ { inside = 1 }
		inside && /"complete":/ { complete = all = $2 + 0 }
		inside && /"incomplete":/ { if (/}/) exit; reasons = 1; next }
		reasons { all += $2 }
		/}/ && reasons { exit }
		END { print complete + 0, all + 0 }' "$1/samples/current/manifest.json"
}

# balanced SESSION: every sample the manifest accounts for is stored or lost by a cause, and the files hold what is
# stored
balanced() {
	# There is no report if nothing is stored.
	"$build/opreport" --session-dir "$1" --no-header --merge all 2>/dev/null >"$work/totals" || [ ! -s "$work/totals" ] || fail "$1: opreport"
	awk -v manifest="$1/samples/current/manifest.json" '
		/^ *[0-9]/ { held += $1 }
		END {
			while ((getline line < manifest) > 0) text = text line
			sampled = number("sampled"); stored = number("stored")
			rest = substr(text, index(text, "\"ledger\"")) # its "lost": {CAUSE: {"CPU": COUNT, ...}, ...}
			while (match(rest, /"[0-9]+": *[0-9]+/)) {
				pair = substr(rest, RSTART, RLENGTH)
				lost += substr(pair, index(pair, ":") + 1) + 0
				rest = substr(rest, RSTART + RLENGTH)
			}
			print "account: " sampled " sampled, " stored " stored, " lost + 0 " lost, " held + 0 " in files"
			exit !(sampled > 0 && sampled == stored + lost && held + 0 == stored)
		}
		function number(name) {
			match(text, "\"" name "\": *[0-9]+")
			return substr(text, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0
		}' "$work/totals" || fail "$1: the account does not balance"
}

# ran_all_the_time SESSION: the manifest knows how long each event was counted, which is all of the time, as of events that
# need no counter, and no report scales anything
ran_all_the_time() {
	awk '/"enabled_ns"/ { enabled = $2 + 0 }
		/"running_ns"/ { running = $2 + 0; print "enabled " enabled " ns, running " running " ns"
			events++; bad += !(running > 0 && running <= enabled && enabled - running <= enabled / 1000) }
		END { exit !events || bad }' "$1/samples/current/manifest.json" || fail "$1: an event was not counted all the time"
	"$build/opreport" --session-dir "$1" --merge all >"$work/report.log" 2>&1 || fail "$1: opreport ended with status $?"
	! grep 'scaled' "$work/report.log" || fail "$1: counts are scaled"
}

# own_program: a copy of the program of known shares at $program, so that a profile of the whole system does not confuse it
# with the program of a test running beside this one
own_program() {
	program=$work/program
	cp "$tests/e2e/shares" "$program"
}

# samples_of SESSION SYMBOL [SPEC]: its samples in opreport -l
samples_of() {
	"$build/opreport" --session-dir "$1" --symbols ${3+"$3"} 2>/dev/null | awk -v s="$2" '$NF == s { n += $1 } END { print n + 0 }'
}

# has_samples SESSION SYMBOL NUMBER: it has so many, which it may get while it is looked at
has_samples() { [ "$(samples_of "$1" "$2")" -ge "$3" ]; }

# has_file DIRECTORY PATTERN: a path below it matches
has_file() { [ -n "$(find "$1" -path "$2" 2>/dev/null)" ]; }

# build_replaced: a program, $work/replaced N, that fills 64 MiB and calls exec, N times, so that the kernel frees them
build_replaced() {
	cat >"$work/replaced.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	const size_t size = 64 << 20;
	char left[16];
	snprintf(left, sizeof left, "%d", argc > 1 ? atoi(argv[1]) - 1 : 0);
	char *volatile memory = malloc(size); // or the compiler leaves it out
	if (memory == NULL || atoi(left) <= 0) return 0;
	memset(memory, 1, size);
	return execl(argv[0], argv[0], left, memory[size / 2] ? NULL : "", NULL);
}
END
	cc -O2 -o "$work/replaced" "$work/replaced.c" || fail "replaced.c cannot be compiled"
}
