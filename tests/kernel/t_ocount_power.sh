# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-ppc64el
# boot: icount
# limit: 100
# ocount on POWER's counters, as far as the emulator has them: it counts the kernel's instructions too, whatever mode is asked for,
# and no event but cycles and instructions. left_ocount_power.py checks what is left.
. "$KIT/lib.sh"

need_userland ocount_power
check_eq "CPU type" "$(ophelp --get-cpu-type)" "ppc64 POWER9"
known_instructions a # its file is read in once
ocount --brief-format -e PM_INST_CMPL -f "$left/three" known_instructions a b c
ocount --brief-format -e PM_INST_CMPL -f "$left/six" known_instructions a b c d e f
# Only the first counter counts either, so they take turns.
ocount --format=json -e PM_INST_CMPL,CYCLES -f "$left/turns" known_instructions a b c d e f
