#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# put_section.sh FILE: replaces the section of FILE that has the same heading as the text on standard input, and leaves all
# other sections as they are. A section ends at the next heading. One that FILE lacks is added at its end.
set -eu
file=$1
new=$(cat)
[ -n "$new" ] || { echo "put_section.sh: nothing to put into $file" >&2; exit 1; }
NEW=$new awk '
	BEGIN { new = ENVIRON["NEW"]; heading = new; sub(/\n.*/, "", heading) }
	/^##? / {
		if (is_old) print ""
		is_old = $0 == heading
		if (is_old) { print new; is_put = 1 }
	}
	!is_old { print }
	END { if (!is_put) print "\n" new }
' "$file" >"$file.new"
mv "$file.new" "$file"
