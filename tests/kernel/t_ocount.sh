# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-arm64
# soak: *-arm64
# boot: icount
# limit: 400
# ocount on counters: exactly the known number of instructions of a program and its child; and with more events than counters. verify_ocount.py checks what it leaves.
. "$KIT/lib.sh"

need_userland ocount
type=$(ophelp --get-cpu-type)
check_eq "CPU type" "$type" "ARM Cortex-A72"
modes=INST_RETIRED,INST_RETIRED:0:0:1,INST_RETIRED:0:1:0,CPU_CYCLES,CPU_CYCLES:0:0:1,CPU_CYCLES:0:1:0
known_instructions a # its file is read in once
ocount --brief-format -e INST_RETIRED:0:0:1 -f "$output/one" known_instructions a
ocount --brief-format -e INST_RETIRED:0:0:1 -f "$output/three" known_instructions a b c
ocount --format=json -e $modes -f "$output/modes" known_instructions a b c
# Seven of ten events can be counted at a time.
ocount --format=json -e $modes,L1D_CACHE,L1D_CACHE:0:0:1,L1D_CACHE:0:1:0,SW_INCR -f "$output/multiplexed" \
	known_instructions a b c d e f
