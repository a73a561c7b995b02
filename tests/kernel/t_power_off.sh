# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.12-amd64
# soak: *-amd64
# limit: 60
# boot: netburst
# leaves: the driver
# A machine that is powered off while a register model counts: the counters are stopped before firmware, or the next kernel, could be
# interrupted by them. The guest powers off after this case; verify_power_off.py reads the lines of the double in the kernel's log.
. "$KIT/lib.sh"
. "$KIT/msr.sh"

load_double intel intel i386/arch_perfmon 4
counter 0 0x3c 100000 0x41 1 1 0
exec 3<"$fs/buffer"
put enable 1
sleep 1000 & # keeps the buffer open
registers_are 0x38f 0x1 || fail "the counter does not count: $(cat "$msr/registers")"
mkdir -p /out/output/power_off
