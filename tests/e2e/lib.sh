# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the end-to-end tests: a directory of their own, the built tools, skipping where nothing can be profiled.
set -eu
build=$PWD
tests=$build/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "FAILED: $*" >&2
	for log in "$work"/*.log; do
		[ -f "$log" ] && sed "s|^|${log##*/}: |" "$log" >&2
	done
	exit 1
}

# profile LOG [operf words]: runs operf; its messages go to LOG.
profile() {
	log=$work/$1.log
	shift
	"$build/operf" "$@" >"$log.out" 2>"$log"
}

# Skips the test where this user may not profile at all.
need_profiling() {
	mkdir "$work/probe"
	if ! profile probe --session-dir "$work/probe" true; then
		echo "skipped: operf cannot profile here: $(tail -n 1 "$work/probe.log")"
		exit 77
	fi
}

# samples_of SESSION SYMBOL: its samples in opreport -l
samples_of() {
	"$build/opreport" --session-dir "$1" --symbols 2>/dev/null | awk -v s="$2" '$NF == s { n += $1 } END { print n + 0 }'
}
