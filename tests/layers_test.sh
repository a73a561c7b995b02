#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# Who may include what (doc/ARCHITECTURE.md, "The arrow"): fails on a breach.
set -eu
cd "${srcdir:-.}"
status=0

# breach ROOM PATTERN [ALLOWED-FILES]: files of ROOM that include PATTERN, but for the allowed ones.
breach() {
	found=$(grep -rlE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($2)" --include='*.h' --include='*.cpp' \
		--include='*.c' "$1" | grep -vE "^(${3:-none})$" || true)
	[ -z "$found" ] && return
	echo "$1 must not include $2:" $found
	status=1
}

breach kernel 'libop/|daemon/|libpp/|utils/|tests/'
breach libop 'daemon/|libpp/|fleet/|utils/|tests/'
breach daemon 'libpp/|fleet/|utils/|tests/'
breach libpp 'daemon/|fleet/|utils/|tests/'
breach fleet 'daemon/|utils/|tests/'
breach utils 'gui/|tests/'
breach gui 'daemon/|libpp/|fleet/|utils/|tests/'

# The rooms within the rooms: what each may include besides itself, of its own room and of the others. An empty room of the
# list is a place for what is to come.
# arrows ROOM ALLOWED...
arrows() {
	room=$1
	shift
	allowed=$room
	for each; do allowed="$allowed|$each"; done
	case $room in
	utils | fleet) files=$(find $room -maxdepth 1 -name '*.h' -o -maxdepth 1 -name '*.cpp') ;;
	*) files=$(find "$room" -name '*.h' -o -name '*.cpp' 2>/dev/null) ;;
	esac
	[ -n "$files" ] || { echo "$room has no files"; status=1; return; }
	found=$(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' $files /dev/null | grep -vE "\"($allowed)/[^/\"]*\"" || true)
	[ -z "$found" ] && return
	echo "$room may include only: $*"
	echo "$found"
	status=1
}

below_daemon='libop/base libop/events libop/control libop/jit libop/session libop/stacks libop/stream'
below_libpp='libop/base libop/events libop/jit libop/session libop/stacks libop/stream'
arrows libop/base
arrows libop/events libop/base
arrows libop/control libop/base
arrows libop/session libop/base
arrows libop/jit libop/base libop/session
arrows libop/stacks libop/base libop/session
arrows libop/stream libop/base libop/session libop/stacks kernel/uapi
arrows daemon/source $below_daemon
arrows daemon/perf $below_daemon daemon/source
arrows daemon/driver $below_daemon daemon/source kernel/uapi
arrows daemon/run $below_daemon daemon/source
arrows daemon/unwind $below_daemon
arrows daemon/collect $below_daemon daemon/source daemon/unwind daemon/jit
arrows daemon/jit $below_daemon
arrows daemon/import $below_daemon daemon/source daemon/perf
arrows daemon/count $below_daemon daemon/source daemon/perf daemon/run
arrows daemon/service $below_daemon daemon/source daemon/perf daemon/driver daemon/run daemon/collect
arrows libpp/object libop/base
arrows libpp/symbols $below_libpp libpp/object
arrows libpp/profile $below_libpp libpp/symbols
arrows libpp/report $below_libpp libpp/symbols libpp/profile
arrows libpp/annotate $below_libpp libpp/symbols libpp/profile libpp/report
arrows libpp/export $below_libpp libpp/object libpp/profile
arrows libpp/page $below_libpp libpp/object libpp/profile libpp/export
arrows fleet libop/base libop/events libop/jit libop/session libop/stacks libop/stream libpp/object libpp/profile libpp/symbols
arrows utils/shared $below_daemon libpp/report
arrows utils/optop libop/base libop/session libpp/object libpp/profile libpp/report libpp/symbols utils/shared
arrows utils/opfleet fleet libop/base libop/session libpp/export libpp/page libpp/profile utils/shared
arrows utils utils/shared utils/opcontrol utils/opfleet utils/optop fleet $below_daemon daemon/collect daemon/count daemon/driver daemon/import daemon/jit daemon/perf \
	daemon/run daemon/service daemon/source libpp/annotate libpp/export libpp/object libpp/page libpp/profile libpp/report \
	libpp/symbols
