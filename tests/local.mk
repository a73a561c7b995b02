# SPDX-License-Identifier: GPL-2.0-or-later
# The tests of `make check`: unit tests (one program, a file per noun), golden cases, fuzz targets over their corpus, checks
# of the sources, end-to-end tests. And what else can be made for working on the tree.

# Tests should compile quickly rather than run fast. A fuzz target has little code of its own.
tests/unit/%.o tests/fuzz/%.o: CXXFLAGS := $(filter-out -O%,$(CXXFLAGS)) -O0

# The kernel's headers, as far as kernel/op_guard.c needs them in user space.
kernel_double = tests/unit/kernel/double.h tests/unit/kernel/asm/barrier.h \
	tests/unit/kernel/linux/atomic.h tests/unit/kernel/linux/bits.h tests/unit/kernel/linux/compiler.h tests/unit/kernel/linux/hrtimer.h \
	tests/unit/kernel/linux/ktime.h tests/unit/kernel/linux/minmax.h tests/unit/kernel/linux/mutex.h tests/unit/kernel/linux/percpu.h \
	tests/unit/kernel/linux/ptrace.h \
	tests/unit/kernel/linux/string.h tests/unit/kernel/linux/time64.h tests/unit/kernel/linux/wait.h
tests/unit/guard_test.$(OBJEXT): AM_CPPFLAGS += -I$(top_srcdir)/tests/unit/kernel

