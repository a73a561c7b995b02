# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-arm64
# soak: *-arm64
# boot: icount
# limit: 400
# operf on counters, two events at a time. verify_operf.py checks the sessions with the host's opreport.
. "$KIT/lib.sh"

need_userland operf
known_instructions a # its file is read in once
ocount --brief-format -e INST_RETIRED:0:0:1 -f "$output/counted" known_instructions a b c d e f
record known CPU_CYCLES:100000:0:0:1,INST_RETIRED:100000:0:0:1 known_instructions a b c d e f
record shares CPU_CYCLES:100000,INST_RETIRED:100000 shares 800
# Callers without frame pointers, by unwind tables: of functions that keep the return address in a register, too.
record chain CPU_CYCLES:1500000 --callgraph plain_chain 800
# Seven of nine events can be counted at a time.
several=
for count in 100000 102000 104000 106000 108000 110000 112000 114000 116000; do
	several=$several${several:+,}INST_RETIRED:$count:0:0:1
done
record several "$several" known_instructions $(seq 36)
mkdir -p "$output/root$KIT"
cp "$KIT/known_instructions" "$KIT/shares" "$KIT/plain_chain" "$output/root$KIT"

# Some file systems cannot map sample files, such as 9p as it is mounted here. operf reports that before it runs the program.
status=0
operf --session-dir="$output" -e CPU_CYCLES:100000 touch ran >unmapped.log 2>&1 || status=$?
cat unmapped.log
check_eq "status where files cannot be mapped" "$status" 1
grep -q "cannot map files in $output/samples" unmapped.log || fail "operf does not print why"
[ ! -e ran ] || fail "the program ran"