arrows gui libop/base libop/control libop/events libop/session
arrows utils/opcontrol $below_daemon daemon/source daemon/perf daemon/driver daemon/run utils/shared
for sub in libop daemon libpp utils; do
	for folder in $(cd $sub && find . -mindepth 1 -type d | sed 's|^\./||'); do
		grep -q "^arrows $sub/$folder\( \|\$\)" tests/layers_test.sh || [ "$sub/$folder" = utils/systemd ] || [ "$sub/$folder" = libpp/page/script ] ||
			{ echo "$sub/$folder is in no arrow of tests/layers_test.sh"; status=1; }
	done
done

# One door for each outside library.
for room in libop daemon libpp fleet utils gui; do
	breach $room 'popt\.h' 'utils/shared/options\.(cpp|h)'
	breach $room 'libelf\.h|gelf\.h|elfutils/libd' 'libop/base/elf_(handle|object)[a-z_]*\.(cpp|h)|libpp/object/(dwarf_handle|debuginfo)[a-z_]*\.(cpp|h)'
	breach $room 'bfd\.h|dis-asm\.h' 'libpp/object/disassemble\.(cpp|h)'
	breach $room 'libiberty/|demangle\.h' 'libpp/object/demangle\.cpp'
	breach $room 'elfutils/debuginfod\.h' 'utils/debuginfod\.cpp'
	breach $room 'lzma\.h|zstd\.h' 'libop/base/unpack\.cpp'
	breach $room 'linux/perf_event\.h' 'daemon/perf/perf_attr\.h|daemon/[a-z]+/perf_[a-z_]*\.cpp'
	breach $room 'zlib\.h' 'libop/base/(gzip|checksum)\.cpp'
	breach $room 'nlohmann/' 'libop/base/json\.cpp'
	breach $room 'perfmon/' 'libop/events/pfm_events\.cpp'
	breach $room 'seccomp\.h' 'utils/shared/call_filter\.cpp'
	breach $room 'curses\.h' 'utils/optop/screen\.cpp'
	breach $room 'linux/landlock\.h' 'utils/shared/landlock\.cpp'
	breach $room 'curl/' 'fleet/http\.cpp'
	breach $room '(md[245]|sha[12]?|sha512|rmd160)\.h>' 'fleet/(md5|sha256)\.cpp'
	breach $room 'protozero/' 'libpp/export/export_pprof\.cpp|fleet/otlp\.cpp'
done

# A door that is a header lets through whoever includes it.
breach daemon 'daemon/perf/perf_attr\.h' 'daemon/[a-z]+/perf_[a-z_]*\.cpp'
breach utils 'daemon/perf/perf_attr\.h'
breach daemon 'libop/base/elf_(handle|object_layout)\.h'
breach utils 'libop/base/elf_(handle|object_layout)\.h'

# Libraries do not print or exit; only tool::run and destructors of guards catch everything.
printing=$(grep -rnE 'std::(cout|cerr)|[^a-z_n]f?printf\(|[^_a-z]exit\(' --include='*.cpp' --include='*.h' libop daemon libpp fleet |
	grep -vE 'write_[a-z]+\.cpp' || true)
if [ -n "$printing" ]; then
	echo "libraries must not print or exit:"
	echo "$printing"
	status=1
fi

# The machine's description is read through machine_path(), so that a made-up machine can replace it.
described=$(grep -rnE '"(/proc/(cpuinfo|sys/)|/sys/(bus|devices)/)|__get_cpuid|getauxval\(AT_(BASE_)?PLATFORM' --include='*.cpp' --include='*.h' libop daemon libpp fleet utils |
	grep -vE 'machine_path\("|^[^:]*:[0-9]+: *//|^libop/events/running_processor\.cpp:' || true)
if [ -n "$described" ]; then
	echo "read the machine through libop/base/machine_root.h:"
	echo "$described"
	status=1
fi

