#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# The EXAMPLES of the manuals of opreport, opannotate, opgprof, oparchive, ophelp, opimport and opjitconv work as printed, on a session
# made for them: each example, which may be of several lines, runs to its end under sh -e, and as a whole prints something or
# leaves a file. The programs of others in them only check that what they are to read is there.
set -eu
build=$PWD
source=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 count=0

# blocks PAGE: writes the examples of a manual to block.1, block.2 ..., as a reader sees them.
blocks() {
	sed -n '/^\.SH EXAMPLES$/,/^\.SH SEE ALSO$/p' "$source/doc/$1.1" | sed "s/\\\\-/-/g; s/\\\\(aq/'/g; s/\\\\e/\\\\/g" |
		awk -v name="$work/block." '/^\.nf$/ { n++; inside = 1; next } /^\.fi$/ { inside = 0 } inside { print > (name n) }'
}

# The commands of the tree have to succeed; recording and copying need no machine here.
cat >"$work/prelude" <<'END'
operf() { return 0; }
perf() { cp recorded.data "$4"; }
sudo() { "$@"; }
chown() { [ -d "$3" ]; }
scp() { [ -d "$2" ]; }
ssh() { shift; "$@"; }
go() { [ -s "$4" ]; }
gprof() { [ -s "$2" ] && [ -s "$3" ]; }
set -e
END
mkdir "$work/bin"
printf '#!/bin/sh\ngrep -q ";.* [0-9]"\n' >"$work/bin/flamegraph.pl"
chmod +x "$work/bin/flamegraph.pl"

# scene DIRECTORY: the current session and one before it, of a program and a library in that directory; in other/ a session
# of another machine; a trace of Akaros with that machine's files; what perf record is to write.
scene() {
	mkdir -p "$1/lib" "$1/other"
	cp "$source/tests/fixtures/root/usr/bin/demo" "$1/program"
	cp "$source/tests/fixtures/root/usr/lib/libdemo.so" "$1/lib/libc.so.6"
	app="{root}$1/program/{dep}/{root}$1"
	cat >"$work/session.txt" <<END
cpu_type 4
file $app/program/TIMER.1000000.0.all.all.all
0xc4 10
0x104 60
file $app/lib/libc.so.6/TIMER.1000000.0.all.all.all
0x200 8
file $app/program/{cg}/{root}$1/program/TIMER.1000000.0.all.all.all
0xc800000104 60
stacks TIMER.1000000.0.all.all.all
stack 10 root $1/program 0x88 0xc4
stack 60 root $1/program 0x88 0xc8 0x104
stack 8 root $1/program 0x88 $1/lib/libc.so.6+0x200
END
	"$build/tests/golden/make_session" "$work/session.txt" "$1/oprofile_data"
	cp -r "$1/oprofile_data/samples/current" "$1/oprofile_data/samples/previous"
	image='{root}/usr/bin/demo'
	mkdir -p "$1/other/samples/current/$image/{dep}/$image"
	cp "$source/tests/fixtures/foreign/samples" "$1/other/samples/current/$image/{dep}/$image/TIMER.1000000.0.all.all.all"
	cp "$source/tests/fixtures/foreign/abi" "$1/other/abi"
	cp "$source/tests/fixtures/akaros/v3.trace" "$1/trace"
	cp "$source/tests/fixtures/akaros/ksyms.map" "$1/ksyms.map"
	cp -r "$source/tests/fixtures/root" "$1/kfs"
	cp "$source/tests/fuzz/corpus/perf_data/stacks" "$1/recorded.data"
}

for page in opreport opannotate opgprof oparchive ophelp opimport opjitconv; do
	rm -f "$work"/block.*
	blocks "$page"
	[ -e "$work/block.1" ] || { echo "$page has no examples"; failed=1; continue; }
	for block in "$work"/block.*; do
		count=$((count + 1))
		rm -rf "$work/scene"
		scene "$work/scene"
		{ cat "$work/prelude"; sed 's|/tmp/profile|profile|g' "$block"; } >"$work/script"
		find "$work/scene" >"$work/before"
		status=0
		(cd "$work/scene" && PATH=$build:$work/bin:$PATH OPROFILE_EVENTS_DIR=$source/events HOME=$work \
			OPROFILE_MACHINE_DIR=$source/tests/fixtures/machines/intel sh "$work/script" >"$work/out" 2>"$work/err" </dev/null) || status=$?
		[ $status -eq 0 ] || { echo "FAILED: $page, status $status:"; cat "$block" "$work/err"; failed=1; continue; }
		[ -s "$work/out" ] || find "$work/scene" -type f -size +0 | grep -qvxFf "$work/before" ||
			{ echo "FAILED: $page, nothing printed:"; cat "$block" "$work/err"; failed=1; }
	done
done
echo "$count examples"
exit $failed
