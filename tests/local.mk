# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests: one program, a file per noun. Fuzz targets: one program each, run over their corpus.
op_libs = libpp.a libopd.a libop.a
op_system_libs = -ldw -lelf -lz -liberty -lpopt

if HAVE_GTEST
check_PROGRAMS += tests/unit_tests
TESTS += tests/unit_tests
tests_unit_tests_SOURCES = \
	tests/unit/kernel_map_test.cpp \
	tests/unit/perf_decode_test.cpp \
	tests/unit/perf_errors_test.cpp \
	tests/unit/perf_events_test.cpp \
	tests/unit/proc_scan_test.cpp \
	tests/unit/process_table_test.cpp \
	tests/unit/stream_test.cpp \
	tests/unit/event_spec_test.cpp \
	tests/unit/event_table_test.cpp \
	tests/unit/sample_file_test.cpp \
	tests/unit/sample_path_test.cpp \
	tests/unit/session_info_test.cpp \
	tests/unit/session_test.cpp \
	tests/unit/temp_dir.h \
	tests/unit/text_test.cpp
tests_unit_tests_LDADD = $(op_libs) $(op_system_libs) -lgtest -lgtest_main -lpthread
endif

# $(1)_fuzz reads tests/fuzz/corpus/$(1)/*
fuzz_targets =
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
EXTRA_DIST += tests/fuzz/corpus
