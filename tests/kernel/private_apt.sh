# SPDX-License-Identifier: GPL-2.0-or-later
# A private configuration of apt, for other architectures and suites than the machine's. Nothing on the machine changes.
# Sourced; needs die.

# The machine's Debian mirrors as apt names them: "URI suite" a line, main component only.
debian_mirrors() {
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' |
		awk '$3 == "main" && (NF == 3 || $4 == "Debian") && !seen[$1 $2]++ { print $1, $2 }'
}

# private_sources SUITE: lines for sources.list; SUITE as in flavour.sh. Backports and sid come from the mirror of the release;
# sid comes alone.
private_sources() {
	debian_mirrors | awk -v suite="$1" '
		suite == "sid" { if ($2 == "bookworm") print "deb", $1, "sid", "main"; next }
		$2 == "bookworm" || ($2 == "bookworm-security" && suite != "release") { print "deb", $1, $2, "main" }
		suite == "backports" && $2 == "bookworm" { print "deb", $1, "bookworm-backports", "main" }'
}

# private_apt DIR ARCH SUITE: makes the configuration, exports APT_CONFIG and fetches the package lists. Packages are
# the newest of the backports if these are named.
private_apt() {
	mkdir -p "$1/state/lists/partial" "$1/cache/archives/partial"
	: >"$1/status"
	private_sources "$3" >"$1/sources.list"
	preferred=
	[ "$3" != backports ] || preferred=bookworm-backports
	[ -s "$1/sources.list" ] || die "the machine's apt sources name no mirror of Debian bookworm"
	cat >"$1/apt.conf" <<-END
		Dir::State "$1/state";
		Dir::State::status "$1/status";
		Dir::Cache "$1/cache";
		Dir::Etc::sourcelist "$1/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		APT::Architecture "$2";
		APT::Architectures { "$2"; "amd64"; };
		APT::Default-Release "$preferred";
		APT::Sandbox::User "";
		Acquire::Languages "none";
		Acquire::Retries "3";
	END
	APT_CONFIG=$1/apt.conf
	export APT_CONFIG
	apt-get -qq update
}

# depends PACKAGE PATTERN: the first package that PACKAGE depends on whose name matches.
depends() {
	apt-cache depends --no-recommends --no-suggests "$1" | sed -n 's/^ *Depends: //p' | grep -m 1 -e "$2"
}

# unpack ROOT PACKAGE...: downloads into the working directory and unpacks under ROOT; nothing is installed.
unpack() {
	root=$1
	shift
	apt-get -qq download "$@"
	for deb in *.deb; do
		dpkg -x "$deb" "$root"
		rm "$deb"
	done
}
