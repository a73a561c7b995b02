# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-ppc64el
# boot: icount
# limit: 600
# operf on POWER, with pages of 64 KiB, by the timer: the emulator's counters raise no interrupt when they overflow.
# verify_operf_power.py checks the session with the host's opreport.
. "$KIT/lib.sh"

need_userland operf_power
record shares TIMER:1000000 shares 1600
# Callers by unwind tables and the back chain, in user mode and in page faults.
record chain TIMER:1000000 --callgraph plain_chain 800
# Through a signal handler, and with the vDSO innermost. What operf does before it reads samples takes half a second here.
record signal TIMER:4000000 --callgraph signal_chain 1600
mkdir -p "$output/root$KIT"
cp "$KIT/shares" "$KIT/plain_chain" "$KIT/signal_chain" "$output/root$KIT"
