# SPDX-License-Identifier: GPL-2.0-or-later
# Processor types and their events: data, installed as they stand. A new processor is a row in cpu_models and a
# directory; it is listed nowhere else.
eventsdir = $(datadir)/oprofile
EXTRA_DIST += events
install-data-local:
	@for f in `cd $(srcdir)/events && find . -type f ! -name local.mk`; do \
		$(MKDIR_P) "$(DESTDIR)$(eventsdir)/`dirname $$f`" && \
		$(INSTALL_DATA) "$(srcdir)/events/$$f" "$(DESTDIR)$(eventsdir)/$$f" || exit 1; \
	done
uninstall-local:
	@for f in `cd $(srcdir)/events && find . -type f ! -name local.mk`; do rm -f "$(DESTDIR)$(eventsdir)/$$f"; done
	@find "$(DESTDIR)$(eventsdir)" -depth -type d -empty -delete 2>/dev/null || :
