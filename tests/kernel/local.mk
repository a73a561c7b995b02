# SPDX-License-Identifier: GPL-2.0-or-later
# The driver's tests, in QEMU guests. Kernels are fetched into ./check-kernel/kernels, or $OP_KERNELS, once.
# Of a series, these decide; the newest, whatever Debian has by now, are a report.
pinned_kernel_flavours = 6.1-amd64 6.1-arm64 6.12-amd64 6.1-ppc64el
newest_kernel_flavours = sid-amd64 sid-rt-amd64 sid-arm64
kernel_flavours = $(pinned_kernel_flavours) $(newest_kernel_flavours)
all_kernel_flavours = $(kernel_flavours) 6.12-arm64 sid-rt-arm64
kernel_programs = \
	tests/kernel/programs/bad_reader.c \
	tests/kernel/programs/call_chain.c \
	tests/kernel/programs/call_chain_32.c \
	tests/kernel/programs/calls.c \
	tests/kernel/programs/count_instructions.c \
	tests/kernel/programs/counted_loop.c \
	tests/kernel/programs/emulated_work.c \
	tests/kernel/programs/fixed_work.c \
	tests/kernel/programs/forks.c \
	tests/kernel/programs/fs_fuzz.c \
	tests/kernel/programs/fuse_hang.c \
	tests/kernel/programs/known_instructions.c \
	tests/kernel/programs/map_run.c \
	tests/kernel/programs/poke.c \
	tests/kernel/programs/rounds.c \
	tests/kernel/programs/shares.c \
	tests/kernel/programs/short_lived.c \
	tests/kernel/programs/signal_chain.c \
	tests/kernel/programs/snapshot.c \
	tests/kernel/programs/stream_check.c \
	tests/kernel/programs/stream_check.h \
	tests/kernel/programs/stream_stat.c
kernel_cases = \
	tests/kernel/t_autoload.sh \
	tests/kernel/t_blocked_reader.sh \
	tests/kernel/t_callers.sh \
	tests/kernel/t_counters.sh \
	tests/kernel/t_cycles.sh \
	tests/kernel/t_daemon_user.sh \
	tests/kernel/t_files.sh \
	tests/kernel/t_filter.sh \
	tests/kernel/t_flood.sh \
	tests/kernel/t_forks.sh \
	tests/kernel/t_fuse.sh \
	tests/kernel/t_fuzz.sh \
	tests/kernel/t_hardware.sh \
	tests/kernel/t_held_back.sh \
	tests/kernel/t_hotplug.sh \
	tests/kernel/t_hotplug_perf.sh \
	tests/kernel/t_hybrid.sh \
	tests/kernel/t_ibs.sh \
	tests/kernel/t_instructions.sh \
	tests/kernel/t_jit.sh \
	tests/kernel/t_killed_reader.sh \
	tests/kernel/t_life.sh \
	tests/kernel/t_long_path.sh \
	tests/kernel/t_map_run.sh \
	tests/kernel/t_memory.sh \
	tests/kernel/t_msr.sh \
	tests/kernel/t_new_files.sh \
	tests/kernel/t_no_memory.sh \
	tests/kernel/t_ocount.sh \
	tests/kernel/t_ocount_power.sh \
	tests/kernel/t_opcontrol.sh \
	tests/kernel/t_operf.sh \
	tests/kernel/t_operf_power.sh \
	tests/kernel/t_overlay.sh \
	tests/kernel/t_p4.sh \
	tests/kernel/t_power_off.sh \
	tests/kernel/t_rounds.sh \
	tests/kernel/t_rtc.sh \
	tests/kernel/t_shares.sh \
	tests/kernel/t_short_lived.sh \
	tests/kernel/t_slow_daemon.sh \
	tests/kernel/t_snapshot.sh \
	tests/kernel/t_stacks.sh \
	tests/kernel/t_stuck.sh \
	tests/kernel/t_throttle.sh \
	tests/kernel/t_times.sh \
	tests/kernel/t_too_big.sh \
	tests/kernel/t_unmount.sh \
	tests/kernel/t_worker.sh
