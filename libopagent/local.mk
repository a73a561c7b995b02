# SPDX-License-Identifier: GPL-2.0-or-later
# Libraries for other people's programs: nothing of ours is in them, and they need no C++ run-time library.
opagentlibdir = $(libdir)/oprofile
opagentlib_SCRIPTS = libopagent/libopagent.so.1
include_HEADERS = libopagent/opagent.h
jvmti_agent_sources = libopagent/jvmti_agent.cpp libopagent/java_lines.cpp libopagent/java_names.cpp
EXTRA_DIST += libopagent/opagent.cpp libopagent/opagent.map $(jvmti_agent_sources) libopagent/java_lines.h \
	libopagent/java_names.h libopagent/jvmti_agent.map
CLEANFILES += libopagent/libopagent.so.1 libopagent/libjvmti_oprofile.so
link_agent = $(AM_V_CXXLD)$(MKDIR_P) libopagent && $(CXX) $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CXXFLAGS) $(CXXFLAGS) -fPIC \
	-fno-exceptions -fno-rtti -shared -pthread -Wl,--as-needed

libopagent/libopagent.so.1: libopagent/opagent.cpp libopagent/opagent.h libopagent/opagent.map
	$(link_agent) -Wl,-soname,libopagent.so.1 -Wl,--version-script=$(srcdir)/libopagent/opagent.map $(LDFLAGS) \
		-o $@ $(srcdir)/libopagent/opagent.cpp

# For Java virtual machines, which finds the other one beside it.
if HAVE_JAVA
opagentlib_SCRIPTS += libopagent/libjvmti_oprofile.so
endif
libopagent/libjvmti_oprofile.so: $(jvmti_agent_sources) libopagent/java_lines.h libopagent/java_names.h \
		libopagent/opagent.h libopagent/jvmti_agent.map libopagent/libopagent.so.1
	$(link_agent) $(JAVA_CPPFLAGS) -Wl,-soname,libjvmti_oprofile.so -Wl,-rpath,'$$ORIGIN' \
		-Wl,--version-script=$(srcdir)/libopagent/jvmti_agent.map $(LDFLAGS) -o $@ \
		$(jvmti_agent_sources:%=$(srcdir)/%) libopagent/libopagent.so.1

# -lopagent finds the library by this name. (automake takes a directory without "exec" in its name for one of data.)
install-data-hook:
	cd $(DESTDIR)$(opagentlibdir) && rm -f libopagent.so && ln -s libopagent.so.1 libopagent.so
uninstall-hook:
	rm -f $(DESTDIR)$(opagentlibdir)/libopagent.so
