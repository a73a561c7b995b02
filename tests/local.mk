# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests: one program, a file per noun. Fuzz targets: one program each, run over their corpus.
op_libs = libpp.a libopd.a libop.a
op_system_libs = -ldw -lelf -lz -llzma -lzstd -liberty -lpopt -ldl $(PFM_LIBS)

if HAVE_GTEST
check_PROGRAMS += tests/unit_tests
TESTS += tests/unit_tests
tests_unit_tests_SOURCES = \
	tests/unit/annotate_test.cpp \
	tests/unit/arrange_test.cpp \
	tests/unit/image_symbols_test.cpp \
	tests/unit/fake_symbols.h \
	tests/unit/opcontrol_test.cpp \
	tests/unit/mapping_guard_test.cpp \
	tests/unit/options_test.cpp \
	tests/unit/output_test.cpp \
	tests/unit/percent_test.cpp \
	tests/unit/profile_spec_test.cpp \
	tests/unit/profile_test.cpp \
	tests/unit/range_map_test.cpp \
	tests/unit/report_test.cpp \
	tests/unit/sample_set_test.cpp \
	tests/unit/select_test.cpp \
	tests/unit/vmlinux_test.cpp \
	tests/unit/write_text_test.cpp \
	tests/unit/write_annotated_html_test.cpp \
	tests/unit/write_xml_test.cpp \
	tests/unit/markup_test.cpp \
	tests/unit/source_finder_test.cpp \
	tests/unit/tool_test.cpp \
	tests/unit/tree_writer_test.cpp \
	tests/unit/call_stacks_test.cpp \
	tests/unit/event_remarks_test.cpp \
	tests/unit/event_scale_test.cpp \
	tests/unit/export_callgrind_test.cpp \
	tests/unit/export_gmon_test.cpp \
	tests/unit/export_pprof_test.cpp \
	tests/unit/exporters_test.cpp \
	tests/unit/foreign_abi_test.cpp \
	utils/shared/output.cpp utils/shared/pager.cpp utils/shared/progress.cpp utils/shared/terminal.cpp utils/report_options.cpp utils/source_finder.cpp utils/shared/tree_writer.cpp utils/vmlinux.cpp $(opcontrol_parts) $(count_parts) $(utils_common) \
	tests/unit/append_check_test.cpp \
	tests/unit/attach_test.cpp \
	tests/unit/collecting.h \
	tests/unit/collector_placed_test.cpp \
	tests/unit/collector_test.cpp \
	tests/unit/command_test.cpp \
	tests/unit/control_server_test.cpp \
	tests/unit/control_test.cpp \
	tests/unit/count_report_test.cpp \
	tests/unit/counted_events_test.cpp \
	tests/unit/counted_time_test.cpp \
	tests/unit/counter_alloc_test.cpp \
	tests/unit/counting_test.cpp \
	tests/unit/counts_test.cpp \
	tests/unit/cpu_list_test.cpp \
	tests/unit/cpu_model_test.cpp \
	tests/unit/event_catalogue_test.cpp \
	tests/unit/event_file_test.cpp \
	tests/unit/event_mapping_test.cpp \
	tests/unit/event_obstacles_test.cpp utils/event_listing.h utils/event_obstacles.cpp utils/event_obstacles.h \
	tests/unit/event_cpus_test.cpp \
	tests/unit/event_times_test.cpp \
	tests/unit/perf_rate_test.cpp \
	tests/unit/kernel_events_test.cpp \
	tests/unit/nearest_test.cpp \
	tests/unit/unit_mask_test.cpp \
	tests/unit/ibs_decode_test.cpp \
	tests/unit/ibs_rules_test.cpp \
	tests/unit/kernel_map_test.cpp \
	tests/unit/fake_oprofilefs.h \
	tests/unit/driver_session_test.cpp \
	tests/unit/driver_source_test.cpp \
	tests/unit/oprofilefs_test.cpp \
	tests/unit/perf_attr_test.cpp \
	tests/unit/perf_counters_test.cpp \
	tests/unit/perf_decode_test.cpp \
	tests/unit/perf_errors_test.cpp \
	tests/unit/perf_events_test.cpp \
	tests/unit/perf_ring_test.cpp \
	tests/unit/proc_scan_test.cpp \
	tests/unit/process_table_test.cpp \
	tests/unit/progress_test.cpp \
	tests/unit/samplers_test.cpp \
	tests/unit/service_test.cpp \
	tests/unit/sources_test.cpp \
	tests/unit/stream_test.cpp \
	tests/unit/diagnostics_test.cpp \
	tests/unit/daemon_settings_test.cpp \
	tests/unit/directory_test.cpp \
	tests/unit/driver_events_test.cpp \
	tests/unit/driver_setup_test.cpp \
	tests/unit/event_spec_test.cpp \
	tests/unit/event_table_test.cpp \
	tests/unit/faults.h \
	tests/unit/gzip_test.cpp \
	tests/unit/ledger_test.cpp \
	tests/unit/sample_file_bytes.h \
	tests/unit/sample_file_recover_test.cpp \
	tests/unit/sample_file_test.cpp \
	tests/unit/sample_path_test.cpp \
	tests/unit/session_info_test.cpp \
	tests/unit/session_lock_test.cpp \
	tests/unit/session_reader_test.cpp \
	tests/unit/session_statistics_test.cpp \
	tests/unit/session_test.cpp \
	tests/unit/demangle_test.cpp \
	tests/unit/elf_object_test.cpp \
	tests/unit/fixtures.h \
	tests/unit/image_finder_test.cpp \
	tests/unit/kallsyms_test.cpp \
	tests/unit/kernel_symbols_test.cpp \
	tests/unit/recording_test.cpp \
	tests/unit/replay_source_test.cpp \
	tests/unit/symbol_notes_test.cpp \
	tests/unit/split_inlines_test.cpp \
	tests/unit/symbol_ranges_test.cpp \
	tests/unit/symbolizer_test.cpp \
	tests/unit/keep_mask.h \
	tests/unit/temp_dir.h \
	tests/unit/text_test.cpp \
	tests/unit/packing.h \
	tests/unit/unpack_test.cpp \
	tests/unit/x86_encode_test.cpp
