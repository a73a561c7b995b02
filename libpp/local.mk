# SPDX-License-Identifier: GPL-2.0-or-later
noinst_LIBRARIES += libpp.a
libpp_a_SOURCES = \
	libpp/annotate/annotate.cpp libpp/annotate/annotate.h \
	libpp/annotate/html_style.cpp libpp/annotate/html_style.h \
	libpp/annotate/write_annotated.cpp libpp/annotate/write_annotated.h \
	libpp/annotate/write_annotated_html.cpp libpp/annotate/write_annotated_html.h \
	libpp/export/call_stacks.cpp libpp/export/call_stacks.h \
	libpp/export/export_callgrind.cpp \
	libpp/export/export_flamegraph.cpp \
	libpp/export/export_folded.cpp \
	libpp/export/export_gmon.cpp libpp/export/export_gmon.h \
	libpp/export/export_pprof.cpp \
	libpp/export/export_speedscope.cpp \
	libpp/export/exporter.h \
	libpp/export/exporters.cpp \
	libpp/export/flame_graph_files.h \
	libpp/export/flame_layout.cpp libpp/export/flame_layout.h \
	libpp/export/profile_part.cpp libpp/export/profile_part.h \
	libpp/export/stack_lines.cpp libpp/export/stack_lines.h \
	libpp/object/debug_places.h libpp/object/debuginfo_elf.cpp libpp/object/debuginfo_elf.h \
	libpp/object/debuginfo.cpp libpp/object/debuginfo.h \
	libpp/object/debuginfo_alt.cpp libpp/object/debuginfo_alt.h \
	libpp/object/debuginfo_cursor.h \
	libpp/object/debuginfo_inlines.cpp libpp/object/debuginfo_inlines.h \
	libpp/object/debuginfo_lines.cpp libpp/object/debuginfo_lines.h \
	libpp/object/debuginfo_ranges.cpp libpp/object/debuginfo_ranges.h \
	libpp/object/debuginfo_relocated.cpp libpp/object/debuginfo_relocated.h \
	libpp/object/debuginfo_section.cpp libpp/object/debuginfo_section.h \
	libpp/object/debuginfo_split.cpp libpp/object/debuginfo_split.h \
	libpp/object/debuginfo_walk.cpp libpp/object/debuginfo_walk.h \
	libpp/object/demangle.cpp libpp/object/demangle.h \
	libpp/object/demangle_effort.cpp libpp/object/demangle_effort.h \
	libpp/object/disassemble.cpp libpp/object/disassemble.h \
	libpp/object/dwarf_handle.h \
	libpp/object/elf_image_builder.cpp libpp/object/elf_image_builder.h \
	libpp/object/go_functions.cpp libpp/object/go_functions.h \
	libpp/object/image_bytes.cpp libpp/object/image_bytes.h \
	libpp/object/machine.cpp libpp/object/machine.h \
	libpp/object/mini_debuginfo.cpp libpp/object/mini_debuginfo.h \
	libpp/object/plt_stubs.cpp libpp/object/plt_stubs.h \
	libpp/object/range_map.cpp libpp/object/range_map.h \
	libpp/object/rust_effort.cpp \
	libpp/object/section_finder.cpp libpp/object/section_finder.h \
	libpp/object/source_line.h \
	libpp/object/symbol_ranges.cpp libpp/object/symbol_ranges.h \
	libpp/page/base64.cpp libpp/page/base64.h \
	libpp/page/pack_tree.cpp libpp/page/pack_tree.h \
	libpp/page/page_files.h \
	libpp/page/page_frames.cpp libpp/page/page_frames.h \
	libpp/page/page_tree.cpp libpp/page/page_tree.h \
	libpp/page/write_page.cpp libpp/page/write_page.h \
	libpp/profile/arrange.cpp libpp/profile/arrange.h \
	libpp/profile/build_arcs.cpp libpp/profile/build_arcs.h \
	libpp/profile/build_profile.cpp \
	libpp/profile/build_stacks.cpp libpp/profile/build_stacks.h \
	libpp/profile/report_footnotes.cpp libpp/profile/report_footnotes.h \
	libpp/profile/command_names.cpp libpp/profile/command_names.h \
	libpp/profile/image_roots.cpp libpp/profile/image_roots.h \
	libpp/profile/event_scale.cpp libpp/profile/event_scale.h \
	libpp/profile/join_builds.cpp libpp/profile/join_builds.h \
	libpp/profile/location_table.cpp libpp/profile/location_table.h \
	libpp/profile/node_index.h \
	libpp/profile/percent.cpp libpp/profile/percent.h \
	libpp/profile/profile.cpp libpp/profile/profile.h \
	libpp/profile/profile_spec.cpp libpp/profile/profile_spec.h \
	libpp/profile/sample_set.cpp libpp/profile/sample_set.h \
	libpp/profile/select.cpp libpp/profile/select.h \
	libpp/profile/session_notes.cpp libpp/profile/session_notes.h \
	libpp/profile/split_inlines.cpp libpp/profile/split_inlines.h \
	libpp/profile/statistics.cpp libpp/profile/statistics.h \
	libpp/profile/stack_tree.cpp libpp/profile/stack_tree.h \
	libpp/profile/symbol_notes.cpp libpp/profile/symbol_notes.h \
	libpp/report/comparison.cpp libpp/report/comparison.h \
	libpp/report/count_text.cpp libpp/report/count_text.h \
	libpp/report/fit_names.cpp libpp/report/fit_names.h \
	libpp/report/name_brackets.cpp libpp/report/name_brackets.h \
	libpp/report/recording_account.cpp libpp/report/recording_account.h \
	libpp/report/report.cpp libpp/report/report.h \
	libpp/report/report_call_tree.cpp \
	libpp/report/report_callgraph.cpp \
	libpp/report/report_diff.cpp \
	libpp/report/report_images.cpp \
	libpp/report/report_symbols.cpp \
	libpp/report/report_tree_diff.cpp \
	libpp/report/share_intervals.cpp libpp/report/share_intervals.h \
	libpp/report/significance.cpp libpp/report/significance.h \
	libpp/report/stack_shares.cpp libpp/report/stack_shares.h \
	libpp/report/symbol_rows.cpp libpp/report/symbol_rows.h \
	libpp/report/text_lines.cpp libpp/report/text_lines.h \
	libpp/report/write_csv.cpp \
	libpp/report/write_json.cpp \
	libpp/report/write_markdown.cpp \
	libpp/report/write_text.cpp libpp/report/write_text.h \
	libpp/report/write_text_call_tree.cpp \
	libpp/report/write_text_symbols.cpp \
	libpp/report/write_xml.cpp \
	libpp/report/writer.h \
	libpp/report/writers.cpp \
	libpp/report/xml_document.cpp libpp/report/xml_document.h \
	libpp/symbols/image_candidates.cpp libpp/symbols/image_candidates.h \
	libpp/symbols/image_finder.cpp libpp/symbols/image_finder.h \
	libpp/symbols/image_symbols.cpp libpp/symbols/image_symbols.h \
	libpp/symbols/joined_kallsyms.cpp libpp/symbols/joined_kallsyms.h \
	libpp/symbols/kernel_symbols.cpp libpp/symbols/kernel_symbols.h \
	libpp/symbols/distribution.cpp libpp/symbols/distribution.h \
	libpp/symbols/packages.cpp libpp/symbols/packages.h \
	libpp/symbols/run_time_code.cpp libpp/symbols/run_time_code.h \
	libpp/symbols/symbolizer.cpp libpp/symbols/symbolizer.h

