# SPDX-License-Identifier: GPL-2.0-or-later
# What every command has in common: list it among the command's sources.
utils_common = utils/shared/mapping_guard.cpp utils/shared/mapping_guard.h utils/shared/options.cpp utils/shared/options.h utils/shared/tool.cpp \
	utils/shared/tool.h

# What records needs little beside itself: of the reports' room it takes what reads a kernel image, and none of their libraries.
vmlinux_parts = utils/vmlinux.cpp utils/vmlinux.h libpp/object/elf_object.cpp libpp/object/elf_object_layout.cpp
recording_libs = -lz -lpopt $(PFM_LIBS)
bin_PROGRAMS += operf
operf_SOURCES = utils/operf.cpp $(vmlinux_parts) $(utils_common)
operf_LDADD = libopd.a libop.a -lelf $(recording_libs)

count_parts = utils/count_report.cpp utils/count_report.h utils/count_report_json.cpp utils/ocount_options.cpp \
	utils/ocount_options.h
bin_PROGRAMS += ocount
ocount_SOURCES = utils/ocount.cpp $(count_parts) utils/shared/output.cpp utils/shared/output.h utils/shared/pager.cpp utils/shared/pager.h \
	utils/shared/terminal.cpp utils/shared/terminal.h $(utils_common)
ocount_LDADD = libopd.a libop.a $(recording_libs)

sbin_PROGRAMS += oprofiled
oprofiled_SOURCES = utils/oprofiled.cpp $(vmlinux_parts) $(utils_common)
oprofiled_LDADD = libopd.a libop.a -lelf $(recording_libs)

opcontrol_parts = \
	utils/opcontrol/apply_settings.cpp \
	utils/opcontrol/control_daemon.cpp utils/opcontrol/control_daemon.h \
	utils/opcontrol/control_options.cpp utils/opcontrol/control_options.h \
	utils/opcontrol/control_paths.cpp utils/opcontrol/control_paths.h \
	utils/opcontrol/control_status.cpp utils/opcontrol/control_status.h \
	utils/opcontrol/driver_module.cpp utils/opcontrol/driver_module.h \
	utils/opcontrol/nmi_watchdog.cpp utils/opcontrol/nmi_watchdog.h \
	utils/opcontrol/prepare_source.cpp utils/opcontrol/prepare_source.h \
	utils/opcontrol/settings_store.cpp utils/opcontrol/settings_store.h \
	utils/opcontrol/trusted_directory.cpp utils/opcontrol/trusted_directory.h
bin_PROGRAMS += opcontrol
opcontrol_SOURCES = utils/opcontrol.cpp $(opcontrol_parts) $(utils_common)
opcontrol_LDADD = libopd.a libop.a $(recording_libs)
# It holds sbindir, which configure may have changed.
utils/control_daemon.o: Makefile

# What the report commands have in common.
report_common = \
	utils/debuginfod.cpp utils/debuginfod.h \
	utils/load_profile.cpp utils/load_profile.h \
	utils/shared/output.cpp utils/shared/output.h \
	utils/shared/pager.cpp utils/shared/pager.h \
	utils/shared/progress.cpp utils/shared/progress.h \
	utils/report_options.cpp utils/report_options.h \
	utils/shared/terminal.cpp utils/shared/terminal.h \
	$(utils_common)
bin_PROGRAMS += opreport
opreport_SOURCES = utils/opreport.cpp utils/opreport_options.cpp utils/opreport_options.h utils/export_profile.cpp utils/export_profile.h utils/shared/tree_writer.cpp \
	utils/shared/tree_writer.h $(report_common)
opreport_LDADD = libpp.a libop.a $(op_system_libs)

bin_PROGRAMS += ophelp
ophelp_SOURCES = utils/ophelp.cpp utils/event_listing.cpp utils/event_listing.h utils/event_listing_xml.cpp \
	utils/event_obstacles.cpp utils/event_obstacles.h \
	libpp/report/xml_document.cpp libpp/report/markup.cpp \
	utils/shared/output.cpp utils/shared/output.h utils/shared/pager.cpp utils/shared/pager.h utils/shared/terminal.cpp utils/shared/terminal.h $(utils_common)
ophelp_LDADD = libopd.a libop.a $(recording_libs)

bin_PROGRAMS += opannotate
opannotate_SOURCES = utils/opannotate.cpp utils/code_listing.cpp utils/code_listing.h utils/source_finder.cpp \
	utils/source_finder.h utils/shared/tree_writer.cpp utils/shared/tree_writer.h $(report_common)
opannotate_LDADD = libpp.a libop.a -lopcodes -lbfd $(op_system_libs)

bin_PROGRAMS += opgprof
opgprof_SOURCES = utils/opgprof.cpp $(report_common)
opgprof_LDADD = libpp.a libop.a $(op_system_libs)

bin_PROGRAMS += oparchive
oparchive_SOURCES = utils/oparchive.cpp utils/source_finder.cpp utils/source_finder.h utils/shared/tree_writer.cpp utils/shared/tree_writer.h $(report_common)
oparchive_LDADD = libpp.a libop.a $(op_system_libs)

bin_PROGRAMS += opimport
opimport_SOURCES = utils/opimport.cpp $(utils_common)
opimport_LDADD = libop.a -lz -lpopt $(PFM_LIBS)

# The service. Below the prefix, so that an installation for trial touches nothing else; distributions set
# systemdunitdir.
systemdunitdir = $(prefix)/lib/systemd/system
nodist_systemdunit_DATA = utils/systemd/oprofiled.service
EXTRA_DIST += utils/systemd/oprofiled.service.in
CLEANFILES += utils/systemd/oprofiled.service
utils/systemd/oprofiled.service: utils/systemd/oprofiled.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) utils/systemd && sed 's|[@]sbindir[@]|$(sbindir)|g' $(srcdir)/utils/systemd/oprofiled.service.in >$@.tmp && mv $@.tmp $@