tests_unit_tests_LDADD = $(op_libs) $(op_system_libs) -lgtest -lgtest_main -lpthread
endif

# $(1)_fuzz reads tests/fuzz/corpus/$(1)/*
fuzz_targets = \
	tests/fuzz/daemonrc_fuzz \
	tests/fuzz/dwarf_fuzz \
	tests/fuzz/elf_fuzz \
	tests/fuzz/foreign_abi_fuzz \
	tests/fuzz/ibs_fuzz \
	tests/fuzz/kallsyms_fuzz \
	tests/fuzz/proc_fuzz \
	tests/fuzz/stream_fuzz \
	tests/fuzz/event_file_fuzz \
	tests/fuzz/event_spec_fuzz \
	tests/fuzz/manifest_fuzz \
	tests/fuzz/profile_spec_fuzz \
	tests/fuzz/sample_file_fuzz \
	tests/fuzz/sample_path_fuzz
check_PROGRAMS += $(fuzz_targets)
if FUZZ
fuzz_main =
AM_LDFLAGS = -fsanitize=address,undefined
fuzz_ldflags = -fsanitize=fuzzer,address,undefined
else
fuzz_main = tests/fuzz/run_corpus.cpp
fuzz_ldflags =
TESTS += $(fuzz_targets)
endif
tests_fuzz_daemonrc_fuzz_SOURCES = tests/fuzz/daemonrc_fuzz.cpp $(fuzz_main)
tests_fuzz_daemonrc_fuzz_LDADD = $(op_libs) $(op_system_libs)
tests_fuzz_daemonrc_fuzz_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_dwarf_fuzz_SOURCES = tests/fuzz/dwarf_fuzz.cpp $(fuzz_main)
tests_fuzz_dwarf_fuzz_LDADD = $(op_libs) $(op_system_libs)
tests_fuzz_dwarf_fuzz_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_event_file_fuzz_SOURCES = tests/fuzz/event_file_fuzz.cpp $(fuzz_main)
tests_fuzz_event_file_fuzz_LDADD = $(op_libs) $(op_system_libs)
tests_fuzz_event_file_fuzz_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_event_spec_fuzz_SOURCES = tests/fuzz/event_spec_fuzz.cpp $(fuzz_main)
tests_fuzz_event_spec_fuzz_LDADD = $(op_libs) $(op_system_libs)
tests_fuzz_event_spec_fuzz_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_manifest_fuzz_SOURCES = tests/fuzz/manifest_fuzz.cpp $(fuzz_main)
tests_fuzz_manifest_fuzz_LDADD = $(op_libs) $(op_system_libs)
tests_fuzz_manifest_fuzz_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_profile_spec_fuzz_SOURCES = tests/fuzz/profile_spec_fuzz.cpp $(fuzz_main)
tests_fuzz_profile_spec_fuzz_LDADD = $(op_libs) $(op_system_libs)
tests_fuzz_profile_spec_fuzz_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_sample_file_fuzz_SOURCES = tests/fuzz/sample_file_fuzz.cpp $(fuzz_main)
tests_fuzz_sample_file_fuzz_LDADD = $(op_libs) $(op_system_libs)
tests_fuzz_sample_file_fuzz_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_sample_path_fuzz_SOURCES = tests/fuzz/sample_path_fuzz.cpp $(fuzz_main)
tests_fuzz_sample_path_fuzz_LDADD = $(op_libs) $(op_system_libs)
tests_fuzz_sample_path_fuzz_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_elf_fuzz_SOURCES = tests/fuzz/elf_fuzz.cpp $(fuzz_main)
tests_fuzz_elf_fuzz_LDADD = $(op_libs) $(op_system_libs)
tests_fuzz_elf_fuzz_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_foreign_abi_fuzz_SOURCES = tests/fuzz/foreign_abi_fuzz.cpp $(fuzz_main)
tests_fuzz_foreign_abi_fuzz_LDADD = $(op_libs) $(op_system_libs)
tests_fuzz_foreign_abi_fuzz_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_ibs_fuzz_SOURCES = tests/fuzz/ibs_fuzz.cpp $(fuzz_main)
tests_fuzz_ibs_fuzz_LDADD = $(op_libs) $(op_system_libs)
tests_fuzz_ibs_fuzz_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_kallsyms_fuzz_SOURCES = tests/fuzz/kallsyms_fuzz.cpp $(fuzz_main)
tests_fuzz_kallsyms_fuzz_LDADD = $(op_libs) $(op_system_libs)
tests_fuzz_kallsyms_fuzz_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_proc_fuzz_SOURCES = tests/fuzz/proc_fuzz.cpp $(fuzz_main)
tests_fuzz_proc_fuzz_LDADD = $(op_libs) $(op_system_libs)
tests_fuzz_proc_fuzz_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_stream_fuzz_SOURCES = tests/fuzz/stream_fuzz.cpp $(fuzz_main)
tests_fuzz_stream_fuzz_LDADD = $(op_libs) $(op_system_libs)
tests_fuzz_stream_fuzz_LDFLAGS = $(fuzz_ldflags)
EXTRA_DIST += tests/fuzz/corpus

