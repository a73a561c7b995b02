#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# mirror_answers.sh: succeeds if one of the machine's mirrors of Debian bookworm answers; else prints why kernels cannot be fetched.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"
. "$here/private_apt.sh"

command -v apt-get >/dev/null || die "no apt to fetch kernels with"
debian_mirrors | grep -q ' bookworm$' || die "the machine's apt sources name no mirror of Debian bookworm"
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
debian_mirrors | while read -r uri suite; do
	! /usr/lib/apt/apt-helper -o Acquire::Retries=2 download-file "${uri%/}/dists/$suite/InRelease" "$directory/InRelease" >/dev/null 2>&1 ||
		: >"$directory/answered"
done
[ -e "$directory/answered" ] || die "no mirror of Debian answers"
