# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-debug
# soak: *-amd64
# limit: 60
# A counter that is enabled with a count of 0 does not count: it is not programmed, and sampling does not start with it alone.
. "$KIT/lib.sh"

msr=/sys/kernel/debug/oprofile_msr
[ -f "$KIT/oprofile_double.ko" ] || skip "there is no build with the registers' double"
[ -d /sys/kernel/debug/tracing ] || mount -t debugfs debugfs /sys/kernel/debug
load_module oprofile_double.ko double_cpu=intel model=intel
mkdir -p "$fs"
mount -t oprofilefs nodev "$fs"
for n in 0 1; do
	put $n/event 0x3c
	put $n/kernel 1
	put $n/user 1
	put $n/enabled 1
done
exec 3<"$fs/buffer"
echo 0 >"$msr/log"
check_eq "start without a count" "$(answer enable 1)" EINVAL
check_eq "writes of registers" "$(cat "$msr/log")" ""
put 0/count 100000
put enable 1
# last REGISTER: the last value that CPU 0 wrote there.
last() {
	awk -v r="$1" '$1 == 0 && $3 == r { value = $4 } END { print value }' "$msr/log"
}
check_eq "the counter that is used" "$(last 0x186)" 0x53003c
check_eq "the counter without a count" "$(last 0x187)" 0x0
check_eq "global control" "$(last 0x38f)" 0x1
put enable 0
exec 3<&-
check_eq "the overflow bits before global control is given back" \
	"$(awk '$1 == 0 && ($3 == "0x390" || $3 == "0x38f") { print $3, $4 }' "$msr/log" | tail -n 2 | tr '\n' ' ')" \
	"0x390 0xf 0x38f 0xf "
unload_driver