# Golden cases: what commands print, case by case. `make update-golden` takes today's outcome as expected;
# review the difference.
check_PROGRAMS += tests/golden/make_session
tests_golden_make_session_SOURCES = tests/golden/make_session.cpp utils/shared/mapping_guard.cpp \
	utils/shared/mapping_guard.h utils/shared/tool.cpp utils/shared/tool.h
tests_golden_make_session_LDADD = libop.a -lz
TESTS += tests/golden/run.sh
EXTRA_DIST += tests/golden/run.sh tests/golden/sessions tests/golden/ocount tests/golden/opannotate tests/golden/oparchive tests/golden/opcontrol tests/golden/operf tests/golden/opgprof tests/golden/ophelp tests/golden/opimport tests/golden/oprofiled \
	tests/golden/opreport tests/fixtures
.PHONY: update-golden bench bench-reports
update-golden: tests/golden/make_session$(EXEEXT) opreport$(EXEEXT) opcontrol$(EXEEXT) ophelp$(EXEEXT) ocount$(EXEEXT)
	srcdir=$(srcdir) builddir=. $(srcdir)/tests/golden/run.sh --update

EXTRA_PROGRAMS += tests/bench/make_big_session
tests_bench_make_big_session_SOURCES = tests/bench/make_big_session.cpp utils/shared/mapping_guard.cpp \
	utils/shared/mapping_guard.h utils/shared/tool.cpp utils/shared/tool.h
tests_bench_make_big_session_LDADD = libop.a -lz

