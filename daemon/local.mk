# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libopd.a
libopd_a_SOURCES =
