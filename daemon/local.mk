# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libopd.a
libopd_a_SOURCES = \
	daemon/append_check.cpp daemon/append_check.h \
	daemon/attach.cpp daemon/attach.h \
	daemon/background.cpp daemon/background.h \
	daemon/collector.cpp daemon/collector.h \
	daemon/command.cpp daemon/command.h \
	daemon/control_server.cpp daemon/control_server.h \
	daemon/counted_events.cpp daemon/counted_events.h \
	daemon/counting.cpp daemon/counting.h \
	daemon/counts.cpp daemon/counts.h \
	daemon/cpu_list.cpp daemon/cpu_list.h \
	daemon/driver_events.cpp daemon/driver_events.h \
	daemon/driver_session.cpp daemon/driver_session.h \
	daemon/driver_setup.cpp daemon/driver_setup.h \
	daemon/driver_source.cpp daemon/driver_source.h \
	daemon/event_times.cpp daemon/event_times.h \
	daemon/ibs_decode.cpp daemon/ibs_decode.h \
	daemon/kernel_map.cpp daemon/kernel_map.h \
	daemon/known_images.cpp daemon/known_images.h \
	daemon/machine.cpp daemon/machine.h \
	daemon/mapped_image.h \
	daemon/oprofilefs.cpp daemon/oprofilefs.h \
	daemon/perf_attr.cpp daemon/perf_attr.h \
	daemon/perf_counters.cpp daemon/perf_counters.h \
	daemon/perf_decode.cpp daemon/perf_decode.h \
	daemon/perf_errors.cpp daemon/perf_errors.h \
	daemon/perf_events.cpp daemon/perf_events.h \
	daemon/perf_features.h \
	daemon/perf_probe.cpp daemon/perf_probe.h \
	daemon/perf_rate.cpp daemon/perf_rate.h \
	daemon/perf_ring.cpp daemon/perf_ring.h \
	daemon/perf_source.cpp daemon/perf_source.h \
	daemon/privileges.cpp daemon/privileges.h \
	daemon/proc_scan.cpp daemon/proc_scan.h \
	daemon/process_table.cpp daemon/process_table.h \
	daemon/recording.cpp daemon/recording.h \
	daemon/replay_source.cpp daemon/replay_source.h \
	daemon/sample_files.cpp daemon/sample_files.h \
	daemon/sample_source.h \
	daemon/service.cpp daemon/service.h \
	daemon/service_log.cpp daemon/service_log.h \
	daemon/service_manager.cpp daemon/service_manager.h \
	daemon/session_keeper.cpp daemon/session_keeper.h \
	daemon/sources.cpp daemon/sources.h \
	daemon/stop_signal.cpp daemon/stop_signal.h \
	daemon/stopping.cpp daemon/stopping.h