# The page's HTML, style and scripts as constants of the programs (libpp/page/page_files.h). The scripts are one, in this order.
page_parts = libpp/page/page.html libpp/page/page.css \
	libpp/page/script/state.js libpp/page/script/tree.js libpp/page/script/unpack.js libpp/page/script/transforms.js \
	libpp/page/script/statistics.js libpp/page/script/draw.js libpp/page/script/words.js libpp/page/script/search.js \
	libpp/page/script/table.js libpp/page/script/details.js libpp/page/script/save.js libpp/page/script/keys.js \
	libpp/page/script/start.js
nodist_libpp_a_SOURCES = libpp/page/page_files.cpp libpp/export/flame_graph_files.cpp
CLEANFILES += libpp/page/page_files.cpp libpp/export/flame_graph_files.cpp
libpp/page/page_files.cpp: libpp/page/embed.sh $(page_parts)
	$(AM_V_GEN)$(MKDIR_P) libpp/page && sh $(srcdir)/libpp/page/embed.sh $(page_parts:%=$(srcdir)/%) >$@.tmp && mv $@.tmp $@
EXTRA_DIST += libpp/page/embed.sh $(page_parts)

# The style and the script of a flame graph (libpp/export/flame_graph_files.h).
flame_graph_parts = libpp/export/flame_graph.css libpp/export/flame_graph.js
libpp/export/flame_graph_files.cpp: libpp/page/embed.sh $(flame_graph_parts)
	$(AM_V_GEN)$(MKDIR_P) libpp/export && sh $(srcdir)/libpp/page/embed.sh --constants libpp/export/flame_graph_files.h \
		flame_graph_style $(srcdir)/libpp/export/flame_graph.css flame_graph_script $(srcdir)/libpp/export/flame_graph.js >$@.tmp && mv $@.tmp $@
EXTRA_DIST += $(flame_graph_parts)
