#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measures what optop takes of a CPU while it follows a session, and prints the section of doc/bench.md on it. Called by
# `make bench-optop` in the build directory. $ROUNDS (15) looks, two seconds apart.
set -eu
bench=$PWD/tests/bench
build=$PWD
here=$(cd "$(dirname "$0")" && pwd)
rounds=${ROUNDS:-15}
work=$(mktemp -d)
# stop_adding: what adds samples has ended when it returns.
stop_adding() {
	rm -f "$work/adding"
	wait
}
trap 'stop_adding; rm -rf "$work"' EXIT
load=$(cut -d' ' -f1 /proc/loadavg)
"$bench/make_big_session" shared "$work/session" "$build/optop" 1000 >/dev/null
echo $$ >"$work/session/lock"
find "$work/session/samples/current" -type f -name 'TIMER*' | sort >"$work/files"

# cpu LOOKS: CPU ms and peak RSS of so many looks
cpu() {
	"$bench/measure" 1 - "$build/optop" --batch --iterations "$1" --delay 2 --session-dir="$work/session" 2>"$work/measure.log" |
		cut -d' ' -f2,3
}
cat <<END
## The live view

Printed by \`make bench-optop\` (\`tests/bench/optop.sh\`): \`optop --batch\` every 2 seconds on a session of 1,000 sample
files with 300 addresses each, of 1,000 applications in the code of one image; $rounds looks, without what the first takes,
which reads all files and the symbols; load $load at the start. Wanted: 1 % of a CPU at most.

| files that got samples between two looks | CPU ms of the first look | of each further look | of one CPU | peak RSS KB |
|---|---|---|---|---|
END
first=$(cpu 1)
for files in 0 10 100 1000; do
	head -n $files "$work/files" >"$work/some"
	[ $files = 0 ] || touch "$work/adding"
	while [ -e "$work/adding" ]; do
		tr '\n' '\0' <"$work/some" | xargs -0 python3 "$here/../e2e/add_samples.py" 1
		sleep 1.5
	done &
	all=$(cpu $((rounds + 1)))
	stop_adding
	awk -v files=$files -v first="${first% *}" -v all="${all% *}" -v memory="${all#* }" -v looks="$rounds" 'BEGIN {
		each = (all - first) / looks
		printf "| %d | %.0f | %.2f | %.2f %% | %d |\n", files, first, each, each / 20, memory }'
done