if HAVE_GTEST
unit_tests = tests/unit_tests
check_PROGRAMS += $(unit_tests)
tests_unit_tests_SOURCES = $(archive_parts) $(count_parts) $(opcontrol_parts) $(support_parts) $(top_parts) \
	tests/unit/address_space_test.cpp \
	tests/unit/agent_dump_test.cpp \
	tests/unit/akaros_source_test.cpp \
	tests/unit/akaros_trace_test.cpp \
	tests/unit/annotate_test.cpp \
	tests/unit/append_check_test.cpp \
	tests/unit/archive_session_test.cpp \
	tests/unit/arrange_test.cpp \
	tests/unit/attach_test.cpp \
	tests/unit/build_stacks_test.cpp \
	tests/unit/call_stacks_test.cpp \
	tests/unit/call_tree_test.cpp \
	tests/unit/cfi_bytes_builder.h \
	tests/unit/checked_file_test.cpp \
	tests/unit/stack_sizer_test.cpp \
	tests/unit/symbol_choice_test.cpp \
	tests/unit/stack_walker_test.cpp \
	tests/unit/unwind_table_test.cpp \
	tests/unit/call_code_test.cpp tests/unit/code_memory_test.cpp \
	tests/unit/frame_state_test.cpp tests/unit/unwinder_test.cpp tests/unit/x86_code_test.cpp \
	tests/unit/function_entry_test.cpp \
	tests/unit/return_path_test.cpp \
	tests/unit/ring_sizes_test.cpp \
	tests/unit/cfi_reader_test.cpp \
	tests/unit/checksum_test.cpp \
	tests/unit/child_process_test.cpp \
	tests/unit/choose_counted_test.cpp \
	tests/unit/code_history_test.cpp \
	tests/unit/code_switches_test.cpp \
	tests/unit/code_symbols_test.cpp \
	tests/unit/classic_events_test.cpp \
	tests/unit/collecting.h \
	tests/unit/collector_placed_test.cpp \
	tests/unit/clock_test.cpp \
	tests/unit/collector_cache_test.cpp \
	tests/unit/collector_code_test.cpp \
	tests/unit/imported_code_test.cpp \
	tests/unit/collector_doubt_test.cpp \
	tests/unit/collector_stacks_test.cpp \
	tests/unit/collector_starts_test.cpp \
	tests/unit/collector_test.cpp \
	tests/unit/command_names_test.cpp \
	tests/unit/command_remarks_test.cpp \
	tests/unit/control_server_test.cpp \
	tests/unit/control_test.cpp \
	tests/unit/count_loop_test.cpp \
	tests/unit/count_report_test.cpp \
	tests/unit/counted_test.cpp \
	tests/unit/counted_time_test.cpp \
	tests/unit/counter_alloc_test.cpp \
	tests/unit/counter_rows_test.cpp \
	tests/unit/cpu_list_test.cpp \
	tests/unit/cpu_model_test.cpp \
	tests/unit/daemon_settings_test.cpp \
	tests/unit/daily_note_test.cpp \
	tests/unit/debuginfo_elf_test.cpp tests/unit/debuginfo_section_test.cpp \
	tests/unit/debuginfo_test.cpp \
	tests/unit/declaration_test.cpp \
	tests/unit/demangle_test.cpp \
	tests/unit/diagnostics_test.cpp \
	tests/unit/deadline_test.cpp \
	tests/unit/directory_test.cpp \
	tests/unit/drawn_program.h \
	tests/unit/expected_rules.h \
	tests/unit/driver_events_test.cpp \
	tests/unit/driver_models_test.cpp \
	tests/unit/driver_maps_test.cpp \
	tests/unit/driver_session_test.cpp \
	tests/unit/driver_setup_test.cpp \
	tests/unit/driver_source_test.cpp \
	tests/unit/elf_object_test.cpp \
	tests/unit/event_catalogue_test.cpp \
	tests/unit/event_cpus_test.cpp \
	tests/unit/error_test.cpp tests/unit/event_file_test.cpp \
	tests/unit/event_mapping_test.cpp \
	tests/unit/event_scale_test.cpp \
	tests/unit/event_spec_test.cpp \
	tests/unit/event_support_test.cpp \
	tests/unit/event_table_test.cpp \
	tests/unit/event_times_test.cpp \
	tests/unit/export_callgrind_test.cpp \
	tests/unit/export_gmon_test.cpp \
	tests/unit/export_pprof_test.cpp \
	tests/unit/export_stacks_test.cpp \
	tests/unit/fd_test.cpp \
	tests/unit/fetch_helper_test.cpp \
	tests/unit/file_access_test.cpp \
	tests/unit/fit_names_test.cpp \
	tests/unit/flame_graph_test.cpp \
	tests/unit/exporters_test.cpp \
	tests/unit/fake_oprofilefs.h \
	tests/unit/fake_perf_ring.h \
	tests/unit/fake_stacks.h \
	tests/unit/fake_symbols.h \
	tests/unit/faults.h \
	tests/unit/fixtures.h \
	tests/unit/foreign_abi_test.cpp \
	tests/unit/gap_filler_test.cpp \
	tests/unit/go_functions_test.cpp \
	tests/unit/gperf_source_test.cpp \
	tests/unit/guard_test.cpp \
	tests/unit/gzip_test.cpp \
	tests/unit/held_places_test.cpp \
	tests/unit/held_samples_test.cpp \
	tests/unit/held_stacks_test.cpp \
	tests/unit/ibs_decode_test.cpp \
	tests/unit/ibs_rules_test.cpp \
	tests/unit/helper_test.cpp \
	tests/unit/image_file_test.cpp \
	tests/unit/image_keeper_test.cpp \
	tests/unit/limit_note_test.cpp \
	tests/unit/image_search_test.cpp \
	tests/unit/image_limits_test.cpp \
	tests/unit/image_finder_test.cpp \
	tests/unit/image_symbols_test.cpp \
	tests/unit/image_candidates_test.cpp \
	tests/unit/imported_session.h \
	tests/unit/in_child.h \
	tests/unit/join_builds_test.cpp \
	tests/unit/json_test.cpp \
	tests/unit/java_names_test.cpp libopagent/java_names.cpp libopagent/java_names.h \
	tests/unit/jit_reader_test.cpp \
	tests/unit/jitdump_test.cpp \
	tests/unit/jo_file_test.cpp \
	tests/unit/kallsyms_cache_test.cpp \
	tests/unit/kallsyms_test.cpp \
	tests/unit/keep_mask.h \
	$(kernel_double) \
	tests/unit/kernel_events_test.cpp \
	tests/unit/kernel_map_test.cpp \
	tests/unit/joined_kallsyms_test.cpp \
	tests/unit/kernel_symbols_test.cpp \
	tests/unit/image_roots_test.cpp \
	tests/unit/kept_images_test.cpp \
	tests/unit/known_images_test.cpp \
	tests/unit/ledger_test.cpp \
	tests/unit/machine_root_test.cpp \
	tests/unit/machines.h \
	tests/unit/main.cpp \
	tests/unit/markup_test.cpp \
	tests/unit/mini_debuginfo_test.cpp \
	tests/unit/nearest_test.cpp \
	tests/unit/live_rows_test.cpp \
	tests/unit/directory_watch_test.cpp \
	tests/unit/live_session_test.cpp \
	tests/unit/screen_state_test.cpp \
	tests/unit/opcontrol_test.cpp \
	tests/unit/oprofilefs_test.cpp \
	tests/unit/options_test.cpp \
	tests/unit/output_test.cpp \
	tests/unit/p4_encode_test.cpp \
	tests/unit/outside_test.cpp \
	tests/unit/packing.h \
	tests/unit/package_note_test.cpp \
	tests/unit/distribution_test.cpp \
	tests/unit/packages_test.cpp \
	tests/unit/pager_test.cpp \
	tests/unit/percent_test.cpp \
	tests/unit/perf_map_test.cpp \
	tests/unit/perf_attr_test.cpp \
	tests/unit/perf_bytes.h \
	tests/unit/perf_counters_test.cpp \
	tests/unit/perf_data_test.cpp \
	tests/unit/perf_decode_test.cpp \
	tests/unit/perf_errors_test.cpp \
	tests/unit/perf_events_test.cpp \
	tests/unit/perf_merger_test.cpp \
	tests/unit/perf_rate_test.cpp \
	tests/unit/perf_ring_test.cpp \
	tests/unit/perf_times_test.cpp \
	tests/unit/plt_stubs_test.cpp \
	tests/unit/prepare_source_test.cpp \
	tests/unit/privileges_test.cpp \
	tests/unit/proc_scan_test.cpp \
	tests/unit/process_table_test.cpp \
	tests/unit/profile_spec_test.cpp \
	tests/unit/profile_test.cpp \
	tests/unit/progress_test.cpp \
	tests/unit/range_map_test.cpp \
	tests/unit/recorded_names_test.cpp \
	tests/unit/recorded_processor_test.cpp \
	tests/unit/recording_account_test.cpp \
	tests/unit/recording_test.cpp \
	tests/unit/idle_clock_test.cpp tests/unit/run_times_test.cpp \
	tests/unit/replay_source_test.cpp \
	tests/unit/report_footnotes_test.cpp \
	tests/unit/report_test.cpp \
	tests/unit/rotation_settings_test.cpp \
	tests/unit/rotation_test.cpp \
	tests/unit/sample_file_bytes.h \
	tests/unit/sample_file_recover_test.cpp \
	tests/unit/sample_file_test.cpp \
	tests/unit/sample_files_test.cpp \
	tests/unit/sample_path_test.cpp \
	tests/unit/sample_set_test.cpp \
	tests/unit/sandbox_test.cpp \
	tests/unit/samplers_test.cpp \
	tests/unit/section_finder_test.cpp \
	tests/unit/select_test.cpp \
	tests/unit/service_test.cpp \
	tests/unit/session_info_test.cpp \
	tests/unit/session_keeper_test.cpp \
	tests/unit/session_lock_test.cpp \
	tests/unit/session_owner_test.cpp \
	tests/unit/session_reader_test.cpp \
	tests/unit/session_statistics_test.cpp \
	tests/unit/session_test.cpp \
	tests/unit/session_trust_test.cpp \
	tests/unit/sigbus_guard_test.cpp \
	tests/unit/significance_test.cpp \
	tests/unit/slot_cache_test.cpp \
	tests/unit/source_finder_test.cpp \
	tests/unit/sources_test.cpp \
	tests/unit/split_inlines_test.cpp \
	tests/unit/stack_crash_test.cpp \
	tests/unit/stack_reader_test.cpp \
	tests/unit/stack_session_test.cpp \
	tests/unit/stack_set_test.cpp \
	tests/unit/standard_descriptors_test.cpp \
	tests/unit/statistics_test.cpp \
	tests/unit/stored_stacks.h \
	tests/unit/stream_test.cpp \
	tests/unit/symbol_notes_test.cpp \
	tests/unit/symbol_ranges_test.cpp \
	tests/unit/symbolizer_test.cpp \
	tests/unit/temp_dir.h \
	tests/unit/without_first_thread.h \
	tests/unit/text_test.cpp \
	tests/unit/time_runs_test.cpp \
	tests/unit/tool_test.cpp \
	tests/unit/tree_difference_test.cpp \
	tests/unit/tree_writer_test.cpp \
	tests/unit/unit_mask_test.cpp \
	tests/unit/unpack_test.cpp tests/unit/unprofiled_programs_test.cpp \
	tests/unit/version_test.cpp \
	tests/unit/vmlinux_test.cpp \
	tests/unit/write_annotated_html_test.cpp \
	tests/unit/write_page_test.cpp \
	tests/unit/write_csv_test.cpp \
	tests/unit/write_text_test.cpp \
	tests/unit/write_xml_test.cpp \
	tests/unit/x86_encode_test.cpp \
	tests/unit/x86_proved_test.cpp