# End to end: real programs profiled. They skip where profiling is not permitted.
check_PROGRAMS += tests/e2e/shares
tests_e2e_shares_SOURCES = tests/e2e/shares.cpp
tests_e2e_shares_CXXFLAGS = -std=c++20 -O2 -g
tests_e2e_shares_LDADD = -lpthread
check_PROGRAMS += tests/e2e/touch_pages
tests_e2e_touch_pages_SOURCES = tests/e2e/touch_pages.cpp
# Sanitizers would touch pages of their own.
tests_e2e_touch_pages_CXXFLAGS = $(AM_CXXFLAGS) -fno-sanitize=all
tests_e2e_touch_pages_LDFLAGS = -fno-sanitize=all
check_PROGRAMS += tests/e2e/ask_daemon tests/e2e/can_profile
tests_e2e_ask_daemon_SOURCES = tests/e2e/ask_daemon.cpp
tests_e2e_ask_daemon_LDADD = libop.a
tests_e2e_can_profile_SOURCES = tests/e2e/can_profile.cpp
check_PROGRAMS += tests/e2e/frames
tests_e2e_frames_SOURCES = tests/e2e/frames.cpp utils/shared/mapping_guard.cpp utils/shared/mapping_guard.h utils/shared/tool.cpp utils/shared/tool.h
tests_e2e_frames_LDADD = libpp.a libop.a $(op_system_libs)
e2e_tests = tests/e2e/callgrind_test.sh tests/e2e/op2calltree_test.sh tests/e2e/pprof_test.sh \
	tests/e2e/html_test.sh tests/e2e/xml_test.sh tests/e2e/debuginfod_test.sh tests/e2e/terminal_test.sh \
	tests/e2e/gprof_test.sh tests/e2e/shares_test.sh tests/e2e/ocount_test.sh tests/e2e/operf_test.sh tests/e2e/oprofiled_test.sh \
	tests/e2e/opcontrol_test.sh tests/e2e/symbolizer_test.sh tests/e2e/while_recording_test.sh
checks = tests/layers_test.sh tests/options_test.sh tests/headers_test.sh tests/docs_test.sh tests/format_test.sh \
	tests/events_test.sh tests/emulator_fault_test.sh
TESTS += $(e2e_tests) $(checks)
EXTRA_DIST += $(e2e_tests) $(checks) tests/events_test.py tests/e2e/clients.sh tests/e2e/calls.cpp tests/e2e/calls.h tests/e2e/inlines.cpp tests/e2e/lib.sh tests/summary.sh
AM_TESTS_ENVIRONMENT = CXX='$(CXX)'; export CXX;

# Our x86 encodings beside libpfm4's; skips itself where that is missing.
check_PROGRAMS += tests/pfm_encodings_test
TESTS += tests/pfm_encodings_test
tests_pfm_encodings_test_SOURCES = tests/pfm_encodings_test.cpp
tests_pfm_encodings_test_LDADD = libop.a -lz $(PFM_LIBS)

# The figures of doc/bench.md.
if HAVE_BENCHMARK
bench_programs = tests/bench/measure tests/bench/replay_bench tests/bench/sample_file_bench tests/bench/make_big_session
EXTRA_PROGRAMS += tests/bench/measure tests/bench/replay_bench tests/bench/sample_file_bench
tests_bench_measure_SOURCES = tests/bench/measure.cpp
tests_bench_replay_bench_SOURCES = tests/bench/replay_bench.cpp
tests_bench_replay_bench_LDADD = libopd.a libop.a -lz $(PFM_LIBS)
tests_bench_sample_file_bench_SOURCES = tests/bench/sample_file_bench.cpp
tests_bench_sample_file_bench_LDADD = libop.a -lz -lbenchmark -lpthread
bench: $(bench_programs) tests/e2e/shares operf opreport
	sh $(srcdir)/tests/bench/run.sh | tee bench.md
	{ cat bench.md; echo; sed -n '/^## /,$$p' $(srcdir)/doc/bench.md; } >bench.new && mv bench.new $(srcdir)/doc/bench.md
	$(MAKE) bench-reports
bench-reports: $(bench_programs) opreport opannotate
	sh $(srcdir)/tests/bench/reports.sh | tee bench.md
	{ sed '/^## /,$$d' $(srcdir)/doc/bench.md; cat bench.md; echo; sed -n '/^## The driver/,$$p' $(srcdir)/doc/bench.md; } >bench.new
	mv bench.new $(srcdir)/doc/bench.md
else
bench bench-reports:
	@echo "make bench needs Google Benchmark (libbenchmark-dev)"; exit 1
endif
CLEANFILES += bench.md $(EXTRA_PROGRAMS)
EXTRA_DIST += tests/bench/run.sh tests/bench/reports.sh tests/bench/make_big_program.sh
