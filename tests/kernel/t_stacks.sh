# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 6.12-amd64 sid-amd64 sid-rt-amd64 sid-arm64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 90
# The driver copies stacks, with registers and mappings, for samples in user and in kernel mode: of a program without frame pointers
# the return addresses are there. With opcontrol the stacks of an ordinary python3 lead to its start.
. "$KIT/lib.sh"

# check_words LOG MODE: nearly all samples in c have, among the words of their stacks that are addresses of code, one of b before
# one of a: their return addresses. Others are left from calls before.
check_words() {
	awk -v mode="$2" '
		function is_in(part, at) { return at >= first[part] && at < last[part] }
		$1 == "range" { first[$2] = $3; last[$2] = $4 }
		$1 == "base" { base = mode == "kernel" ? $2 : 0 }
		$1 == "chain" && $2 == mode && is_in("c", $4 - base) {
			for (i = 5; i <= NF && !is_in("b", $i - base); i++) {}
			for (; i <= NF && !is_in("a", $i - base); i++) {}
			all += $3
			good += (i <= NF) * $3
		}
		END { print all + 0, good + 0 }' "$1" >words.log
	read -r in_c whole <words.log
	echo "$2: $in_c samples in c, $whole of them called by b called by a"
	check "samples in $2 mode of c" "$in_c" -gt "$(fewer 20)"
	check "of these, called by b called by a, per mille" "$((whole * 1000 / in_c))" -ge 990
}

load_driver timer=1
use_timer 1000000
put backtrace_depth 16
check_eq "stack_size at first" "$(get stack_size)" 0
check_eq "stack_size of a MB" "$(answer stack_size 1048576)" EINVAL
put stack_size 65536
sample_balanced chain.log -c plain_chain plain_chain "$(longer 2000)"
if worker_places_all; then
	check_eq "stacks" "$(($(value chain.log user_stacks) + $(value chain.log kernel_stacks)))" 0
	not_copied=$(value chain.log not_copied)
	check "stacks not copied" "$not_copied" -gt "$(fewer 100)"
	check_eq "stack_lost" "$(cat "$fs"/stats/cpu*/stack_lost | awk '{ n += $1 } END { print n }')" "$not_copied"
	check "lines of the log on that" "$(dmesg | grep -c 'their stacks are not copied')" -ge 1
	unload_driver
	exit 0
fi
check_words chain.log user
check_words chain.log kernel
stacks=$(($(value chain.log user_stacks) + $(value chain.log kernel_stacks)))
check "whole stacks" "$(value chain.log whole_stacks)" -ge "$((stacks * 9 / 10))"
not_copied=$(value chain.log not_copied)
check "stacks not copied" "$not_copied" -le "$((stacks / 20 + 5))"
check_eq "stack_lost" "$(cat "$fs"/stats/cpu*/stack_lost | awk '{ n += $1 } END { print n }')" "$not_copied"

# Programs that come and go, map and unmap, and fork: every stack names mappings of its own process, and the balance is exact.
sample_balanced find.log sh -c 'find /proc /sys -maxdepth 3 >/dev/null 2>&1; short_lived 100 300'
check "stacks in kernel mode" "$(value find.log kernel_stacks)" -gt 0
check "mappings" "$(value find.log maps)" -gt 1

# A reader with too little room for a stack is refused, and without stacks it is not.
check_eq "a small read" "$(stream_stat -b 65536 true >small.log 2>&1 && echo done || echo refused)" refused
put stack_size 0
sample_balanced none.log true
check_eq "stacks where none are asked for" "$(value none.log user_stacks)" 0
unload_driver

# After an NMI an irq_work copies the stack. The NMIs are real, the counters a double.
if [ -f "$KIT/oprofile_double.ko" ]; then
	load_nmi_double
	put 0/kernel 1
	put 0/user 1
	put 0/enabled 1
	put backtrace_depth 16
	put stack_size 65536
	sample_balanced nmi.log -c plain_chain with_nmis 1500 plain_chain "$(longer 1000)"
	check_words nmi.log user
	check_words nmi.log kernel # of those whose entry from user mode had saved its registers; an emulator's often have not
	unload_driver
fi

[ -x "${OP_BUILD-}/oprofiled" ] && [ -x /usr/bin/python3 ] || exit 0
PATH=$OP_BUILD:$PATH
opcontrol --init --module "$KIT/oprofile.ko"
opcontrol --setup --no-vmlinux --event TIMER:1000000 --callgraph=256
opcontrol --start
/usr/bin/python3 -c 'import json
for i in range(400): json.loads(json.dumps({str(n): [n] * 3 for n in range(200)}))'
opcontrol --dump
opcontrol --shutdown
opreport --call-tree --threshold 5 >tree.log 2>tree.err || { cat tree.err; fail "opreport --call-tree"; }
cat tree.log
# Of the stacks that were copied nearly all are whole: a daemon as slow as a guest's may leave some out.
sed -n '/"stacks"/,/}/p' /var/lib/oprofile/samples/current/manifest.json >stacks.log
cat stacks.log
awk -F '[:,]' '/"complete"/ { complete = $2 } /"(no_|page_absent|stack_switch|dump_short|unsupported|too_deep)/ { others += $2 }
	END { exit !(complete > 100 && complete >= 19 * others) }' stacks.log || fail "many stacks are not complete"
opcontrol --deinit