if HAVE_JAVA
tests_unit_tests_SOURCES += tests/unit/java_lines_test.cpp libopagent/java_lines.cpp libopagent/java_lines.h
tests/unit/java_lines_test.$(OBJEXT) libopagent/java_lines.$(OBJEXT): AM_CPPFLAGS += $(JAVA_CPPFLAGS)
endif
if HAVE_CURL
tests_unit_tests_SOURCES += $(fleet_parts) $(answer_parts) \
	tests/unit/answer_test.cpp \
	tests/unit/build_symbols_test.cpp \
	tests/unit/day_test.cpp \
	tests/unit/dpkg_package_test.cpp \
	tests/unit/file_index_test.cpp \
	tests/unit/fleet_days_test.cpp \
	tests/unit/fleet_images_test.cpp \
	tests/unit/fleet_profile_test.cpp \
	tests/unit/function_diff_test.cpp \
	tests/unit/http_text_test.cpp \
	tests/unit/judge_answer_test.cpp \
	tests/unit/md5_test.cpp \
	tests/unit/native_block_test.cpp \
	tests/unit/push_ledger_test.cpp \
	tests/unit/push_test.cpp \
	tests/unit/restore_test.cpp \
	tests/unit/road_test.cpp \
	tests/unit/row_binary_test.cpp \
	tests/unit/rows_test.cpp \
	tests/unit/schema_test.cpp \
	tests/unit/running_kernel_test.cpp \
	tests/unit/secret_file_test.cpp \
	tests/unit/selection_test.cpp \
	tests/unit/server_url_test.cpp \
	tests/unit/sha256_test.cpp \
	tests/unit/slice_account_test.cpp \
	tests/unit/slice_test.cpp \
	tests/unit/summaries_test.cpp
