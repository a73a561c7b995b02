#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes the files of the page, given as HTML CSS JS..., as C++ constants, the scripts as one, with the hashes by which the page's
# content security policy allows the style and the script (https://www.w3.org/TR/CSP3/, hash-source). With --constants HEADER,
# files given as NAME FILE... as constants of these names, which the header declares.
set -eu

# hash FILE: 'sha256-...' in base64, from the hexadecimal digits of sha256sum.
hash() {
	sha256sum <"$1" | awk '{
		digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
		for (i = 1; i <= 64; i += 3) {
			bits = 0
			for (j = 0; j < 3; ++j) {
				bits *= 16
				if (i + j <= 64) bits += index("0123456789abcdef", substr($1, i + j, 1)) - 1
			}
			text = text substr(digits, int(bits / 64) + 1, 1) substr(digits, bits % 64 + 1, 1)
		}
		print "sha256-" substr(text, 1, 43) "="
	}'
}

# constant NAME FILE: the file in raw strings of a length that every compiler takes.
constant() {
	if grep -q ')page"' "$2"; then echo "$2 contains )page\", which ends a raw string" >&2; exit 1; fi
	echo "const std::string_view $1 ="
	awk '{
		if (size + length($0) > 8000) { printf ")page\"\n"; size = 0 }
		if (size == 0) printf "R\"page("
		print
		size += length($0) + 1
	} END { print ")page\";" }' "$2"
}

if [ "$1" = --constants ]; then
	echo '// Made by libpp/page/embed.sh.'
	echo "#include \"$2\""
	echo 'namespace op::pp {'
	shift 2
	while [ $# -gt 0 ]; do
		constant "$1" "$2"
		shift 2
	done
	echo '}  // namespace op::pp'
	exit
fi

html=$1 style=$2
shift 2
script=$(mktemp)
trap 'rm -f "$script"' EXIT
{
	printf '"use strict";\n(() => {\n'
	cat "$@"
	echo '})();'
} >"$script"

echo '// Made by libpp/page/embed.sh.'
echo '#include "libpp/page/page_files.h"'
echo 'namespace op::pp {'
constant page_html "$html"
constant page_style "$style"
constant page_script "$script"
echo "const std::string_view page_style_hash = \"$(hash "$style")\";"
echo "const std::string_view page_script_hash = \"$(hash "$script")\";"
echo '}  // namespace op::pp'
