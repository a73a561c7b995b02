# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-ppc64el
# boot: icount
# limit: 100
# ocount on POWER's counters, as far as the emulator has them: it counts the kernel's instructions too, whatever the mode,
# and no event but cycles and instructions. verify_ocount_power.py checks what it leaves.
. "$KIT/lib.sh"

need_userland ocount_power
check_eq "CPU type" "$(ophelp --get-cpu-type)" "ppc64 POWER9"
known_instructions a # its file is read in once
ocount --brief-format -e PM_INST_CMPL -f "$output/three" known_instructions a b c
ocount --brief-format -e PM_INST_CMPL -f "$output/six" known_instructions a b c d e f
ocount --format=json -e PM_INST_CMPL,CYCLES -f "$output/together" known_instructions a b c d e f
# Each of the last four needs another of the four counters that count cycles, so events take turns.
ocount --format=json -e PM_CYC,PM_STALL_END_ICT_EMPTY,PM_ST_FIN,PM_DISP_STARVED,PM_FXU_FIN -f "$output/turns" known_instructions a b c d e f
