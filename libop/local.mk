# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libop.a
libop_a_SOURCES = \
	libop/address.h \
	libop/build_id.cpp libop/build_id.h \
	libop/bytes.h \
	libop/control.cpp libop/control.h \
	libop/control_message.cpp \
	libop/cpu_detect.cpp \
	libop/cpu_model.cpp libop/cpu_model.h \
	libop/cpu_models_data.h \
	libop/counted_time.h \
	libop/daemon_settings.cpp libop/daemon_settings.h \
	libop/diagnostics.h \
	libop/directory.cpp libop/directory.h \
	libop/error.cpp libop/error.h \
	libop/counter_alloc.cpp libop/counter_alloc.h \
	libop/event_catalogue.cpp libop/event_catalogue.h \
	libop/event_encoding.cpp libop/event_encoding.h \
	libop/event_file.cpp libop/event_file.h \
	libop/event_mapping.cpp libop/event_mapping.h \
	libop/event_spec.cpp libop/event_spec.h \
	libop/event_table.cpp libop/event_table.h \
	libop/event_text.cpp libop/event_text.h \
	libop/fd.cpp libop/fd.h \
	libop/foreign_abi.cpp libop/foreign_abi.h \
	libop/gzip.cpp libop/gzip.h \
	libop/ibs_rules.cpp libop/ibs_rules.h \
	libop/intern.h \
	libop/kallsyms.cpp libop/kallsyms.h \
	libop/kernel_events.cpp libop/kernel_events.h \
	libop/ledger.cpp libop/ledger.h \
	libop/nearest.cpp libop/nearest.h \
	libop/pfm_events.h \
	libop/record.h \
	libop/sample_file.cpp libop/sample_file.h \
	libop/sample_file_layout.h \
	libop/sample_file_reader.cpp \
	libop/sample_file_recover.cpp libop/sample_file_recover.h \
	libop/sample_file_table.cpp libop/sample_file_table.h \
	libop/sample_path.cpp libop/sample_path.h \
	libop/session.cpp libop/session.h \
	libop/session_files.cpp libop/session_files.h \
	libop/session_info.cpp libop/session_info.h \
	libop/session_lock.cpp libop/session_lock.h \
	libop/session_reader.cpp \
	libop/session_statistics.cpp libop/session_statistics.h \
	libop/software_events.cpp libop/software_events.h \
	libop/stream.cpp libop/stream.h \
	libop/tagged_lines.cpp libop/tagged_lines.h \
	libop/text.cpp libop/text.h \
	libop/unit_mask.cpp libop/unit_mask.h \
	libop/unpack.cpp libop/unpack.h

# The door to libpfm4, or what says that there is none.
if HAVE_PFM
libop_a_SOURCES += libop/pfm_events.cpp
else
libop_a_SOURCES += libop/pfm_events_none.cpp
endif

# The table of CPU models as text in the programs: sample files are read where no data file is installed (doc/adr/0011).
nodist_libop_a_SOURCES = libop/cpu_models_data.cpp
CLEANFILES += libop/cpu_models_data.cpp
libop/cpu_models_data.cpp: events/cpu_models libop/cpu_models.awk
	$(AM_V_GEN)$(MKDIR_P) libop && awk -f $(srcdir)/libop/cpu_models.awk $(srcdir)/events/cpu_models >$@.tmp && mv $@.tmp $@
EXTRA_DIST += libop/cpu_models.awk
# It holds datadir, which configure may have changed.
libop/event_catalogue.o: Makefile