fleet_libs = libopfleet.a
endif
tests_unit_tests_LDADD = libutils.a $(fleet_libs) libpp.a libopd.a libop.a -lopcodes -lbfd $(op_system_libs) $(CURL_LIBS) -lgtest -lpthread
endif

# tests/fuzz/X_fuzz.cpp reads tests/fuzz/corpus/X/*: a program of one source, linked with $(LDADD).
fuzz_targets = \
	tests/fuzz/agent_dump_fuzz \
	tests/fuzz/akaros_fuzz \
	tests/fuzz/control_fuzz \
	tests/fuzz/daemonrc_fuzz \
	tests/fuzz/demangle_fuzz \
	tests/fuzz/disassemble_fuzz \
	tests/fuzz/dwarf_fuzz \
	tests/fuzz/elf_fuzz \
	tests/fuzz/event_file_fuzz \
	tests/fuzz/event_spec_fuzz \
	tests/fuzz/exporters_fuzz \
	tests/fuzz/fit_names_fuzz \
	tests/fuzz/foreign_abi_fuzz \
	tests/fuzz/gperf_fuzz \
	tests/fuzz/ibs_fuzz \
	tests/fuzz/jitdump_fuzz \
	tests/fuzz/jo_fuzz \
	tests/fuzz/kallsyms_fuzz \
	tests/fuzz/manifest_fuzz \
	tests/fuzz/oprofilefs_fuzz \
	tests/fuzz/perf_data_fuzz \
	tests/fuzz/perf_decode_fuzz \
	tests/fuzz/perf_map_fuzz \
	tests/fuzz/perf_ring_fuzz \
	tests/fuzz/proc_fuzz \
	tests/fuzz/profile_spec_fuzz \
	tests/fuzz/reader_messages_fuzz \
	tests/fuzz/sample_file_fuzz \
	tests/fuzz/sample_path_fuzz \
	tests/fuzz/session_tree_fuzz \
	tests/fuzz/stack_store_fuzz \
	tests/fuzz/stream_fuzz \
	tests/fuzz/unpack_fuzz \
	tests/fuzz/unwind_fuzz \
	tests/fuzz/writers_fuzz
