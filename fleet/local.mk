# SPDX-License-Identifier: GPL-2.0-or-later
# Sessions of many machines on one server. Without libcurl there is no such room.
if HAVE_CURL
noinst_LIBRARIES += libopfleet.a
endif
EXTRA_LIBRARIES += libopfleet.a
libopfleet_a_SOURCES = \
	fleet/build_symbols.cpp fleet/build_symbols.h fleet/build_symbols_text.cpp \
	fleet/coverage.cpp fleet/coverage.h \
	fleet/day.cpp fleet/day.h \
	fleet/dpkg_package.cpp fleet/dpkg_package.h \
	fleet/fetch_profile.cpp fleet/fleet_profile.cpp fleet/fleet_profile.h \
	fleet/fleet_images.cpp fleet/fleet_images.h \
	fleet/function_counts.cpp fleet/function_counts.h \
	fleet/function_diff.cpp fleet/function_diff.h \
	fleet/fetch.cpp fleet/fetch.h \
	fleet/file_index.cpp fleet/file_index.h \
	fleet/fleet_days.cpp fleet/fleet_days.h \
	fleet/http.cpp fleet/http.h fleet/http_text.cpp \
	fleet/md5.cpp fleet/md5.h \
	fleet/native_block.cpp fleet/native_block.h \
	fleet/numbers.cpp fleet/numbers.h \
	fleet/otlp.cpp fleet/otlp.h \
	fleet/push.cpp fleet/push.h \
	fleet/push_ledger.cpp fleet/push_ledger.h \
	fleet/restore.cpp fleet/restore.h \
	fleet/road.cpp fleet/road.h \
	fleet/row_binary.cpp fleet/row_binary.h \
	fleet/rows.cpp fleet/rows.h \
	fleet/running_kernel.cpp \
	fleet/sample_source.cpp fleet/sample_source.h \
	fleet/schema.cpp fleet/schema.h fleet/schema_tables.cpp \
	fleet/selection.cpp fleet/selection.h \
	fleet/sent_rows.cpp fleet/sent_rows.h \
	fleet/server.cpp fleet/server.h fleet/judge_answer.cpp \
	fleet/server_url.cpp fleet/server_url.h \
	fleet/sha256.cpp fleet/sha256.h \
	fleet/slice.cpp fleet/slice.h \
	fleet/slice_account.cpp fleet/slice_account.h \
	fleet/split_profile.cpp fleet/split_profile.h \
	fleet/summaries.cpp fleet/summaries.h \
	fleet/symbol_store.cpp fleet/symbol_store.h
fleet/http.$(OBJEXT): AM_CPPFLAGS += $(CURL_CFLAGS)
