# SPDX-License-Identifier: GPL-2.0-or-later
# oprof_start, where Qt is; without it the command lines do the same.
gui_parts = \
	gui/command_line.cpp gui/command_line.h \
	gui/configuration_page.cpp gui/configuration_page.h \
	gui/daemon_watch.cpp gui/daemon_watch.h \
	gui/event_list.cpp gui/event_list.h \
	gui/main_window.cpp gui/main_window.h \
	gui/operf_page.cpp gui/operf_page.h \
	gui/runner.cpp gui/runner.h \
	gui/sessions_page.cpp gui/sessions_page.h \
	gui/setup_page.cpp gui/setup_page.h
# Qt's headers pass no check of ours, and its libraries want code that can lie anywhere.
gui_flags = $(AM_CXXFLAGS) $(QT_CFLAGS) -fPIC
if HAVE_QT
bin_PROGRAMS += oprof_start
endif
EXTRA_PROGRAMS += oprof_start
oprof_start_SOURCES = gui/oprof_start.cpp $(gui_parts)
oprof_start_CXXFLAGS = $(gui_flags)
oprof_start_LDADD = libop.a -lelf -lz $(QT_LIBS) $(PFM_LIBS)

# The window's tests, which tests/e2e/oprof_start_test.sh runs.
if HAVE_QT
if HAVE_GTEST
check_PROGRAMS += tests/gui_tests
endif
endif
EXTRA_PROGRAMS += tests/gui_tests
tests_gui_tests_SOURCES = tests/gui/main.cpp tests/gui/command_line_test.cpp tests/gui/event_list_test.cpp \
	tests/gui/main_window_test.cpp tests/gui/runner_test.cpp tests/unit/temp_dir.h $(gui_parts)
tests_gui_tests_CXXFLAGS = $(gui_flags)
tests_gui_tests_LDADD = libop.a -lelf -lz $(QT_TEST_LIBS) $(QT_LIBS) $(PFM_LIBS) -lgtest -lpthread
