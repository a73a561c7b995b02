#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# emulator_fault distinguishes a guest that died of a fault of the emulator from one that died of its kernel or the driver.
set -eu
tool=${srcdir:-.}/tests/kernel/emulator_fault
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# died PANIC FLAGS [FLAGS-BEFORE]: writes the log of a kernel that dies so, after a warning.
died() {
	cat >"$log" <<-END
		[  291.284050] RSP: 0018:ff5b5f1b4048b980 EFLAGS: ${3-00000246}
		[  291.284050] case throttle
		[  294.289192] traps: $1
		[  294.303747] RSP: 0018:ff5b5f1b4048b980 EFLAGS: $2
		[  294.312090] RSP: 002b:00007fff856555a8 EFLAGS: 00000246 ORIG_RAX: 000000000000003b
	END
}
# is_emulator, is_kernel WHAT
is_emulator() { "$tool" "$log" >/dev/null || { echo "FAILED: $1: reported as the kernel's"; exit 1; }; }
is_kernel() { ! "$tool" "$log" >/dev/null || { echo "FAILED: $1: reported as the emulator's"; exit 1; }; }

double="PANIC: double fault, error_code: 0x0"
died "$double" a6aafa02
is_emulator "flags that no processor has"
died "$double" 00400246
is_emulator "the lowest reserved bit"
for flags in 00000246 00010202 003f7fd7; do
	died "$double" $flags
	is_kernel "a double fault with flags $flags"
done
died "$double" 00000246 a6aafa02
is_kernel "a double fault after a frame of odd flags"
died "PANIC: general protection fault" a6aafa02
is_kernel "another fault, whose frame may have been written to"

# trapped OOPS BYTES: writes the log of a kernel that dies so, with these bytes of its code.
trapped() {
	cat >"$log" <<-END
		[  236.104366] Oops: $1: 0000 [#1] SMP
		[  236.104426] RIP: 0010:set_next_task_fair+0x6e/0x7f0
		[  236.104474] Code: 48 89 43 70 $2 44 00 00 48 8b
	END
}
trapped int3 "0f <1f>"
is_emulator "a breakpoint trap of another instruction"
trapped int3 "cc <1f>"
is_kernel "a breakpoint"
trapped "general protection fault" "0f <1f>"
is_kernel "another fault at such an instruction"
: >"$log"
is_kernel "an empty log"
