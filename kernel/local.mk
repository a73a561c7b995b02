# SPDX-License-Identifier: GPL-2.0-or-later
EXTRA_DIST += kernel/uapi/op_stream.h \
	kernel/Kbuild \
	kernel/compat.h \
	kernel/op_backtrace.c kernel/op_backtrace.h \
	kernel/op_buffer.c kernel/op_buffer.h \
	kernel/op_fs.c \
	kernel/op_guard.c \
	kernel/op_image.c kernel/op_image.h \
	kernel/op_log.h \
	kernel/op_main.c kernel/op_main.h \
	kernel/op_modules.c kernel/op_modules.h \
	kernel/op_msr_double.c \
	kernel/op_pmu.h \
	kernel/op_pmu_amd.c \
	kernel/op_pmu_intel.c \
	kernel/op_pmu_perf.c \
	kernel/op_pmu_timer.c \
	kernel/op_pmu_x86.c kernel/op_pmu_x86.h \
	kernel/op_ring.c kernel/op_ring.h \
	kernel/op_sample.c kernel/op_sample.h \
	kernel/op_stats.c kernel/op_stats.h \
	kernel/op_x86_cpu.c kernel/op_x86_encode.h kernel/op_x86_probe.c
