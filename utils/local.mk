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
	utils/shared/sigbus_guard.cpp utils/shared/sigbus_guard.h \
	utils/shared/terminal.cpp utils/shared/terminal.h \
	utils/shared/tool.cpp utils/shared/tool.h \
	utils/shared/tree_writer.cpp utils/shared/tree_writer.h \
	utils/shared/version.cpp utils/shared/version.h \
	utils/source_finder.cpp utils/source_finder.h

# What the commands that record are linked with, and those that report.
op_system_libs = -ldw -lelf -lz -llzma -lzstd -liberty -lpopt -lseccomp -ldl $(PFM_LIBS)
recording = libutils.a libopd.a libop.a -lelf -lz -llzma -lzstd -lpopt $(PFM_LIBS)
reporting = libutils.a libpp.a libop.a $(op_system_libs)

task_lists = utils/task_list.cpp utils/task_list.h
bin_PROGRAMS += operf
operf_SOURCES = utils/operf.cpp utils/operf_options.cpp utils/operf_options.h $(task_lists)
operf_LDADD = $(recording)

count_parts = utils/count_report.cpp utils/count_report.h utils/count_report_json.cpp utils/ocount_options.cpp \
	utils/ocount_options.h $(task_lists)
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
	utils/opcontrol/driver_timers.cpp utils/opcontrol/driver_timers.h \
	utils/opcontrol/event_list.cpp utils/opcontrol/event_list.h \
	utils/opcontrol/nmi_watchdog.cpp utils/opcontrol/nmi_watchdog.h \
	utils/opcontrol/prepare_source.cpp utils/opcontrol/prepare_source.h \
	utils/opcontrol/session_owner.cpp utils/opcontrol/session_owner.h \
	utils/opcontrol/settings_store.cpp utils/opcontrol/settings_store.h \
	utils/opcontrol/trusted_directory.cpp utils/opcontrol/trusted_directory.h
bin_PROGRAMS += opcontrol
opcontrol_SOURCES = utils/opcontrol.cpp utils/event_listing_xml.cpp $(opcontrol_parts)
opcontrol_LDADD = $(recording)
# It holds sbindir, which configure may have changed.
utils/opcontrol/control_daemon.o: Makefile

bin_PROGRAMS += opreport
opreport_SOURCES = utils/opreport.cpp utils/opreport_options.cpp utils/opreport_options.h utils/export_profile.cpp \
	utils/export_profile.h utils/profile_page.cpp utils/profile_page.h utils/page_code.cpp utils/page_code.h utils/session_overview.cpp utils/session_overview.h
opreport_LDADD = libutils.a libpp.a libop.a -lopcodes -lbfd $(op_system_libs)

top_parts = \
	utils/live_calls.cpp utils/live_calls.h \
	utils/optop/code_rows.cpp utils/optop/code_rows.h \
	utils/optop/file_counts.cpp utils/optop/file_counts.h \
	utils/optop/directory_watch.cpp utils/optop/directory_watch.h \
	utils/optop/followed_file.cpp utils/optop/followed_file.h \
	utils/optop/live_rows.cpp utils/optop/live_rows.h \
	utils/optop/live_session.cpp utils/optop/live_session.h \
	utils/optop/live_symbols.cpp utils/optop/live_symbols.h \
	utils/optop/live_view.cpp utils/optop/live_view.h \
	utils/optop/pace.h \
	utils/optop/picture.cpp utils/optop/picture.h \
	utils/optop/picture_files.cpp utils/optop/picture_files.h \
	utils/optop/programs.cpp utils/optop/programs.h \
	utils/optop/row_calls.h \
	utils/optop/sample_tree.cpp utils/optop/sample_tree.h \
	utils/optop/screen_state.cpp utils/optop/screen_state.h
bin_PROGRAMS += optop
optop_SOURCES = utils/optop.cpp utils/optop/recorder.cpp utils/optop/recorder.h utils/optop/screen.cpp \
	utils/optop/screen.h $(top_parts)
optop_LDADD = libutils.a libpp.a libop.a -lopcodes -lbfd $(op_system_libs) $(CURSES_LIBS)

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
opimport_SOURCES = utils/opimport.cpp utils/import_session.cpp utils/import_session.h
opimport_LDADD = $(recording) -lseccomp

bin_PROGRAMS += opjitconv
opjitconv_SOURCES = utils/opjitconv.cpp utils/code_dumps.cpp utils/code_dumps.h
opjitconv_LDADD = libutils.a libop.a -lz -lpopt -lseccomp

# What speaks to the fleet's server.
fleet_parts = utils/opfleet/connection.cpp utils/opfleet/connection.h
answer_parts = utils/opfleet/answer.cpp utils/opfleet/answer.h \
	utils/opfleet/selection_options.cpp utils/opfleet/selection_options.h
opfleet_SOURCES = utils/opfleet.cpp $(fleet_parts) $(answer_parts) utils/opfleet/init.cpp utils/opfleet/verbs.h \
	utils/opfleet/coverage.cpp utils/opfleet/diff.cpp utils/opfleet/function_rows.cpp utils/opfleet/function_rows.h utils/opfleet/flame.cpp utils/opfleet/nightly.cpp \
	utils/opfleet/retain.cpp utils/opfleet/show.cpp utils/opfleet/top.cpp \
	utils/symbolize_fleet.cpp utils/symbolize_fleet.h
opfleet_LDADD = libopfleet.a $(reporting) $(CURL_LIBS)
oppush_SOURCES = utils/oppush.cpp $(fleet_parts) utils/push_sessions.cpp utils/push_sessions.h \
	utils/standard_road.cpp utils/standard_road.h
oppush_LDADD = libopfleet.a $(reporting) $(CURL_LIBS)
EXTRA_PROGRAMS += opfleet oppush
if HAVE_CURL
bin_PROGRAMS += opfleet oppush
endif

# The units. Below the prefix, so that an installation for trial touches nothing else; distributions set
# systemdunitdir.
systemdunitdir = $(prefix)/lib/systemd/system
nodist_systemdunit_DATA = utils/systemd/oprofiled.service
if HAVE_CURL
nodist_systemdunit_DATA += utils/systemd/oppush.service
dist_systemdunit_DATA = utils/systemd/oppush.timer
else
EXTRA_DIST += utils/systemd/oppush.timer
endif
EXTRA_DIST += utils/systemd/oprofiled.service.in utils/systemd/oppush.service.in
CLEANFILES += utils/systemd/oprofiled.service utils/systemd/oppush.service
utils/systemd/%.service: utils/systemd/%.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) utils/systemd && sed 's|[@]sbindir[@]|$(sbindir)|g; s|[@]bindir[@]|$(bindir)|g' $< >$@.tmp && mv $@.tmp $@
