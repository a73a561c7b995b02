# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 sid-amd64
# soak: *-amd64
# limit: 300
# boot: icount
# With opcontrol over the driver, functions that lay at one address one after the other have their own samples, by the times of a
# jitdump; with call stacks, too. The guest's clock counts instructions, so that the shares do not depend on the host.
. "$KIT/lib.sh"
PATH=$OP_BUILD:$PATH
program=$OP_BUILD/tests/e2e/jit_code

# quietly COMMAND...: its output is shown only if it fails.
quietly() {
	"$@" >command.log 2>&1 || {
		cat command.log
		fail "$*: status $?"
	}
}

# near SYMBOL SHARE: its percentage of the samples in code made at run time, within 3 points.
near() {
	found=$(awk -v symbol="$1" '$3 == "[jit]" { all += $1; if ($NF == symbol) its += $1 }
		END { printf "%.1f of %d\n", all ? 100 * its / all : 0, all }' report.log)
	echo "$1: $found, $2 expected"
	awk -v a="${found%% *}" -v b="$2" 'BEGIN { exit !(a - b <= 3 && b - a <= 3) }' || {
		grep '\[jit\]' report.log
		fail "$1 has $found samples in code made at run time, not $2 %"
	}
}

# profile [WORD...]: a session of the daemon, with these words of opcontrol.
profile() {
	quietly opcontrol --reset
	quietly opcontrol --setup --no-vmlinux --event TIMER:1000000 "$@"
	quietly opcontrol --start
	"$program" dump f@0:500 g@0:1500 >/dev/null
	quietly opcontrol --dump
	quietly opcontrol --shutdown
	opreport --symbols >report.log 2>report.err || { cat report.err; fail "opreport"; }
}

quietly opcontrol --init --module "$KIT/oprofile.ko"
profile
near f 25
near g 75
profile --callgraph=16
opreport --format=folded >folded.log 2>report.err || { cat report.err; fail "opreport --format=folded"; }
worker_places_all || for name in f g; do
	grep -q "main;.*;$name " folded.log || { cat folded.log; fail "no stack of $name"; }
done
quietly opcontrol --deinit
