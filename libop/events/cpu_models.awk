# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the C++ source that holds a text file's bytes, a raw string literal a line.
BEGIN {
	print "// SPDX-License-Identifier: GPL-2.0-or-later"
	print "// Made of events/cpu_models at build time."
	print "// clang-format off"
	print "#include \"libop/events/cpu_models_data.h\"\n"
	print "namespace op {\n"
	print "const char* const cpu_models_data ="
}
{ print "    R\"line(" $0 ")line\" \"\\n\"" }
END {
	print "    ;\n"
	print "}  // namespace op"
}
