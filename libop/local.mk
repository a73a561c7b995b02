# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libop.a
libop_a_SOURCES = \
	libop/address.h \
	libop/build_id.cpp libop/build_id.h \
	libop/bytes.h \
	libop/control.cpp libop/control.h \
	libop/control_message.cpp \
	libop/cpu_types.cpp \
	libop/daemon_settings.cpp libop/daemon_settings.h \
	libop/diagnostics.h \
	libop/directory.cpp libop/directory.h \
	libop/error.cpp libop/error.h \
	libop/event_spec.cpp libop/event_spec.h \
	libop/event_table.cpp libop/event_table.h \
	libop/fd.cpp libop/fd.h \
	libop/foreign_abi.cpp libop/foreign_abi.h \
	libop/gzip.cpp libop/gzip.h \
	libop/intern.h \
	libop/kallsyms.cpp libop/kallsyms.h \
	libop/ledger.cpp libop/ledger.h \
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
	libop/stream.cpp libop/stream.h \
	libop/text.cpp libop/text.h \
	libop/unpack.cpp libop/unpack.h
