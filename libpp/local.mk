# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libpp.a
libpp_a_SOURCES = \
	libpp/annotate.cpp libpp/annotate.h \
	libpp/arrange.cpp libpp/arrange.h \
	libpp/build_arcs.cpp libpp/build_arcs.h \
	libpp/build_profile.cpp \
	libpp/call_stacks.cpp libpp/call_stacks.h \
	libpp/debug_places.h \
	libpp/debuginfo.cpp libpp/debuginfo.h \
	libpp/debuginfo_alt.cpp libpp/debuginfo_alt.h \
	libpp/debuginfo_inlines.cpp libpp/debuginfo_inlines.h \
	libpp/debuginfo_lines.cpp libpp/debuginfo_lines.h \
	libpp/debuginfo_cursor.h \
	libpp/debuginfo_ranges.cpp libpp/debuginfo_ranges.h \
	libpp/debuginfo_relocated.cpp libpp/debuginfo_relocated.h \
	libpp/debuginfo_split.cpp libpp/debuginfo_split.h \
	libpp/debuginfo_walk.cpp libpp/debuginfo_walk.h \
	libpp/demangle.cpp libpp/demangle.h \
	libpp/disassemble.cpp libpp/disassemble.h \
	libpp/elf_handles.h \
	libpp/elf_object.cpp libpp/elf_object.h \
	libpp/elf_object_layout.cpp libpp/elf_object_layout.h \
	libpp/event_remarks.cpp libpp/event_remarks.h \
	libpp/event_scale.cpp libpp/event_scale.h \
	libpp/export_callgrind.cpp \
	libpp/export_pprof.cpp \
	libpp/exporters.cpp libpp/exporter.h \
	libpp/profile_part.cpp libpp/profile_part.h \
	libpp/export_gmon.cpp libpp/export_gmon.h \
	libpp/html_style.cpp libpp/html_style.h \
	libpp/image_bytes.cpp libpp/image_bytes.h \
	libpp/image_finder.cpp libpp/image_finder.h \
	libpp/image_symbols.cpp libpp/image_symbols.h \
	libpp/kernel_symbols.cpp libpp/kernel_symbols.h \
	libpp/markup.cpp libpp/markup.h \
	libpp/object_file.h \
	libpp/percent.cpp libpp/percent.h \
	libpp/profile.cpp libpp/profile.h \
	libpp/profile_spec.cpp libpp/profile_spec.h \
	libpp/range_map.cpp libpp/range_map.h \
	libpp/report.cpp libpp/report.h \
	libpp/report_images.cpp \
	libpp/report_callgraph.cpp \
	libpp/report_diff.cpp \
	libpp/report_symbols.cpp \
	libpp/symbol_rows.cpp libpp/symbol_rows.h \
	libpp/sample_set.cpp libpp/sample_set.h \
	libpp/select.cpp libpp/select.h \
	libpp/session_notes.cpp libpp/session_notes.h \
	libpp/symbol_notes.cpp libpp/symbol_notes.h \
	libpp/source_line.h \
	libpp/split_inlines.cpp libpp/split_inlines.h \
	libpp/symbol_ranges.cpp libpp/symbol_ranges.h \
	libpp/symbolizer.cpp libpp/symbolizer.h \
	libpp/write_annotated.cpp libpp/write_annotated.h \
	libpp/write_annotated_html.cpp libpp/write_annotated_html.h \
	libpp/write_csv.cpp \
	libpp/write_json.cpp \
	libpp/write_text.cpp libpp/write_text.h \
	libpp/write_text_symbols.cpp \
	libpp/write_xml.cpp \
	libpp/writers.cpp libpp/writer.h \
	libpp/xml_document.cpp libpp/xml_document.h
