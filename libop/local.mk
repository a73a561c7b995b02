# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libop.a
libop_a_SOURCES = \
	libop/base/access_policy.cpp libop/base/access_policy.h \
	libop/base/address.h \
	libop/base/build_id.cpp libop/base/build_id.h \
	libop/base/bytes.h \
	libop/base/child_signal.cpp libop/base/child_signal.h \
	libop/base/clock.cpp libop/base/clock.h \
	libop/base/counted.h \
	libop/base/csv.cpp libop/base/csv.h \
	libop/base/deadline.cpp libop/base/deadline.h \
	libop/base/diagnostics.h \
	libop/base/directory.cpp libop/base/directory.h \
	libop/base/elf_handle.h \
	libop/base/elf_notes.cpp libop/base/elf_notes.h \
	libop/base/elf_object.cpp libop/base/elf_object.h \
	libop/base/elf_object_layout.cpp libop/base/elf_object_layout.h \
	libop/base/error.cpp libop/base/error.h \
	libop/base/fd.cpp libop/base/fd.h \
	libop/base/file_identity.h \
	libop/base/checksum.cpp libop/base/checksum.h \
	libop/base/gzip.cpp libop/base/gzip.h \
	libop/base/intern.h \
	libop/base/json.cpp libop/base/json.h \
	libop/base/kallsyms.cpp libop/base/kallsyms.h \
	libop/base/machine_root.cpp libop/base/machine_root.h \
	libop/base/kernel_file.cpp libop/base/kernel_file.h \
	libop/base/markup.cpp libop/base/markup.h \
	libop/base/nearest.cpp libop/base/nearest.h \
	libop/base/package_note.cpp libop/base/package_note.h \
	libop/base/path.cpp libop/base/path.h \
	libop/base/object_file.h \
	libop/base/percent.cpp libop/base/percent.h \
	libop/base/random_id.cpp libop/base/random_id.h \
	libop/base/rate_limit.h \
	libop/base/sanitized.h \
	libop/base/shared_mapping.cpp libop/base/shared_mapping.h \
	libop/base/tagged_lines.cpp libop/base/tagged_lines.h \
	libop/base/text.cpp libop/base/text.h \
	libop/base/unpack.cpp libop/base/unpack.h \
	libop/base/xml_tag.cpp libop/base/xml_tag.h \
	libop/control/control.cpp libop/control/control.h \
	libop/control/control_message.cpp \
	libop/control/daemon_settings.cpp libop/control/daemon_settings.h \
	libop/control/rotation_settings.cpp libop/control/rotation_settings.h \
	libop/control/separation.cpp libop/control/separation.h \
	libop/events/counter_alloc.cpp libop/events/counter_alloc.h \
	libop/events/cpu_detect.cpp \
	libop/events/cpu_model.cpp libop/events/cpu_model.h \
	libop/events/cpu_models_data.h \
	libop/events/event_catalogue.cpp libop/events/event_catalogue.h \
	libop/events/event_encoding.cpp libop/events/event_encoding.h \
	libop/events/event_file.cpp libop/events/event_file.h \
	libop/events/event_mapping.cpp libop/events/event_mapping.h \
	libop/events/event_numbers.cpp libop/events/event_numbers.h \
	libop/events/event_spec.cpp libop/events/event_spec.h \
	libop/events/event_table.cpp libop/events/event_table.h \
	libop/events/event_text.cpp libop/events/event_text.h \
	libop/events/ibs_rules.cpp libop/events/ibs_rules.h \
	libop/events/kernel_events.cpp libop/events/kernel_events.h \
	libop/events/pfm_events.h \
	libop/events/running_processor.cpp \
	libop/events/software_events.cpp libop/events/software_events.h \
	libop/events/uncounted.cpp libop/events/uncounted.h \
	libop/events/unit_mask.cpp libop/events/unit_mask.h \
	libop/jit/agent_dump.cpp libop/jit/agent_dump.h \
	libop/jit/code_lives.cpp libop/jit/code_lives.h \
	libop/jit/code_switches.cpp libop/jit/code_switches.h \
	libop/jit/code_symbol.h \
	libop/jit/code_symbols.cpp libop/jit/code_symbols.h \
	libop/jit/code_history.cpp libop/jit/code_history.h \
	libop/jit/code_placer.cpp libop/jit/code_placer.h \
	libop/jit/dump_code.cpp libop/jit/dump_code.h \
	libop/jit/jitdump.cpp libop/jit/jitdump.h \
	libop/jit/jo_elf.h \
	libop/jit/jo_file.cpp libop/jit/jo_file.h \
	libop/jit/jo_file_reader.cpp \
	libop/jit/line_program.cpp libop/jit/line_program.h \
	libop/jit/line_program_codes.h \
	libop/jit/line_program_reader.cpp \
	libop/jit/ordered_bytes.h \
	libop/jit/perf_map.cpp libop/jit/perf_map.h \
	libop/jit/recorded_dumps.h \
	libop/session/counted_time.h \
	libop/session/event_label.cpp libop/session/event_label.h \
	libop/session/foreign_abi.cpp libop/session/foreign_abi.h \
	libop/session/kept_images.cpp libop/session/kept_images.h \
	libop/session/ledger.cpp libop/session/ledger.h \
	libop/session/recorder_cpu.h \
	libop/session/recorded_names.cpp libop/session/recorded_names.h \
	libop/session/sample_file.cpp libop/session/sample_file.h \
	libop/session/sample_file_layout.h \
	libop/session/sample_file_open.cpp libop/session/sample_file_open.h \
	libop/session/sample_file_reader.cpp \
	libop/session/sample_file_recover.cpp libop/session/sample_file_recover.h \
	libop/session/sample_file_table.cpp libop/session/sample_file_table.h \
	libop/session/sample_path.cpp libop/session/sample_path.h \
	libop/session/session.cpp libop/session/session.h \
	libop/session/dropped_sessions.cpp libop/session/dropped_sessions.h \
	libop/session/rotated_sessions.cpp libop/session/rotated_sessions.h \
	libop/session/session_files.cpp libop/session/session_files.h \
	libop/session/session_info.cpp libop/session/session_info.h \
	libop/session/session_lock.cpp libop/session/session_lock.h \
	libop/session/session_reader.cpp \
	libop/session/session_statistics.cpp libop/session/session_statistics.h \
	libop/session/stack_account.h \
	libop/stream/record.h libop/stream/record_bytes.h \
	libop/stream/stream.cpp libop/stream/stream.h \
	libop/stream/stream_writer.cpp libop/stream/user_stack.h \
	libop/stacks/stack_end.cpp libop/stacks/stack_end.h \
	libop/stacks/stack_file.cpp libop/stacks/stack_file.h \
	libop/stacks/stack_file_open.cpp libop/stacks/stack_file_open.h \
	libop/stacks/stack_frame.h \
	libop/stacks/stack_images.cpp libop/stacks/stack_images.h \
	libop/stacks/recover_account.cpp libop/stacks/recover_account.h \
	libop/stacks/stack_index.cpp libop/stacks/stack_index.h \
	libop/stacks/stack_reader.cpp libop/stacks/stack_reader.h \
	libop/stacks/stack_set.cpp libop/stacks/stack_set.h \
	libop/stacks/stack_table.cpp libop/stacks/stack_table.h

# The door to libpfm4, or the stub for builds without it.
if HAVE_PFM
libop_a_SOURCES += libop/events/pfm_events.cpp
else
libop_a_SOURCES += libop/events/pfm_events_none.cpp
endif

# The table of CPU models as text in the programs: sample files are read where no data file is installed (doc/adr/0011).
nodist_libop_a_SOURCES = libop/events/cpu_models_data.cpp
CLEANFILES += libop/events/cpu_models_data.cpp
libop/events/cpu_models_data.cpp: events/cpu_models libop/events/cpu_models.awk
	$(AM_V_GEN)$(MKDIR_P) libop/events && awk -f $(srcdir)/libop/events/cpu_models.awk $(srcdir)/events/cpu_models >$@.tmp && mv $@.tmp $@
EXTRA_DIST += libop/events/cpu_models.awk
# It holds datadir, which configure may have changed.
libop/events/event_catalogue.o: Makefile