if HAVE_CURL
fuzz_targets += $(fleet_fuzz_targets)
endif
fleet_fuzz_targets = \
	tests/fuzz/build_symbols_fuzz \
	tests/fuzz/fleet_profile_fuzz \
	tests/fuzz/push_ledger_fuzz \
	tests/fuzz/road_answer_fuzz \
	tests/fuzz/server_answer_fuzz \
	tests/fuzz/slice_index_fuzz
tests_fuzz_build_symbols_fuzz_LDADD = $(fuzz_main) libopfleet.a libpp.a libop.a $(op_system_libs) $(CURL_LIBS)
tests_fuzz_fleet_profile_fuzz_LDADD = $(fuzz_main) libopfleet.a libpp.a libop.a $(op_system_libs) $(CURL_LIBS)
tests_fuzz_push_ledger_fuzz_LDADD = $(fuzz_main) libopfleet.a libop.a -lz $(CURL_LIBS)
tests_fuzz_road_answer_fuzz_LDADD = $(fuzz_main) libopfleet.a libpp.a libop.a $(op_system_libs) $(CURL_LIBS)
tests_fuzz_slice_index_fuzz_LDADD = $(fuzz_main) libopfleet.a libop.a -lz $(CURL_LIBS)
tests_fuzz_server_answer_fuzz_LDADD = $(fuzz_main) libopfleet.a libop.a -lz $(CURL_LIBS)
check_PROGRAMS += $(fuzz_targets)
EXTRA_PROGRAMS += $(fleet_fuzz_targets)
AM_DEFAULT_SOURCE_EXT = .cpp
if FUZZ
AM_LDFLAGS = -fsanitize=address,undefined
$(fuzz_targets): AM_LDFLAGS += -fsanitize=fuzzer
else
check_LIBRARIES += tests/fuzz/libcorpus.a
tests_fuzz_libcorpus_a_SOURCES = tests/fuzz/run_corpus.cpp
fuzz_main = tests/fuzz/libcorpus.a
fuzz_tests = $(fuzz_targets)
endif
LDADD = $(fuzz_main) libpp.a libopd.a libop.a $(op_system_libs)
tests_fuzz_disassemble_fuzz_LDADD = $(fuzz_main) libpp.a libop.a -lopcodes -lbfd $(op_system_libs)
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/hostile_profile.h tests/fuzz/work_dir.h

# Golden cases: what commands print, case by case. `make update-golden` takes today's outcome as expected;
# review the difference.
check_PROGRAMS += tests/golden/make_session
tests_golden_make_session_LDADD = libutils.a libop.a -lz
golden_tests = tests/golden/run.sh
EXTRA_DIST += tests/golden/case.sh tests/golden/run.sh tests/golden/sessions tests/golden/ocount tests/golden/optop tests/golden/opannotate tests/golden/oparchive \
	tests/golden/opcontrol tests/golden/operf tests/golden/opgprof tests/golden/ophelp tests/golden/opimport tests/golden/opjitconv \
	tests/golden/oprofiled tests/golden/opreport tests/fixtures
.PHONY: update-golden
update-golden: all tests/golden/make_session$(EXEEXT)
	srcdir=$(srcdir) builddir=. $(srcdir)/tests/golden/run.sh --update

# End to end: real programs profiled. They skip where profiling is not permitted.
check_PROGRAMS += tests/e2e/shares tests/e2e/touch_pages tests/e2e/ask_daemon tests/e2e/can_profile tests/e2e/frames \
	tests/e2e/jit_code tests/e2e/map_code tests/e2e/opagent_calls tests/e2e/unwind_rows
