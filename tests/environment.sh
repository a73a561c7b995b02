# SPDX-License-Identifier: GPL-2.0-or-later
# An environment that is the same for whoever runs the tests, wherever. To be read in the directory of the build: `make check`
# does so for each test, and the end-to-end tests do, which are started alone, too.
umask 022
export LC_ALL=C
export PATH="${PATH-/usr/bin:/bin}:/usr/local/sbin:/usr/sbin:/sbin" # not everybody has those
# What is recorded is the real machine. Nothing is fetched, and no setting of whoever runs the tests counts.
unset OPROFILE_MACHINE_DIR OPROFILE_EVENTS_DIR OPROFILE_PAGER PAGER NO_COLOR CDPATH DEBUGINFOD_URLS XDG_CACHE_HOME XDG_CONFIG_HOME \
	XDG_DATA_HOME

# met NAME VERSION: prints a line if tests/known_versions does not have that version of a program that changes without us: what fails
# with it may be its doing. summary.sh collects the lines.
known_versions=$(cd "${srcdir:-.}" && pwd)/tests/known_versions
met() {
	awk -v name="$1" -v version="$2" '
		$1 == name { for (i = 2; i <= NF; i++) if (index(version ".", $i ".") == 1) known = 1 }
		END { exit !known }' "$known_versions" || echo "unknown version: $1 $2"
}

# usable_place DIRECTORY: sets TMPDIR; fails where no file can be made, or no program be started (noexec)
usable_place() {
	TMPDIR=$(cd "$1" 2>/dev/null && pwd) && trial=$(mktemp "$TMPDIR/oprofile-ng-test.XXXXXX" 2>/dev/null) || return 1
	usable=0
	printf '#!/bin/sh\n' >"$trial" && chmod 700 "$trial" && "$trial" 2>/dev/null || usable=$?
	rm -f "$trial"
	return $usable
}
usable_place "${TMPDIR:-/tmp}" || usable_place "$PWD" || { echo "FAILED: no directory in which programs can be started" >&2; exit 1; }
export TMPDIR
