# SPDX-License-Identifier: GPL-2.0-or-later
# For working on the tree: the quick check, the checks of parts, formatting, clang-tidy, compile_commands.json.
.PHONY: check-programs check-quick check-sanitized format list-tests tidy
check-programs: $(check_PROGRAMS) $(check_LIBRARIES)

# After a change: what takes seconds, and builds no more than that needs.
check-quick: all $(unit_tests) tests/golden/make_session$(EXEEXT)
	@$(MAKE) $(AM_MAKEFLAGS) check-TESTS check_PROGRAMS= check_LIBRARIES= TESTS='tests/layers_test.sh tests/docs_test.sh tests/format_test.sh tests/language_test.sh $(unit_tests) $(golden_tests)'

# The tests in which a sanitizer can find faults. The end-to-end tests and the checks of the sources run in the other tree.
sanitized_tests = $(unit_tests) $(golden_tests) $(fuzz_tests)
check-sanitized: all $(unit_tests) $(fuzz_targets) tests/golden/make_session$(EXEEXT)
	@$(MAKE) $(AM_MAKEFLAGS) check-TESTS check_PROGRAMS= check_LIBRARIES= TESTS='$(sanitized_tests)'

# The tests, a line each.
list-tests:
	@printf '%s\n' $(TESTS)

# Each measured test N times alone and N times beside load: what depends on luck shows. Some: make flaky TESTS=tests/e2e/operf_test.sh
N = 20
measured_tests = $(shell cd $(srcdir) && grep -lx '\# kind: measured' $(e2e_tests) $(fleet_tests) $(browser_tests))
.PHONY: flaky
flaky: all check-programs
	@OP_RECORDS=. $(srcdir)/tests/flaky.sh $(N) $(N) . $(if $(filter command%,$(origin TESTS)),$(TESTS),$(measured_tests))
EXTRA_DIST += tests/flaky.sh tests/touched.sh

# The end-to-end tests, once by the shell and the awk of busybox, between the commands of the system. Their logs are in portable/.
portable_results = $(patsubst tests/e2e/%.sh,portable/%,$(e2e_tests) $(fleet_tests) $(filter %.sh,$(browser_tests)))
.PHONY: check-portable $(portable_results)
check-portable: all check-programs
	@rm -rf portable && $(MKDIR_P) portable/bin
	@command -v busybox >/dev/null || { echo "check-portable needs busybox"; exit 1; }
	@for command in sh awk; do ln -s "$$(command -v busybox)" portable/bin/$$command || exit; done
	@$(MAKE) $(AM_MAKEFLAGS) --no-print-directory --keep-going $(portable_results)
$(portable_results):
	@status=0; PATH="$(abs_builddir)/portable/bin:$$PATH" srcdir='$(srcdir)' CXX='$(CXX)' \
		portable/bin/sh $(srcdir)/tests/e2e/$(@F).sh >$@.log 2>&1 </dev/null || status=$$?; \
	case $$status in \
	0) echo "PASS: $(@F)" ;; \
	77) echo "SKIP: $(@F): $$(tail -n 1 $@.log)" ;; \
	*) cat $@.log; echo "FAIL: $(@F)"; exit 1 ;; \
	esac

# The headers that no source of their name includes first (tests/headers_test.sh), each compiled alone.
rooms = libop daemon libpp fleet libopagent utils gui
headers := $(foreach room,$(rooms),$(wildcard $(srcdir)/$(room)/*.h $(srcdir)/$(room)/*/*.h))
lone_headers := $(foreach header,$(headers),$(if $(wildcard $(header:.h=.cpp)),,$(header:$(srcdir)/%=%)))
lone_objects = $(lone_headers:%.h=alone/%.o)
alone/%.o: $(srcdir)/%.h
	@$(MKDIR_P) $(@D) && echo '#include "$*.h"' >alone/$*.cpp
	$(AM_V_CXX)$(CXX) $(AM_CPPFLAGS) $(CPPFLAGS) $(AM_CXXFLAGS) -MMD -MP -c -o $@ alone/$*.cpp
