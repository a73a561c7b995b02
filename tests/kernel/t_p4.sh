# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.12-amd64
# soak: *-amd64
# limit: 180
# boot: netburst
# The model p4 on an emulated Pentium 4 with two logical processors, over registers that are arrays in memory: what t_msr.sh checks of
# the other models. The kernel's allocator of counters knows these registers here.
. "$KIT/lib.sh"
. "$KIT/msr.sh"
PATH=$OP_BUILD:$PATH
export OPROFILE_EVENTS_DIR="$OP_SOURCE/events"

# zero FIRST LAST [EXCEPT...]: writes of 0 to all registers from LAST down to FIRST, but not to those.
zero() {
	register=$(($2))
	while [ $register -ge $(($1)) ]; do
		name=$(printf 0x%x $register)
		case " ${3-} " in
		*" $name "*) ;;
		*) echo "$name 0x0" ;;
		esac
		register=$((register - 1))
	done
}

# full REGISTER...: a counter far from its overflow.
full() {
	for register in "$@"; do
		echo "$register 0xffffffffff"
	done
}

# arm COUNTER CCCR VALUE
arm() {
	printf '%s\n' "$1 $3" "$2 0x0" "$1 $3"
}

# half 0|1 FILE: the lines of registers of that half: counters and CCCRs by two bits but for the last two, ESCRs by one.
half() {
	awk -v half="$1" '{
		digits = "0123456789abcdef"
		last = index(digits, substr($1, 5, 1)) - 1
		two_bits = $1 ~ /^0x3[06]/
		if ((two_bits ? int(last / 2) % 2 : last % 2) == half) print
	}' "$2"
}

gaps="0x3bf 0x3c6 0x3c7 $(printf '0x3%x ' $(seq 206 223))" # no registers: 0x3ce to 0x3df

# refused EVENT COUNTER: sampling does not start.
refused() {
	counter "$2" "$1" 100000 1 1 1 0
	exec 3<"$fs/buffer"
	check_eq "event $1 on counter $2" "$(answer enable 1)" EIO
	exec 3<&-
	put "$2/enabled" 0
}

# Only on request, and only on such processors.
insert_double p4
check "model p4 without a wish" "$(get model)" != p4
unload_driver
check_eq "p4 on another processor" "$(insert_double intel model=p4 2>&1 | grep -c 'No such device')" 1
check_eq "four logical processors" "$(insert_double p4-4 model=p4 2>&1 | grep -c 'No such device')" 1
check_eq "intel on p4" "$(insert_double p4 model=intel 2>&1 | grep -c 'No such device')" 1

# Model 2, one logical processor: eight counters, 45 ESCRs, 18 CCCRs.
load_double p4 p4 i386/p4 8
remember 0x3a2
counter 0 0x1d 100000 1 1 1 0
counter 1 0x1e 6000 1 0 1 0xffffffff
{
	zero 0x360 0x371
	zero 0x3a0 0x3e1 "$gaps"
	full 0x311 0x30a 0x306 0x302 0x310 0x308 0x304 0x300
	arm 0x300 0x360 0xfffffe7960
	printf '%s\n' "0x3a2 0x2600020c" "0x360 0x403c000"
	arm 0x304 0x364 0xffffffe890
	cat <<-END
		0x3c0 0xa000204
		0x364 0x4030000
		0x834 0x400
		0x360 0x403d000
		0x364 0x4031000
	END
} >start
cat >stop <<END
0x360 0x403c000
0x364 0x4030000
END
check_eq "registers that are set to 0" "$(grep -c ' 0x0$' start)" $((45 + 18 + 2))
life p4
samples p4 0x300 0x304 40
check_order p4 0x300 0x360 0x300 0x304 0x364 0x304 0x834
echo 0 >"$msr/log"
echo 1 >"$msr/flagged"
samples "p4, overflows that only the flag shows" 0x300 0x304 40
check_eq "flags that are left" "$(awk '$2 == "nmi" && $3 == "0x360" { print $4 }' "$msr/log" | sort -u)" 0x403d000
echo 0 >"$msr/flagged"
echo 0 >"$msr/log"
echo 1 >"$msr/again"
samples "p4, an overflow while LVTPC is masked" 0x300 0x304 40 2
check_order "p4, an overflow while LVTPC is masked" 0x300 0x360 0x300 0x304 0x364 0x304 0x834 0x300 0x360 0x300
echo 0 >"$msr/again"
echo 0 >"$msr/log"
plug p4

# Events that the processor does not have, not on that counter, or that would count nothing without tags.
refused 0 0
for code in 0x20 0x21 0x22; do
	refused $code 3