tests_e2e_shares_CXXFLAGS = -std=c++20 -O2 -g
tests_e2e_shares_LDADD = -lpthread
# Sanitizers would touch pages of their own.
tests_e2e_touch_pages_CXXFLAGS = $(AM_CXXFLAGS) -fno-sanitize=all
tests_e2e_touch_pages_LDFLAGS = -fno-sanitize=all
tests_e2e_touch_pages_LDADD =
tests_e2e_jit_code_LDADD =
tests_e2e_map_code_LDADD =
tests_e2e_opagent_calls_LDADD = libopagent/libopagent.so.1 -lpthread
tests_e2e_ask_daemon_LDADD = libop.a
tests_e2e_can_profile_LDADD =
tests_e2e_frames_LDADD = libutils.a libpp.a libop.a $(op_system_libs)
tests_e2e_unwind_rows_LDADD = libutils.a libopd.a libop.a -lz -llzma -lzstd
e2e_tests = \
	tests/e2e/callgrind_test.sh \
	tests/e2e/debuginfod_test.sh \
	tests/e2e/flamegraph_test.sh \
	tests/e2e/oparchive_test.sh \
	tests/e2e/gprof_test.sh \
	tests/e2e/import_akaros_test.sh \
	tests/e2e/import_jit_test.sh \
	tests/e2e/import_gperftools_test.sh \
	tests/e2e/import_live_test.sh \
	tests/e2e/stacks_test.sh \
	tests/e2e/shipped_stacks_test.sh \
	tests/e2e/stack_kinds_test.sh \
	tests/e2e/jit_test.sh \
	tests/e2e/jvm_test.sh \
	tests/e2e/losses_test.sh \
	tests/e2e/ocount_test.sh \
	tests/e2e/unprofiled_test.sh \
	tests/e2e/op2calltree_test.sh \
	tests/e2e/daemon_stacks_test.sh \
	tests/e2e/opcontrol_test.sh \
	tests/e2e/opagent_test.sh \
	tests/e2e/operf_test.sh \
	tests/e2e/opimport_test.sh \
	tests/e2e/oprofiled_test.sh \
	tests/e2e/rotation_test.sh \
	tests/e2e/pprof_test.sh \
	tests/e2e/sandboxed_test.sh \
	tests/e2e/attach_test.sh \
	tests/e2e/shares_test.sh \
	tests/e2e/symbolizer_test.sh \
	tests/e2e/optop_test.sh \
	tests/e2e/processes_test.sh \
	tests/e2e/oprof_start_test.sh \
	tests/e2e/terminal_test.sh \
	tests/e2e/unwind_rows_test.sh \
	tests/e2e/while_recording_test.sh \
	tests/e2e/xml_test.sh

# They skip without a server.
if HAVE_CURL
fleet_tests = \
	tests/e2e/dashboard_test.sh \
	tests/e2e/opfleet_ask_test.sh \
	tests/e2e/opfleet_days_test.sh \
	tests/e2e/opfleet_flame_test.sh \
	tests/e2e/opfleet_packages_test.sh \
	tests/e2e/opfleet_show_test.sh \
	tests/e2e/opfleet_symbolize_test.sh \
	tests/e2e/opfleet_test.sh \
	tests/e2e/oppush_test.sh \
	tests/e2e/push_full_disk_test.sh \
	tests/e2e/push_secrets_test.sh \
	tests/e2e/quickstart_fleet_test.sh \
	tests/e2e/roads_test.sh
endif
EXTRA_DIST += tests/e2e/dashboard_test.sh fleet/grafana/dashboard.json
EXTRA_DIST += tests/e2e/roads_test.sh tests/e2e/stub_roads.py tests/e2e/otlp_sums.py
EXTRA_DIST += tests/e2e/opfleet_ask_test.sh tests/e2e/opfleet_symbolize_test.sh tests/e2e/fleet_hosts.py
EXTRA_DIST += tests/e2e/opfleet_packages_test.sh
EXTRA_DIST += tests/e2e/opfleet_days_test.sh tests/e2e/opfleet_flame_test.sh tests/e2e/opfleet_show_test.sh tests/e2e/opfleet_test.sh tests/e2e/clickhouse.sh tests/e2e/chdb_server.js
EXTRA_DIST += tests/e2e/oppush_test.sh tests/e2e/push_full_disk_test.sh tests/e2e/push_secrets_test.sh tests/e2e/fleet_session.py tests/e2e/fleet_stub.py
EXTRA_DIST += tests/e2e/quickstart_fleet_test.sh tests/demo/fleet.sh

browser_tests = tests/e2e/html_test.sh tests/e2e/page_test.sh tests/e2e/flamegraph_page_test.sh tests/e2e/firefox_test.sh

# Checks of the sources alone: the same in every build tree.
source_checks = tests/layers_test.sh tests/docs_test.sh tests/format_test.sh tests/language_test.sh tests/headers_test.sh tests/quickstart_test.sh \
	tests/events_test.sh tests/emulator_fault_test.sh tests/golden_harness_test.sh tests/kernel_harness_test.sh \
	tests/bench_section_test.sh tests/commands_test.sh tests/kinds_test.sh tests/verdict_test.sh tests/flaky_test.sh