kernel_harness = \
	tests/kernel/canary/Kbuild \
	tests/kernel/canary/op_canary.c \
	tests/kernel/bench.sh \
	tests/kernel/btrfs_image.sh \
	tests/kernel/bench_in_guest.sh \
	tests/kernel/build_debug_kernel.sh \
	tests/kernel/build_module.sh \
	tests/kernel/build_programs.sh \
	tests/kernel/build_userland.sh \
	tests/kernel/check.sh \
	tests/kernel/check_hardware.sh \
	tests/kernel/copy_modules.sh \
	tests/kernel/complaints \
	tests/kernel/debug.config \
	tests/kernel/emulator_fault \
	tests/kernel/fetch_kernel.sh \
	tests/kernel/fetch_libraries.sh \
	tests/kernel/flavour.sh \
	tests/kernel/guest.sh \
	tests/kernel/guest_init \
	tests/kernel/initramfs.sh \
	tests/kernel/inject_nmi.py \
	tests/kernel/measure_speed.sh \
	tests/kernel/mirror_answers.sh \
	tests/kernel/pmu_doubles/Kbuild \
	tests/kernel/pmu_doubles/hybrid_double.c \
	tests/kernel/pmu_doubles/ibs_double.c \
	tests/kernel/pmu_doubles/pmu_double.h \
	tests/kernel/soak.sh \
	tests/kernel/soak_in_guest.sh \
	tests/kernel/msr.sh \
	tests/kernel/verify.py \
	tests/kernel/verify_ocount.py \
	tests/kernel/verify_ocount_power.py \
	tests/kernel/verify_operf.py \
	tests/kernel/verify_operf_power.py \
	tests/kernel/verify_power_off.py \
	tests/kernel/verify_soak.py \
	tests/kernel/lib.sh \
	tests/kernel/private_apt.sh \
	tests/kernel/results.sh \
	tests/kernel/run.sh \
	tests/kernel/run_cases \
	tests/kernel/with_nmis
EXTRA_DIST += $(kernel_programs) $(kernel_cases) $(kernel_harness)

.PHONY: check-kernel check-kernel-newest check-kernel-all check-kernel-debug check-hardware bench-kernel soak-kernel
check-kernel: all tests/e2e/shares$(EXEEXT) tests/e2e/jit_code$(EXEEXT)
	$(srcdir)/tests/kernel/check.sh "$(kernel_flavours)" $(CASES)
# The newest kernels alone, which then decide: no result is a failure.
check-kernel-newest: all tests/e2e/shares$(EXEEXT) tests/e2e/jit_code$(EXEEXT)
	OP_NEWEST_DECIDES=1 $(srcdir)/tests/kernel/check.sh "$(newest_kernel_flavours)" $(CASES)
# Every case on every kernel, all of which decide.
check-kernel-all: all tests/e2e/shares$(EXEEXT) tests/e2e/jit_code$(EXEEXT)
	OP_NEWEST_DECIDES=1 OP_SOAK=1 $(srcdir)/tests/kernel/check.sh "$(all_kernel_flavours)" $(CASES)
check-kernel-debug: all tests/e2e/shares$(EXEEXT) tests/e2e/jit_code$(EXEEXT)
	$(srcdir)/tests/kernel/check.sh 6.1-debug $(CASES)
# On a machine whose processor has counters, as root: whether the driver's register model is right there.
check-hardware: kernel
	$(srcdir)/tests/kernel/build_programs.sh 6.1-amd64 check-hardware
	$(srcdir)/tests/kernel/check_hardware.sh oprofile.ko "`pwd`/check-hardware" check-hardware.txt
bench-kernel: all
	$(srcdir)/tests/kernel/bench.sh
soak-kernel: all
	$(srcdir)/tests/kernel/soak.sh $(MINUTES)