done
refused 0x28 0
refused 0x01 0
refused 0x0e 0
refused 0x0d 4
counter 4 0x0e 100000 1 1 1 0
exec 3<"$fs/buffer"
put enable 1
registers_are 0x362 0x403d000 || fail "counter 4: $(cat "$msr/registers")"
exec 3<&-
fail_unless_same "registers after events that are refused" registers.before "$msr/registers"

# An ESCR that another user has: the buffer cannot be opened, and nothing stays reserved.
echo 45 >"$msr/taken"
check_eq "open with the last ESCR taken" "$(poke "$fs/buffer" || true)" EBUSY
for other in $(seq 45); do
	echo "$other" >"$msr/taken"
done
! echo 46 2>/dev/null >"$msr/taken" || fail "there are more than 45 ESCRs"
echo 0 >"$msr/taken"
unload_driver

# This processor, model 4 with two logical processors: four counters and half of the registers for each; the second has other bits.
load_double p4 "" i386/p4-ht 4
gaps="$gaps 0x3ba 0x3bb"
remember 0x3a2
counter 0 0x1d 100000 1 1 1 0
counter 1 0x1e 6000 1 0 1 0
{
	echo 0x371 0x0
	zero 0x360 0x36f >cccrs
	half 1 cccrs
	zero 0x3a0 0x3e1 "$gaps" >escrs
	half 1 escrs
	full 0x311 0x30a 0x306 0x302
	arm 0x302 0x362 0xfffffe7960
	printf '%s\n' "0x3a3 0x26000203" "0x362 0x803c000"
	arm 0x306 0x366 0xffffffe890
	cat <<-END
		0x3c1 0xa000201
		0x366 0x8030000
		0x834 0x400
		0x362 0x803d000
		0x366 0x8031000
	END
} >start.1
{
	echo 0x370 0x0
	half 0 cccrs
	half 0 escrs
	full 0x310 0x308 0x304 0x300
	tail -n 13 start
} >start.0
cp stop stop.0
printf '%s\n' '0x362 0x803c000' '0x366 0x8030000' >stop.1
check_eq "registers that the two set to 0" "$(cat start.0 start.1 | grep -c ' 0x0$')" $((43 + 18 + 4))
life p4-ht
samples p4-ht 0x300 0x304 40
reloads 0x302 100000 40
reloads 0x306 6000 40
check_order p4-ht 0x300 0x360 0x300 0x304 0x364 0x304 0x834
echo 0 >"$msr/log"
plug p4-ht

# Events of the bus are counted by one of the two.
put 1/enabled 0
counter 0 0x0d 100000 1 1 1 0
exec 3<"$fs/buffer"
put enable 1
check_eq "the half that counts IOQ_ALLOCATION" "$(awk '$4 ~ /d000$/ { print $1, $3 }' "$msr/log")" "0 0x360"
exec 3<&-
echo 0 >"$msr/log"
put 0/event 0x0e
exec 3<"$fs/buffer"
put enable 1
check_eq "the half that counts IOQ_ACTIVE_ENTRIES" "$(awk '$4 ~ /d000$/ { print $1, $3 }' "$msr/log")" "1 0x362"
exec 3<&-
fail_unless_same "registers in the end" registers.before "$msr/registers"
unload_driver

# quietly COMMAND...: its output is shown only if it fails.
quietly() {
	"$@" >command.log 2>&1 || {
		cat command.log
		fail "$*: status $?"
	}
}

# opcontrol knows the events by name, and puts each on a counter that has it.
check_eq "CPU type of this processor" "$(ophelp --get-cpu-type)" "P4 / Xeon with 2 hyper-threads"
quietly opcontrol --init --module "$KIT/oprofile_double.ko" --model=p4
quietly opcontrol --setup --no-vmlinux --event=BRANCH_RETIRED:6000:12 --event=GLOBAL_POWER_EVENTS:100000:1:0:1
quietly opcontrol --start
check_eq "event, mask and count of counter 3" "$(get 3/event) $(get 3/unit_mask) $(get 3/count)" "1 12 6000"
check_eq "event, mask and modes of counter 0" "$(get 0/event) $(get 0/unit_mask) $(get 0/kernel) $(get 0/user)" "29 1 0 1"
check "counters 1 and 2 are not used" "$(get 1/enabled)$(get 2/enabled)" = 00
registers_are 0x370 0x403b000 || fail "counter 3 does not count: $(cat "$msr/registers")"
quietly opcontrol --shutdown
quietly opcontrol --deinit

# The emulator's processor has no counters.
! load_module oprofile.ko model=p4 2>/dev/null || fail "the model p4 is possible here"
check "a line in the log" "$(dmesg | grep -c "the processor's counters are switched off")" -ge 1
