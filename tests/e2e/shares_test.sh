#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# Programs of known shares, 3:1: the report agrees within sampling error, for one thread, several threads and
# hundreds of short-lived children; and the account in the manifest balances.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_profiling

# agree MODE: four standard deviations of a binomial sample, and 1 % for what is not chance
agree() {
	mkdir "$work/$1"
	profile "$1" --session-dir "$work/$1" --events TIMER:100000 "$tests/e2e/shares" "$1" 1200 || fail "$1: operf"
	three=$(samples_of "$work/$1" three_parts)
	one=$(samples_of "$work/$1" one_part)
	balanced "$work/$1"
	echo "$1: three_parts $three, one_part $one"
	awk -v a="$three" -v b="$one" 'BEGIN {
		n = a + b
		if (n < 1000) exit 1
		off = a / n - 0.75
		if (off < 0) off = -off
		over = off - 0.01
		exit (over > 0 && over * over > 4 * 4 * 0.75 * 0.25 / n)
	}' || fail "$1: three_parts $three : one_part $one is not 3 : 1"
}

agree plain
agree threads
agree forks
