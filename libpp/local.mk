# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libpp.a
libpp_a_SOURCES =