# Every option has a test: asks the commands for theirs.
checks = tests/options_test.sh tests/units_test.sh tests/dkms_test.sh tests/cpu_example_test.sh tests/examples_test.sh
if HAVE_GTEST
checks += tests/machines_test.sh
endif

# The program of `./quickstart demo`: always built with debugging information and frame pointers.
EXTRA_PROGRAMS += tests/demo/shop
tests_demo_shop_SOURCES = tests/demo/orders.cpp tests/demo/orders.h tests/demo/shop.cpp
tests_demo_shop_LDADD =
# Two releases of it for `./quickstart fleet`.
check_PROGRAMS += tests/demo/release-1.0/shop tests/demo/release-2.0/shop
tests_demo_release_1_0_shop_SOURCES = $(tests_demo_shop_SOURCES)
tests_demo_release_1_0_shop_LDADD =
tests_demo_release_1_0_shop_LDFLAGS = -Wl,--build-id=sha1
tests_demo_release_2_0_shop_SOURCES = $(tests_demo_shop_SOURCES)
tests_demo_release_2_0_shop_CPPFLAGS = $(AM_CPPFLAGS) -DSHOP_RELEASE=2
tests_demo_release_2_0_shop_LDADD =
tests_demo_release_2_0_shop_LDFLAGS = -Wl,--build-id=sha1
tests/demo/%.o: CXXFLAGS = -O0 -g -fno-omit-frame-pointer

# Our x86 encodings beside libpfm4's; skips itself where that is missing.
check_PROGRAMS += tests/pfm_encodings_test
encoding_tests = tests/pfm_encodings_test
tests_pfm_encodings_test_LDADD = libop.a -lz $(PFM_LIBS)

all_tests = $(source_checks) $(unit_tests) $(encoding_tests) $(golden_tests) $(checks) $(fuzz_tests) $(e2e_tests) $(fleet_tests) $(browser_tests)
TESTS = $(all_tests)
EXTRA_DIST += $(e2e_tests) $(browser_tests) $(source_checks) $(checks) tests/events_test.py tests/commands tests/commands_test.py tests/e2e/clients.sh tests/e2e/xml_tree.py tests/e2e/screen.py tests/e2e/add_samples.py tests/e2e/browser.py tests/e2e/claims.py tests/e2e/need_browser.sh tests/e2e/limit.py tests/e2e/page_claims.py tests/e2e/flamegraph_claims.py tests/e2e/stack_sessions.sh tests/e2e/firefox.py tests/e2e/screenshot.py tests/e2e/calls.cpp \
	tests/e2e/calls.h tests/e2e/whole_table.h tests/e2e/inlines.cpp tests/e2e/lib.sh tests/e2e/processes.sh tests/environment.sh tests/known_versions tests/summary.sh tests/verdict.sh
AM_TESTS_ENVIRONMENT = . $(srcdir)/tests/environment.sh; CXX='$(CXX)'; export CXX;

# The figures of doc/bench.md.
.PHONY: bench bench-code bench-fleet bench-fleet-day bench-fleet-exactness bench-import bench-optop bench-page bench-reports bench-stacks
EXTRA_PROGRAMS += tests/bench/make_big_session tests/bench/repeat_perf_data
tests_bench_make_big_session_LDADD = libutils.a libop.a -lz
tests_bench_repeat_perf_data_LDADD =
if HAVE_BENCHMARK
bench_programs = tests/bench/measure tests/bench/replay_bench tests/bench/sample_file_bench \
	tests/bench/stack_store_bench tests/bench/walk_bench tests/bench/make_big_session
EXTRA_PROGRAMS += tests/bench/measure tests/bench/replay_bench tests/bench/sample_file_bench tests/bench/stack_store_bench \
	tests/bench/map_bench tests/bench/walk_bench
