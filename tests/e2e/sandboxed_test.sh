#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# Each report command is in the sandbox when it prints: its output goes to a pipe that is full, and meanwhile the kernel
# is asked which rights the process has left. (opimport prints nothing of its result, which a process outside writes:
# tests/golden/opimport/sandbox has its case.)
. "${srcdir:-.}/tests/e2e/lib.sh"
source=$(cd "${srcdir:-.}" && pwd)
grep -q '^Seccomp:' /proc/self/status || { echo "skipped: this kernel has no seccomp"; exit 77; }
cd "$work"
"$tests/golden/make_session" "$source/tests/golden/sessions/demo.txt" demo

# rights PID: what is left to a process that waits for a reader, as the kernel states it; 2 = calls are filtered.
rights() {
	sed -n 's/^\(Seccomp\|NoNewPrivs\|CapEff\):[[:space:]]*/\1 /p' "/proc/$1/status" 2>/dev/null | tr '\n' ' '
}

# has_rights PID WANTED
has_rights() {
	found=$(rights "$1")
	case $found in
	$2) ;;
	*) false ;;
	esac
}

# prints_as WANTED COMMAND...: the command's rights while it waits to print become those.
prints_as() {
	wanted=$1
	shift
	rm -f pipe
	mkfifo pipe
	exec 3<>pipe
	dd if=/dev/zero of=pipe bs=4096 oflag=nonblock 2>/dev/null || : # until it is full, whatever its size is (pipe(7))
	"$build/$@" >pipe 2>command.log 3<&- &
	pid=$!
	wait_beside $pid 60 "$1 has the rights '$wanted'" has_rights $pid "$wanted"
	kill -KILL $pid
	wait $pid 2>/dev/null || :
	exec 3<&-
}

# Of the capabilities the one to read all files is left, bit 2 (capabilities(7)).
own=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/$$/status) # root has not every capability in a container
readers=$(printf '%016x' $((0x$own & 4)))
options="--session-dir=demo --root=$source/tests/fixtures/root"
for command in "opreport $options --symbols" "opannotate $options --assembly" "oparchive $options --list-files" \
	"opgprof $options -o - /usr/bin/demo"; do
	prints_as "CapEff $readers NoNewPrivs 1 Seccomp 2 " $command
done
prints_as "CapEff * Seccomp 0 " opreport $options --symbols --no-sandbox
