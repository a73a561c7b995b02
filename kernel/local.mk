# SPDX-License-Identifier: GPL-2.0-or-later
# The driver. `make kernel [KDIR=...]` builds oprofile.ko from a copy in the build tree, so that the source tree may be
# read-only; `make install` installs its source as a DKMS tree (Debian looks in /usr/src, that is --prefix=/usr).
kernel_sources = \
	kernel/Kbuild \
	kernel/compat.h \
	kernel/op_backtrace.c kernel/op_backtrace.h \
	kernel/op_buffer.c kernel/op_buffer.h \
	kernel/op_core_pmu.c kernel/op_core_pmu.h \
	kernel/op_evict.c kernel/op_evict.h \
	kernel/op_exe.c kernel/op_exe.h \
	kernel/op_fs.c \
	kernel/op_guard.c \
	kernel/op_identity.c kernel/op_identity.h \
	kernel/op_image.c kernel/op_image.h \
	kernel/op_log.h \
	kernel/op_main.c kernel/op_main.h \
	kernel/op_maps.c kernel/op_maps.h \
	kernel/op_memory.c kernel/op_memory.h \
	kernel/op_modules.c kernel/op_modules.h \
	kernel/op_msr_double.c \
	kernel/op_numbers.c kernel/op_numbers.h \
	kernel/op_place.c kernel/op_place.h \
	kernel/op_pmu.h \
	kernel/op_p4_encode.h \
	kernel/op_pmu_amd.c \
	kernel/op_pmu_intel.c \
	kernel/op_pmu_p4.c \
	kernel/op_pmu_perf.c \
	kernel/op_pmu_timer.c \
	kernel/op_pmu_x86.c kernel/op_pmu_x86.h \
	kernel/op_reader.c kernel/op_reader.h \
	kernel/op_ring.c kernel/op_ring.h \
	kernel/op_sample.c \
	kernel/op_slots.c kernel/op_slots.h \
	kernel/op_stack.c kernel/op_stack.h \
	kernel/op_stats.c kernel/op_stats.h \
	kernel/op_x86_cpu.c \
	kernel/op_x86_encode.h \
	kernel/op_x86_probe.c \
	kernel/op_x86_proved.h \
	kernel/op_x86_select.c
kernel_uapi = kernel/uapi/op_stream.h

dkmsdir = $(prefix)/src/$(PACKAGE)-$(VERSION)
dkmsuapidir = $(dkmsdir)/uapi
dist_dkms_DATA = $(kernel_sources)
nodist_dkms_DATA = kernel/dkms.conf
dist_dkmsuapi_DATA = $(kernel_uapi)

.PHONY: kernel
kernel:
	@kdir='$(KDIR)'; kdir=$${kdir:-/lib/modules/`uname -r`/build}; \
	test -d "$$kdir" || { echo "no kernel headers in $$kdir; name them: make kernel KDIR=..." >&2; exit 1; }; \
	for file in $(kernel_sources) $(kernel_uapi); do \
		to=kernel-build/$${file#kernel/}; \
		mkdir -p "$${to%/*}" && { cmp -s "$(srcdir)/$$file" "$$to" || cp "$(srcdir)/$$file" "$$to"; } || exit 1; \
	done; \
	llvm=; test -n '$(LLVM)' || ! grep -qs '^CONFIG_CC_IS_CLANG=y' "$$kdir/include/config/auto.conf" || llvm=LLVM=1; \
	$(MAKE) -C "$$kdir" M="`pwd`/kernel-build" $$llvm modules && cp kernel-build/oprofile.ko .
clean-local: clean-kernel
.PHONY: clean-kernel
clean-kernel:
	rm -rf kernel-build oprofile.ko
