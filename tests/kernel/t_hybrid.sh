# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 sid-amd64 6.1-debug
# soak: *-amd64
# limit: 60
# Model perf where CPUs have PMUs of their own kind, of a double (pmu_doubles/hybrid_double.c): every CPU is sampled, wherever the
# driver is loaded. An event that may have another code on the other kind is refused.
. "$KIT/lib.sh"

[ -f "$KIT/hybrid_double.ko" ] || skip "there is no double of a hybrid processor's PMUs"

# received CPU: samples of that CPU in the last run.
received() {
	awk -v cpu="cpu$1" '$1 == cpu { print $3 }' run.log
}

insmod "$KIT/hybrid_double.ko"
for mask in 1 2; do
	taskset $mask insmod "$KIT/oprofile.ko"
	mkdir -p "$fs"
	mount -t oprofilefs nodev "$fs"
	check_eq "loaded on CPUs $mask: the model" "$(get model)" perf
	put 0/event 0x3c
	put 0/count 100000
	put 0/kernel 1
	put 0/user 1
	put 0/enabled 1
	sample_balanced run.log sleep 1
	for cpu in 0 1; do
		check "samples of CPU $cpu" "$(received $cpu)" -gt 50
	done
	put 0/event 0xd1
	exec 3<"$fs/buffer"
	check_eq "an event that is not architectural" "$(answer enable 1)" EINVAL
	put 0/event 0xc0
	put enable 1
	exec 3<&-
	unload_driver
done
rmmod hybrid_double
check "lines on cores of several kinds" "$(dmesg | grep -c 'counter 0 is limited to architectural events')" -ge 2
