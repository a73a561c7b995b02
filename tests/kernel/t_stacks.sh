# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 6.12-amd64 sid-amd64 sid-rt-amd64 sid-arm64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 90
# The driver copies stacks, with registers and mappings, for samples in user and in kernel mode: of a program without frame pointers
# the return addresses are there. With opcontrol the stacks of an ordinary python3 lead to its start.
. "$KIT/lib.sh"

load_driver timer=1
use_timer 1000000
put backtrace_depth 16
check_eq "stack_size at first" "$(get stack_size)" 0
check_eq "stack_size of a MB" "$(answer stack_size 1048576)" EINVAL
put stack_size 65536
sample_balanced chain.log -c plain_chain plain_chain "$(longer 2000)"
check_chain chain.log user
check_chain chain.log kernel
stacks=$(value chain.log user_stacks)
check "whole stacks" "$(value chain.log whole_stacks)" -ge "$((stacks * 9 / 10))"
not_copied=$(value chain.log not_copied)
check "stacks not copied" "$not_copied" -le "$((stacks / 20 + 5))"

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
