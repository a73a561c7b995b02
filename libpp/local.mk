# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libpp.a
libpp_a_SOURCES = \
	libpp/arrange.cpp libpp/arrange.h \
	libpp/build_profile.cpp \
	libpp/percent.cpp libpp/percent.h \
	libpp/profile.cpp libpp/profile.h \
	libpp/profile_spec.cpp libpp/profile_spec.h \
	libpp/report.cpp libpp/report.h \
	libpp/report_images.cpp \
	libpp/report_symbols.cpp \
	libpp/sample_set.cpp libpp/sample_set.h \
	libpp/select.cpp libpp/select.h \
	libpp/session_notes.cpp libpp/session_notes.h \
	libpp/write_text.cpp \
	libpp/writers.cpp libpp/writer.h
