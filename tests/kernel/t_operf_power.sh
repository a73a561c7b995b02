# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-ppc64el
# boot: icount
# limit: 100
# operf on POWER, with pages of 64 KiB, by the timer: the emulator's counters raise no interrupt when they overflow.
# verify_operf_power.py checks the session with the host's opreport.
. "$KIT/lib.sh"

need_userland operf_power
record shares TIMER:1000000 shares 400
mkdir -p "$output/root$KIT"
cp "$KIT/shares" "$output/root$KIT"