tests_bench_map_bench_LDADD = libopd.a libop.a -lz
tests_bench_measure_LDADD =
tests_bench_replay_bench_LDADD = libopd.a libop.a -lz -llzma -lzstd $(PFM_LIBS)
tests_bench_sample_file_bench_LDADD = libop.a -lz -lbenchmark -lpthread
tests_bench_stack_store_bench_LDADD = libop.a -lz -lbenchmark -lpthread
tests_bench_walk_bench_LDADD = libutils.a libopd.a libop.a -lz -llzma -lzstd $(PFM_LIBS)
bench: $(bench_programs) tests/e2e/shares operf opreport
	sh $(srcdir)/tests/bench/run.sh | tee bench.md
	sh $(srcdir)/tests/bench/put_section.sh $(srcdir)/doc/bench.md <bench.md
	$(MAKE) bench-reports
	$(MAKE) bench-stacks
	$(MAKE) bench-import
	$(MAKE) bench-code
	$(MAKE) bench-page
	$(MAKE) bench-optop
bench-reports: $(bench_programs) opreport opannotate
	sh $(srcdir)/tests/bench/reports.sh | tee bench.md
	sh $(srcdir)/tests/bench/put_section.sh $(srcdir)/doc/bench.md <bench.md
bench-stacks: $(bench_programs) operf opreport
	sh $(srcdir)/tests/bench/stacks.sh | tee bench.md
	sh $(srcdir)/tests/bench/put_section.sh $(srcdir)/doc/bench.md <bench.md
bench-page: $(bench_programs) opreport
	sh $(srcdir)/tests/bench/page.sh | tee bench.md
	sh $(srcdir)/tests/bench/put_section.sh $(srcdir)/doc/bench.md <bench.md
bench-optop: $(bench_programs) optop
	sh $(srcdir)/tests/bench/optop.sh | tee bench.md
	sh $(srcdir)/tests/bench/put_section.sh $(srcdir)/doc/bench.md <bench.md
bench-import: tests/bench/measure tests/bench/repeat_perf_data operf opimport opreport
	sh $(srcdir)/tests/bench/import.sh | tee bench.md
	sh $(srcdir)/tests/bench/put_section.sh $(srcdir)/doc/bench.md <bench.md
bench-code: tests/bench/measure tests/bench/map_bench operf opreport
	sh $(srcdir)/tests/bench/code.sh | tee bench.md
	sh $(srcdir)/tests/bench/put_section.sh $(srcdir)/doc/bench.md <bench.md
else
bench bench-code bench-import bench-optop bench-page bench-reports bench-stacks:
	@echo "make bench needs Google Benchmark (libbenchmark-dev)"; exit 1
endif
# Not a part of bench: it needs a ClickHouse server.
EXTRA_PROGRAMS += tests/bench/make_fleet tests/bench/add_hour
tests_bench_make_fleet_SOURCES = tests/bench/make_fleet.cpp tests/bench/draw.h
tests_bench_make_fleet_LDADD = libutils.a libop.a -lz
tests_bench_add_hour_SOURCES = tests/bench/add_hour.cpp tests/bench/draw.h
tests_bench_add_hour_LDADD = libutils.a libop.a -lz
bench-fleet: tests/bench/make_fleet tests/bench/measure operf opfleet oppush
	sh $(srcdir)/tests/bench/fleet.sh | tee bench.md
	sh $(srcdir)/tests/bench/put_section.sh $(srcdir)/doc/bench.md <bench.md
	$(MAKE) bench-fleet-day
bench-fleet-day: tests/bench/add_hour tests/bench/measure operf opfleet oppush
	sh $(srcdir)/tests/bench/fleet_day.sh | tee bench.md
	sh $(srcdir)/tests/bench/put_section.sh $(srcdir)/doc/bench.md <bench.md
bench-fleet-exactness: tests/golden/make_session opfleet oppush
	sh $(srcdir)/tests/bench/fleet_exactness.sh | tee bench.md
	sh $(srcdir)/tests/bench/put_section.sh $(srcdir)/doc/bench.md <bench.md
EXTRA_DIST += tests/bench/fleet.sh tests/bench/fleet_day.sh tests/bench/count_bytes.py tests/bench/fleet_exactness.sh tests/bench/fleet_exactness.py
CLEANFILES += bench.md $(EXTRA_PROGRAMS)
EXTRA_DIST += tests/make_page_picture.sh tests/bench/optop.sh tests/bench/page.sh tests/bench/run.sh tests/bench/reports.sh tests/bench/stacks.sh tests/bench/code.sh tests/bench/import.sh tests/bench/java.sh tests/bench/put_section.sh tests/bench/load.py tests/bench/make_big_program.sh
