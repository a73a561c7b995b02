# SPDX-License-Identifier: GPL-2.0-or-later
# Headers that are compiled once for a whole build tree, which saves a fifth of its time (configure --enable-precompiled-headers; so
# do the trees of ./quickstart test). A compiler takes HEADER.gch for -include HEADER if it was made with the same options.
# A file that forgets an include compiles nevertheless. So the g++ tree of the tests does without for the product's own files
# (--enable-precompiled-headers=tests).
EXTRA_DIST += tests/precompiled/standard.h tests/precompiled/with_gtest.h
if PRECOMPILED_PRODUCT
$(product_objects): AM_CXXFLAGS += -include tests/precompiled/standard.h $(OP_PCHWARNINGS)
$(product_objects): | tests/precompiled/standard.h.gch
endif
if PRECOMPILED_TESTS
test_objects = $(filter tests/unit/%,$(tests_unit_tests_OBJECTS))
$(test_objects): AM_CXXFLAGS += -include tests/precompiled/with_gtest.h $(OP_PCHWARNINGS)
$(test_objects): | tests/precompiled/with_gtest.h.gch
# What ccache has to overlook to keep objects that were made with them: it does know the contents of the .gch.
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
endif

tests/precompiled/%.h.gch: $(srcdir)/tests/precompiled/%.h config.status
	@$(MKDIR_P) $(@D)
	$(AM_V_CXX)$(CXX) $(AM_CPPFLAGS) $(CPPFLAGS) $(OP_CXXFLAGS) $(CXXFLAGS) $(OP_PCHFLAGS) -MD -MP -MF $@.d -MT $@ -x c++-header -o $@.tmp $<
	@mv $@.tmp $@
-include $(wildcard tests/precompiled/*.gch.d)
clean-local: clean-precompiled
.PHONY: clean-precompiled
clean-precompiled:
	rm -f tests/precompiled/*.gch tests/precompiled/*.gch.*
