# SPDX-License-Identifier: GPL-2.0-or-later
# What every command has in common: list it among the command's sources.
utils_common = utils/mapping_guard.cpp utils/mapping_guard.h utils/options.cpp utils/options.h utils/tool.cpp \
	utils/tool.h

bin_PROGRAMS += operf
operf_SOURCES = utils/operf.cpp utils/vmlinux.cpp utils/vmlinux.h $(utils_common)
operf_LDADD = libopd.a libpp.a libop.a $(op_system_libs)

bin_PROGRAMS += opreport
opreport_SOURCES = utils/opreport.cpp utils/output.cpp utils/output.h utils/report_options.cpp \
	utils/report_options.h $(utils_common)
opreport_LDADD = libpp.a libop.a $(op_system_libs)
