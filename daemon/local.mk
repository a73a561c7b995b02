# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libopd.a
libopd_a_SOURCES = \
	daemon/collect/address_space.cpp daemon/collect/address_space.h \
	daemon/collect/application_cache.h \
	daemon/collect/append_check.cpp daemon/collect/append_check.h \
	daemon/collect/code_memory.cpp daemon/collect/code_memory.h \
	daemon/collect/collector.cpp daemon/collect/collector.h daemon/collect/collector_options.h \
	daemon/collect/collector_account.cpp \
	daemon/collect/collector_code.cpp \
	daemon/collect/collector_gaps.cpp \
	daemon/collect/collector_images.cpp \
	daemon/collect/collector_stacks.cpp \
	daemon/collect/collector_starts.cpp \
	daemon/collect/command_names.cpp daemon/collect/command_names.h \
	daemon/collect/frame_cache.h \
	daemon/collect/frame_tables.cpp daemon/collect/frame_tables.h \
	daemon/collect/held_places.h daemon/collect/held_stacks.h \
	daemon/collect/host_machine.h \
	daemon/collect/image_keeper.cpp daemon/collect/image_keeper.h \
	daemon/collect/image_limits.h daemon/collect/image_ref.h \
	daemon/collect/known_file.cpp daemon/collect/known_file.h \
	daemon/collect/known_images.cpp daemon/collect/known_images.h \
	daemon/collect/known_images_looks.cpp \
	daemon/collect/limit_note.cpp daemon/collect/limit_note.h \
	daemon/collect/mapped_image.h \
	daemon/collect/process_table.cpp daemon/collect/process_table.h \
	daemon/collect/rotation.cpp daemon/collect/rotation.h \
	daemon/collect/sample_files.cpp daemon/collect/sample_files.h \
	daemon/collect/sample_names.cpp daemon/collect/sample_names.h \
	daemon/collect/sample_origin.h \
	daemon/collect/slot_cache.h \
	daemon/collect/stack_files.cpp daemon/collect/stack_files.h \
	daemon/collect/stack_resolver.cpp daemon/collect/stack_resolver.h \
	daemon/collect/stack_sizer.h \
	daemon/collect/stack_walker.cpp daemon/collect/stack_walker.h \
	daemon/collect/starting_programs.h \
	daemon/collect/driver_maps.cpp daemon/collect/driver_maps.h \
	daemon/collect/recorder_clock.cpp daemon/collect/recorder_clock.h \
	daemon/collect/session_keeper.cpp daemon/collect/session_keeper.h \
	daemon/count/choose_counted.cpp daemon/count/choose_counted.h \
	daemon/count/count_loop.cpp daemon/count/count_loop.h \
	daemon/count/counter_rows.cpp daemon/count/counter_rows.h \
	daemon/count/perf_counters.cpp daemon/count/perf_counters.h \
	daemon/driver/driver_events.cpp daemon/driver/driver_events.h \
	daemon/driver/driver_models.cpp daemon/driver/driver_models.h \
	daemon/driver/driver_session.cpp daemon/driver/driver_session.h \
	daemon/driver/driver_setup.cpp daemon/driver/driver_setup.h \
	daemon/driver/driver_source.cpp daemon/driver/driver_source.h \
	daemon/driver/oprofilefs.cpp daemon/driver/oprofilefs.h \
	daemon/jit/code_hits.cpp daemon/jit/code_hits.h \
	daemon/jit/code_watch.h \
	daemon/jit/held_samples.cpp daemon/jit/held_samples.h \
	daemon/jit/imported_code.cpp daemon/jit/imported_code.h \
	daemon/jit/imported_files.cpp daemon/jit/imported_files.h \
	daemon/jit/jit_capture.cpp daemon/jit/jit_capture.h \
	daemon/jit/kept_code.cpp daemon/jit/kept_code.h \
	daemon/jit/map_reader.cpp daemon/jit/map_reader.h \
	daemon/jit/process_place.cpp daemon/jit/process_place.h \
	daemon/jit/reader_link.cpp daemon/jit/reader_link.h \
	daemon/jit/reader_messages.cpp daemon/jit/reader_messages.h \
	daemon/jit/reader_spawner.cpp daemon/jit/reader_spawner.h \
	daemon/perf/event_cpus.cpp daemon/perf/event_cpus.h \
	daemon/source/ibs_decode.cpp daemon/source/ibs_decode.h \
	daemon/perf/perf_attr.cpp daemon/perf/perf_attr.h \
	daemon/perf/perf_decode.cpp daemon/perf/perf_decode.h \
	daemon/perf/perf_errors.cpp daemon/perf/perf_errors.h \
	daemon/perf/perf_events.cpp daemon/perf/perf_events.h \
	daemon/perf/perf_features.h \
	daemon/perf/perf_merger.cpp daemon/perf/perf_merger.h \
	daemon/perf/perf_open.cpp daemon/perf/perf_open.h \
	daemon/perf/perf_probe.cpp daemon/perf/perf_probe.h \
	daemon/perf/perf_rate.cpp daemon/perf/perf_rate.h \
	daemon/perf/perf_ring.cpp daemon/perf/perf_ring.h \
	daemon/perf/perf_source.cpp daemon/perf/perf_source.h \
	daemon/perf/perf_times.cpp daemon/perf/perf_times.h \
	daemon/perf/ring_sizes.cpp daemon/perf/ring_sizes.h \
	daemon/perf/user_registers.h \
	daemon/import/akaros_events.cpp daemon/import/akaros_events.h \
	daemon/import/akaros_source.cpp daemon/import/akaros_source.h \
	daemon/import/akaros_trace.cpp daemon/import/akaros_trace.h \
	daemon/import/field_reader.h \
	daemon/import/gperf_profile.cpp daemon/import/gperf_profile.h \
	daemon/import/gperf_source.cpp daemon/import/gperf_source.h \
	daemon/import/importers.cpp daemon/import/importers.h \
	daemon/import/perf_data_attr.cpp daemon/import/perf_data_attr.h \
	daemon/import/perf_data_decoder.cpp daemon/import/perf_data_decoder.h \
	daemon/import/perf_data_features.cpp daemon/import/perf_data_features.h \
	daemon/import/perf_data_header.cpp daemon/import/perf_data_header.h \
	daemon/import/perf_data_records.h \
	daemon/import/perf_data_source.cpp daemon/import/perf_data_source.h \
	daemon/import/perf_data_stream.cpp daemon/import/perf_data_stream.h \
	daemon/import/perf_data_user_stack.cpp daemon/import/perf_data_user_stack.h \
	daemon/import/recorded_files.cpp daemon/import/recorded_files.h \
	daemon/import/recorded_processor.cpp daemon/import/recorded_processor.h \
	daemon/import/time_runs.cpp daemon/import/time_runs.h \
	daemon/import/time_window.cpp daemon/import/time_window.h \
	daemon/import/whole_user_memory.h \
	daemon/source/samplers.cpp daemon/source/samplers.h \
	daemon/run/child_process.cpp daemon/run/child_process.h \
	daemon/run/recording.cpp daemon/run/recording.h \
	daemon/run/stop_signal.cpp daemon/run/stop_signal.h \
	daemon/run/idle_clock.cpp daemon/run/idle_clock.h \
	daemon/run/run_times.cpp daemon/run/run_times.h \
	daemon/run/unprofiled_programs.cpp daemon/run/unprofiled_programs.h \
	daemon/run/stopping.cpp daemon/run/stopping.h \
	daemon/service/background.cpp daemon/service/background.h \
	daemon/service/control_server.cpp daemon/service/control_server.h \
	daemon/service/privileges.cpp daemon/service/privileges.h \
	daemon/service/service.cpp daemon/service/service.h \
	daemon/service/service_log.cpp daemon/service/service_log.h \
	daemon/service/service_manager.cpp daemon/service/service_manager.h \
	daemon/service/sources.cpp daemon/service/sources.h \
	daemon/source/attach.cpp daemon/source/attach.h \
	daemon/source/cpu_list.cpp daemon/source/cpu_list.h \
	daemon/source/event_times.cpp daemon/source/event_times.h \
	daemon/source/gap_filler.cpp daemon/source/gap_filler.h \
	daemon/source/kallsyms_cache.cpp daemon/source/kallsyms_cache.h \
	daemon/source/kallsyms_copy.cpp daemon/source/kallsyms_copy.h \
	daemon/source/kernel_map.cpp daemon/source/kernel_map.h daemon/source/kernel_pages.h \
	daemon/source/machine.cpp daemon/source/machine.h \
	daemon/source/image_file.cpp daemon/source/image_file.h \
	daemon/source/own_vdso.cpp daemon/source/own_vdso.h \
	daemon/source/proc_scan.cpp daemon/source/proc_scan.h \
	daemon/source/replay_source.cpp daemon/source/replay_source.h \
	daemon/source/sample_source.h \
	daemon/source/stack_copies.h \
	daemon/source/symbol_choice.cpp daemon/source/symbol_choice.h \
	daemon/source/vmlinux.cpp daemon/source/vmlinux.h \
	daemon/unwind/call_code.cpp daemon/unwind/call_code.h \
	daemon/unwind/cfi_bytes.cpp daemon/unwind/cfi_bytes.h \
	daemon/unwind/cfi_program.cpp daemon/unwind/cfi_program.h \
	daemon/unwind/cfi_reader.cpp daemon/unwind/cfi_reader.h \
	daemon/unwind/elf_frames.cpp daemon/unwind/elf_frames.h \
	daemon/unwind/frame_bytes.cpp daemon/unwind/frame_bytes.h \
	daemon/unwind/frame_index.cpp daemon/unwind/frame_index.h \
	daemon/unwind/frame_state.cpp daemon/unwind/frame_state.h \
	daemon/unwind/function_entry.cpp daemon/unwind/function_entry.h \
	daemon/unwind/section_rules.cpp daemon/unwind/section_rules.h \
	daemon/unwind/return_path.cpp daemon/unwind/return_path.h \
	daemon/unwind/stack_memory.h \
	daemon/unwind/unwind_rule.h \
	daemon/unwind/unwind_table.cpp daemon/unwind/unwind_table.h \
	daemon/unwind/unwinder.cpp daemon/unwind/unwinder.h \
	daemon/unwind/x86_code.cpp daemon/unwind/x86_code.h