-include $(wildcard $(lone_objects:.o=.d))
# By another name: a rule of its own would replace automake's.
headers_log = tests/headers_test.sh.log
$(headers_log): $(lone_objects)

# All fuzz targets with libFuzzer, MINUTES each and JOBS at a time. Without --enable-fuzz they are built in a directory of
# their own.
MINUTES = 1
JOBS = $(shell nproc)
FUZZ_CXX = clang++
.PHONY: fuzz
if FUZZ
fuzz: $(fuzz_targets)
	@srcdir=$(srcdir) $(srcdir)/tests/fuzz/run.sh $(MINUTES) $(JOBS) $(fuzz_targets)
else
fuzz:
	@$(MKDIR_P) with-fuzzer
	@cd with-fuzzer && { [ -f Makefile ] || $(abs_top_srcdir)/configure --quiet --enable-fuzz CXX='$(FUZZ_CXX)' CXXFLAGS='-g -O1'; }
	@cd with-fuzzer && $(MAKE) fuzz MINUTES='$(MINUTES)' JOBS='$(JOBS)'
endif
EXTRA_DIST += tests/fuzz/run.sh

# Every C++ file in the style of .clang-format; tests/format_test.sh complains of those that are not.
CLANG_FORMAT = clang-format-14
format:
	cd $(srcdir) && find $(rooms) tests -name '*.cpp' -o -name '*.h' | xargs $(CLANG_FORMAT) -i

if HAVE_CURL
fleet_objects = $(libopfleet_a_OBJECTS) $(opfleet_OBJECTS) $(oppush_OBJECTS)
endif
# The product's own files: not tables of data, and not what is made from files in other languages.
product_objects = $(filter-out %_data.$(OBJEXT) $(nodist_libpp_a_OBJECTS),$(sort $(libop_a_OBJECTS) $(libopd_a_OBJECTS) \
	$(libpp_a_OBJECTS) \
	$(libutils_a_OBJECTS) $(operf_OBJECTS) $(ocount_OBJECTS) $(oprofiled_OBJECTS) $(opcontrol_OBJECTS) $(opreport_OBJECTS) \
	$(ophelp_OBJECTS) $(opannotate_OBJECTS) $(opgprof_OBJECTS) $(oparchive_OBJECTS) $(opimport_OBJECTS) \
	$(opjitconv_OBJECTS) $(optop_OBJECTS) $(fleet_objects)))

# clang-tidy over the product's files: again over a file that had to be compiled again.
CLANG_TIDY = clang-tidy-14
tidied/%.ok: %.$(OBJEXT) $(srcdir)/.clang-tidy
	@$(MKDIR_P) $(@D) && echo "  TIDY     $*.cpp"
	@$(CLANG_TIDY) --quiet $(srcdir)/$*.cpp -- -std=c++20 $(AM_CPPFLAGS) $(CPPFLAGS) >$@.log 2>&1 || { cat $@.log; exit 1; }
	@mv $@.log $@
tidy: $(product_objects:%.$(OBJEXT)=tidied/%.ok)

# The compile command of each file, for editors and clang's tools.
compile_commands.json: Makefile
	$(AM_V_GEN)$(srcdir)/tests/compile_commands.sh '$(subst ','\'',$(CXXCOMPILE))' $(srcdir) $(product_objects) \
		$(tests_unit_tests_OBJECTS) $(fuzz_targets:%=%.$(OBJEXT)) >$@.tmp && mv $@.tmp $@
CLEANFILES += compile_commands.json
clean-local: clean-develop
.PHONY: clean-develop
clean-develop:
	rm -rf alone tidied fuzz-runs portable
EXTRA_DIST += tests/compile_commands.sh tests/package_check.sh