# Where errors are caught: file, number of clauses, kinds (doc/adr/0012-where-errors-are-caught.md). A clause that goes is
# taken off the list, a new one is of a kind and added.
listed=$(cut -d' ' -f1,2 <<'END' | LC_ALL=C sort
daemon/collect/frame_tables.cpp 2 absent
daemon/collect/image_keeper.cpp 2 note
daemon/collect/rotation.cpp 1 again
daemon/collect/sample_files.cpp 2 absent note
daemon/collect/stack_files.cpp 1 note
daemon/count/choose_counted.cpp 2 absent again
daemon/count/perf_counters.cpp 1 again
daemon/driver/oprofilefs.cpp 1 absent
daemon/source/ibs_decode.cpp 1 absent
daemon/jit/code_hits.cpp 1 note
daemon/jit/imported_code.cpp 1 absent
daemon/jit/imported_files.cpp 1 absent
daemon/jit/jit_capture.cpp 2 note
daemon/jit/map_reader.cpp 4 absent edge
daemon/jit/reader_link.cpp 1 absent
daemon/import/akaros_source.cpp 1 absent
daemon/import/perf_data_decoder.cpp 2 absent note
daemon/import/perf_data_header.cpp 2 note again
daemon/import/perf_data_source.cpp 2 again note
daemon/import/perf_data_stream.cpp 1 note
daemon/perf/perf_decode.cpp 1 note
daemon/perf/perf_open.cpp 2 again
daemon/run/recording.cpp 1 note
daemon/service/control_server.cpp 1 edge
daemon/service/service.cpp 2 edge
daemon/service/service_log.cpp 3 edge
daemon/source/attach.cpp 2 absent
daemon/source/image_file.cpp 1 absent
daemon/source/kallsyms_cache.cpp 2 absent
daemon/source/kernel_map.cpp 1 absent
daemon/source/proc_scan.cpp 1 absent
daemon/unwind/cfi_reader.cpp 3 absent
daemon/unwind/section_rules.cpp 1 absent
fleet/build_symbols.cpp 1 absent
fleet/dpkg_package.cpp 1 absent
fleet/otlp.cpp 1 absent
fleet/push.cpp 1 undo
fleet/push_ledger.cpp 1 note
gui/daemon_watch.cpp 2 edge
gui/main_window.cpp 4 absent note
gui/sessions_page.cpp 1 note
libop/base/build_id.cpp 1 absent
libop/base/elf_notes.cpp 2 absent
libop/base/kernel_file.cpp 1 absent
libop/base/package_note.cpp 1 absent
libop/control/control.cpp 1 edge
libop/events/cpu_model.cpp 1 again
libop/events/event_catalogue.cpp 1 note
libop/jit/agent_dump.cpp 1 absent
libop/jit/jitdump.cpp 2 absent
libop/jit/jo_file_reader.cpp 1 absent
libop/session/rotated_sessions.cpp 1 absent
libop/session/sample_file_open.cpp 2 undo note
libop/session/session.cpp 1 undo
libop/session/session_files.cpp 2 note
libop/session/session_reader.cpp 2 note absent
libop/stacks/recover_account.cpp 2 note
libop/stacks/stack_file_open.cpp 1 note
libop/stacks/stack_images.cpp 1 absent
libop/stacks/stack_set.cpp 1 note
libop/stream/stream.cpp 1 note
libpp/object/debuginfo.cpp 1 note
libpp/object/debuginfo_alt.cpp 1 absent
libpp/object/debuginfo_elf.cpp 2 note
libpp/object/debuginfo_split.cpp 2 note
libpp/object/symbol_ranges.cpp 1 absent
libpp/profile/sample_set.cpp 1 note
libpp/profile/select.cpp 1 again
libpp/report/report.cpp 1 note
libpp/symbols/image_symbols.cpp 1 note
libpp/symbols/packages.cpp 1 absent
libpp/symbols/run_time_code.cpp 1 note
libpp/symbols/symbolizer.cpp 2 note
utils/archive_inventory.cpp 3 note
utils/archive_session.cpp 1 note
utils/debuginfod.cpp 1 edge
utils/event_support.cpp 1 note
utils/fetch_helper.cpp 1 note
utils/opannotate.cpp 3 note
utils/page_code.cpp 1 note
utils/opcontrol.cpp 2 again
utils/opcontrol/control_daemon.cpp 1 again
utils/opcontrol/driver_module.cpp 1 note
utils/live_calls.cpp 1 note
utils/opgprof.cpp 1 again
utils/optop/followed_file.cpp 1 absent
utils/optop/live_session.cpp 2 absent note
utils/optop/sample_tree.cpp 1 absent
utils/optop/screen.cpp 1 note
utils/outside.cpp 1 edge
utils/shared/daily_note.cpp 1 edge
utils/shared/helper.cpp 2 edge
utils/shared/tool.cpp 3 run
utils/source_finder.cpp 1 absent
END
)
caught=$(grep -rcE '(^|[^a-z_])catch \(' --include='*.h' --include='*.cpp' libop daemon libpp fleet utils gui | grep -v ':0$' | tr ':' ' ' | LC_ALL=C sort)
if [ "$caught" != "$listed" ]; then
	echo "errors are caught in other places than tests/layers_test.sh lists:"
	{ echo "$caught"; echo "$listed"; } | sort | uniq -u
	status=1
