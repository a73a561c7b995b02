#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
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
breach libop 'daemon/|libpp/|utils/|tests/'
breach daemon 'libpp/|utils/|tests/'
breach libpp 'daemon/|utils/|tests/'
breach utils 'tests/'

# One door for each outside library.
for room in libop daemon libpp utils; do
	breach $room 'popt\.h' 'utils/shared/options\.(cpp|h)'
	breach $room 'libelf\.h|gelf\.h|elfutils/libd' 'libpp/object/(elf_handles|elf_object|debuginfo)[a-z_]*\.(cpp|h)'
	breach $room 'bfd\.h|dis-asm\.h' 'libpp/object/disassemble\.(cpp|h)'
	breach $room 'libiberty/|demangle\.h' 'libpp/object/demangle\.cpp'
	breach $room 'elfutils/debuginfod\.h' 'utils/debuginfod\.cpp'
	breach $room 'lzma\.h|zstd\.h' 'libop/base/unpack\.cpp'
	breach $room 'linux/perf_event\.h' 'daemon/perf/perf_attr\.h|daemon/count/perf_counters\.cpp|daemon/perf/perf_[a-z_]*\.cpp'
	breach $room 'zlib\.h' 'libop/base/gzip\.cpp|libpp/object/debuginfo[a-z_]*\.cpp'
	breach $room 'nlohmann/' 'libop/session/session_info[a-z_]*\.cpp|libpp/report/write_json\.cpp|utils/count_report_json\.cpp'
	breach $room 'perfmon/' 'libop/events/pfm_events\.cpp'
	breach $room 'protozero/' 'libpp/export/export_pprof\.cpp'
done

# A door that is a header lets through whoever includes it.
breach daemon 'daemon/perf/perf_attr\.h' 'daemon/count/perf_counters\.cpp|daemon/perf/perf_[a-z_]*\.cpp'
breach utils 'daemon/perf/perf_attr\.h'

# Libraries do not print or exit; only tool::run and destructors of guards catch everything.
printing=$(grep -rnE 'std::(cout|cerr)|[^a-z_n]f?printf\(|[^_a-z]exit\(' --include='*.cpp' --include='*.h' libop daemon libpp |
	grep -vE 'write_[a-z]+\.cpp' || true)
if [ -n "$printing" ]; then
	echo "libraries must not print or exit:"
	echo "$printing"
	status=1
fi
exit $status
