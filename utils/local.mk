# SPDX-License-Identifier: GPL-2.0-or-later
# What two commands and more have in common.
noinst_LIBRARIES += libutils.a
libutils_a_SOURCES = \
	utils/debuginfod.cpp utils/debuginfod.h \
	utils/fetch_helper.cpp utils/fetch_helper.h \
	utils/load_profile.cpp utils/load_profile.h \
	utils/outside.cpp utils/outside.h \
	utils/report_options.cpp utils/report_options.h \
	utils/shared/call_filter.cpp utils/shared/call_filter.h \
	utils/shared/checked_file.cpp utils/shared/checked_file.h \
	utils/shared/daily_note.cpp utils/shared/daily_note.h \
	utils/shared/event_listing.cpp utils/shared/event_listing.h \
	utils/shared/file_access.cpp utils/shared/file_access.h \
	utils/shared/helper.cpp utils/shared/helper.h \
	utils/shared/ignored_signal.h \
	utils/shared/inherited_descriptors.cpp utils/shared/inherited_descriptors.h \
	utils/shared/landlock.cpp utils/shared/landlock.h \
	utils/shared/limits.cpp utils/shared/limits.h \
	utils/shared/options.cpp utils/shared/options.h \
	utils/shared/output.cpp utils/shared/output.h \
	utils/shared/pager.cpp utils/shared/pager.h \
	utils/shared/progress.cpp utils/shared/progress.h \
	utils/shared/sandbox.cpp utils/shared/sandbox.h \
	utils/shared/sanitized.h \
	utils/shared/sigbus_guard.cpp utils/shared/sigbus_guard.h \
	utils/shared/terminal.cpp utils/shared/terminal.h \
	utils/shared/tool.cpp utils/shared/tool.h \
	utils/shared/tree_writer.cpp utils/shared/tree_writer.h \
	utils/shared/version.cpp utils/shared/version.h \
	utils/source_finder.cpp utils/source_finder.h

# What the commands that record are linked with, and those that report.
op_system_libs = -ldw -lelf -lz -llzma -lzstd -liberty -lpopt -lseccomp -ldl $(PFM_LIBS)
recording = libutils.a libopd.a libop.a -lelf -lz -lpopt $(PFM_LIBS)
reporting = libutils.a libpp.a libop.a $(op_system_libs)

bin_PROGRAMS += operf
operf_SOURCES = utils/operf.cpp
operf_LDADD = $(recording)

count_parts = utils/count_report.cpp utils/count_report.h utils/count_report_json.cpp utils/ocount_options.cpp \
	utils/ocount_options.h
bin_PROGRAMS += ocount
ocount_SOURCES = utils/ocount.cpp $(count_parts)
ocount_LDADD = $(recording)

sbin_PROGRAMS += oprofiled
oprofiled_SOURCES = utils/oprofiled.cpp
oprofiled_LDADD = $(recording)

opcontrol_parts = \
	utils/opcontrol/apply_settings.cpp \
	utils/opcontrol/control_daemon.cpp utils/opcontrol/control_daemon.h \
	utils/opcontrol/control_options.cpp utils/opcontrol/control_options.h \
	utils/opcontrol/control_paths.cpp utils/opcontrol/control_paths.h \
	utils/opcontrol/control_status.cpp utils/opcontrol/control_status.h \
	utils/opcontrol/driver_module.cpp utils/opcontrol/driver_module.h \
	utils/opcontrol/event_list.cpp utils/opcontrol/event_list.h \
	utils/opcontrol/nmi_watchdog.cpp utils/opcontrol/nmi_watchdog.h \
	utils/opcontrol/prepare_source.cpp utils/opcontrol/prepare_source.h \
	utils/opcontrol/session_owner.cpp utils/opcontrol/session_owner.h \
	utils/opcontrol/settings_store.cpp utils/opcontrol/settings_store.h \
	utils/opcontrol/trusted_directory.cpp utils/opcontrol/trusted_directory.h
bin_PROGRAMS += opcontrol
opcontrol_SOURCES = utils/opcontrol.cpp $(opcontrol_parts)
opcontrol_LDADD = $(recording)
# It holds sbindir, which configure may have changed.
utils/opcontrol/control_daemon.o: Makefile

bin_PROGRAMS += opreport
opreport_SOURCES = utils/opreport.cpp utils/opreport_options.cpp utils/opreport_options.h utils/export_profile.cpp \
	utils/export_profile.h
opreport_LDADD = $(reporting)

support_parts = utils/event_support.cpp utils/event_support.h
bin_PROGRAMS += ophelp
ophelp_SOURCES = utils/ophelp.cpp utils/event_listing_xml.cpp $(support_parts)
ophelp_LDADD = $(recording)

bin_PROGRAMS += opannotate
opannotate_SOURCES = utils/opannotate.cpp utils/code_listing.cpp utils/code_listing.h
opannotate_LDADD = libutils.a libpp.a libop.a -lopcodes -lbfd $(op_system_libs)

bin_PROGRAMS += opgprof
opgprof_SOURCES = utils/opgprof.cpp
opgprof_LDADD = $(reporting)

archive_parts = utils/archive_inventory.cpp utils/archive_inventory.h utils/archive_session.cpp \
	utils/archive_session.h
bin_PROGRAMS += oparchive
oparchive_SOURCES = utils/oparchive.cpp $(archive_parts)
oparchive_LDADD = $(reporting)

bin_PROGRAMS += opimport
opimport_SOURCES = utils/opimport.cpp
opimport_LDADD = libutils.a libop.a -lz -lpopt -lseccomp $(PFM_LIBS)

# The service. Below the prefix, so that an installation for trial touches nothing else; distributions set
# systemdunitdir.
systemdunitdir = $(prefix)/lib/systemd/system
nodist_systemdunit_DATA = utils/systemd/oprofiled.service
EXTRA_DIST += utils/systemd/oprofiled.service.in
CLEANFILES += utils/systemd/oprofiled.service
utils/systemd/oprofiled.service: utils/systemd/oprofiled.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) utils/systemd && sed 's|[@]sbindir[@]|$(sbindir)|g' $(srcdir)/utils/systemd/oprofiled.service.in >$@.tmp && mv $@.tmp $@