fi

# Texts are put together by joined() and event_label().
by_hand=$(grep -rnE '\.empty\(\) \? "" : "[,;:/ ]+"\) \+|\? "[,; ]+" : ""\) \+|":" \+ std::to_string\(([a-z_]+\.)*count\)' --include='*.cpp' --include='*.h' \
	libop daemon libpp fleet utils | grep -v '^libop/session/event_label\.cpp:' || true)
# The same prefix with and without a separator, and a separator that is appended to what is not empty.
by_hand=$by_hand$(grep -rnE -e '\? "([^" ]([^"\\]|\\.)*)" : "[,;/ ]+\1"' -e 'if \(!([a-z_.]+)\.empty\(\)\) \1 \+= "[,;/ ]+"' --include='*.cpp' --include='*.h' \
	libop daemon libpp fleet utils || true)
if [ -n "$by_hand" ]; then
	echo "joined by hand, not by joined() of libop/base/text.h or event_label() of libop/session:"
	echo "$by_hand"
	status=1
fi

# Where an address is made of a number, or its number computed with: file, number of lines, what it does
# (doc/adr/0013-where-addresses-are-converted.md): read a number, move within its space, convert to another space.
listed=$(cut -d' ' -f1,2 <<'END' | LC_ALL=C sort
daemon/collect/address_space.h 1 convert
daemon/collect/collector.cpp 3 read
daemon/collect/collector_code.cpp 2 move
daemon/collect/collector_gaps.cpp 1 read
daemon/collect/driver_maps.cpp 1 move
daemon/collect/known_images.cpp 3 move
daemon/collect/process_table.cpp 1 move
daemon/collect/sample_files.cpp 1 read
daemon/collect/sample_names.cpp 1 move
daemon/collect/sample_origin.h 1 convert
daemon/collect/stack_files.cpp 1 read
daemon/collect/stack_walker.cpp 3 read
daemon/source/vmlinux.cpp 1 convert
daemon/unwind/cfi_program.cpp 1 move
daemon/unwind/cfi_reader.cpp 1 read
daemon/unwind/elf_frames.cpp 1 read
daemon/unwind/unwind_table.cpp 1 move
fleet/build_symbols.cpp 1 read
fleet/fleet_profile.cpp 4 read
libop/stream/stream.cpp 5 read
libpp/annotate/write_annotated.cpp 1 read
libpp/object/disassemble.cpp 1 read
libpp/object/go_functions.cpp 2 read
libpp/object/plt_stubs.cpp 1 move
libpp/object/symbol_ranges.cpp 1 move
libpp/profile/build_arcs.cpp 1 read
libpp/profile/build_profile.cpp 1 read
libpp/profile/build_stacks.cpp 1 read
libpp/report/symbol_rows.cpp 1 move
libpp/symbols/image_symbols.cpp 2 convert
libpp/symbols/kernel_symbols.cpp 1 convert
libpp/symbols/run_time_code.cpp 4 convert
libpp/symbols/symbolizer.cpp 2 convert
utils/optop/code_rows.cpp 1 move
utils/optop/live_rows.cpp 1 read
END
)
spelled='(RuntimeAddress|ImageOffset|LinkAddress)( [a-z_]+)?\{[^0}]'
computed='\.value\(\) [-+^]|(^|[^"]) [-+^] [A-Za-z_.()>-]*(start|offset|address|at|pc|end)(\([a-z]*\))?\.value\(\)'
made=$(grep -rE "$spelled|$computed" --include='*.h' --include='*.cpp' libop daemon libpp fleet utils |
	grep -vE 'hex\(|report_diff' | cut -d: -f1 | uniq -c | awk '{ print $2, $1 }' | LC_ALL=C sort)
if [ "$made" != "$listed" ]; then
	echo "addresses are made or computed with in other places than tests/layers_test.sh lists:"
	{ echo "$made"; echo "$listed"; } | sort | uniq -u
	status=1
fi
exit $status
