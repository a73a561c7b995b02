# SPDX-License-Identifier: GPL-2.0-or-later
# The driver. `make kernel [KDIR=...]` builds oprofile.ko from a copy in the build tree, so that the source tree may be
# read-only; `make install` installs its source as a DKMS tree (Debian looks in /usr/src, that is --prefix=/usr).
kernel_sources =
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
	$(MAKE) -C "$$kdir" M="`pwd`/kernel-build" modules && cp kernel-build/oprofile.ko .
clean-local: clean-kernel
.PHONY: clean-kernel
clean-kernel:
	rm -rf kernel-build oprofile.ko
