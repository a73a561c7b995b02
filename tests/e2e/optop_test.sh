#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# optop shows a session while it is recorded: on a terminal whose keys are pressed and whose screen is read, and as text.
. "${srcdir:-.}/tests/e2e/lib.sh"
here=$(cd "${srcdir:-.}" && pwd)
make_session() { "$tests/golden/make_session" "$here/tests/golden/sessions/$1.txt" "$2"; }

# on_screen COLUMNS ROWS SESSION: optop on a terminal of that size; the script is standard input, see screen.py
on_screen() {
	cat >"$work/script"
	python3 "$here/tests/e2e/screen.py" "$1" "$2" "$work/script" "$build/optop" --delay 0.5 --session-dir "$3" \
		--root "$here/tests/fixtures/root" >"$work/screen.log" 2>&1 || fail "the screen of $3"
}

if command -v python3 >/dev/null; then
	make_session demo "$work/demo"
	on_screen 80 24 "$work/demo" <<-'END'
		expect demo::work(int)
		expect TIMER:1000000, since the start: 763 samples
		expect nothing is being recorded into this session
		expect lib_hot
		wide 80
		type h
		expect this help
		type h
		expect lib_hot
		type \x1b[B\r
		expect before 0
		expect (95 % confidence)
		type \r
		expect lib_hot
		type c
		expect callers
		expect callees
		type \x1b
		expect TIMER:1000000
		type a
		expect demo.s:25
		type \x1b
		expect lib_cold
		type g
		expect libdemo.so
		refuse lib_hot
		type gg
		expect lib_hot
		type k
		expect kernel only
		type k
		expect lib_hot
		type 1
		expect window: 0 samples, 763 since the start
		type 3
		expect lib_hot
		type w
		expect write this view
		type x
		expect h help
		type /lib_hot\r
		expect filter: lib_hot
		refuse demo::work(int)
		type /\x7f\x7f\x7f\x7f\x7f\x7f\x7f\r
		expect demo::work(int)
		type s
		expect sorted by change
		type s
		type f
		expect FROZEN
		type -
		expect every 1.0 s
		type +
		expect every 0.5 s
		type f
		refuse FROZEN
		type d
		refuse lib_hot
		type d
		expect lib_hot
		type t
		refuse /usr/bin/other
		type t
		expect /usr/bin/other
		type i
		refuse demo::work(int)
		expect /no-vmlinux
		type i
		refuse /no-vmlinux
		expect demo::work(int)
		type i
		expect /no-vmlinux
		type V
		expect std::vector<int, std::allocator<int>
		type V
		refuse std::allocator
		type e
		expect TIMER:1000000, since the start
		type cE
		expect callees
		type C
		expect callees
		type \x1b
		expect lib_hot
		size 120 30
		expect demo::work(int)
		size 20 24
		expect demo::work
		wide 20
		size 19 24
		expect needs 20x4
		size 40 6
		expect h help
		wide 40
		type q
		ended 0
	END
	# The mouse, on a terminal that reports it: a click chooses a row, one on the chosen row opens it, the wheel moves.
	if command -v tic >/dev/null && printf 'op-mouse|vt100 with a mouse,\n\tkmous=\\E[M, use=vt100,\n' >"$work/mouse.ti" &&
		tic -x -o "$work/terminfo" "$work/mouse.ti" 2>"$work/tic.log"; then
		(
			export TERMINFO="$work/terminfo" SCREEN_TERM=op-mouse
			on_screen 100 24 "$work/demo" <<-'END'
				expect lib_cold
				chosen demo::work(int)
				click lib_hot
				chosen lib_hot
				click main
				chosen main
				click lib_cold
				chosen lib_cold
				click TIMER:1000000
				chosen lib_cold
				wheel up
				chosen _start
				wheel up
				wheel up
				chosen evil
				wheel down
				chosen anon
				click lib_hot
				chosen lib_hot
				click lib_hot
				expect (95 % confidence)
				type \x1b
				chosen lib_hot
				type q
				ended 0
			END
		)
	else
		echo "no tic here to describe a terminal with a mouse: the mouse is not tested"
	fi
	# A session that seems to be recorded by this shell: it gets samples, is reset, and goes.
	make_session demo "$work/live"
	echo $$ >"$work/live/lock"
	make_session calls "$work/other"
	on_screen 100 24 "$work/live" <<-END
		expect 0 samples, 
		run rm -r '$work/live/samples/current' && cp -r '$work/other/samples/current' '$work/live/samples/current'
		expect the recording restarted
		run rm -r '$work/live/samples/current'
		expect the session is gone
		run rm '$work/live/lock'
		type q
		ended 0
	END
	# A baseline: what comes after it is counted from nothing, what was before is compared with.
	make_session demo "$work/based"
	echo $$ >"$work/based/lock"
	samples="$work/based/samples/current/{root}/usr/bin/demo/{dep}/{root}/usr/lib/libdemo.so/TIMER.1000000.0.all.all.all"
	on_screen 100 24 "$work/based" <<-END
		type 3
		expect : 763 samples
		type b
		expect since the baseline
		expect : 0 samples, 763 since the start
		run python3 '$here/tests/e2e/add_samples.py' 40 '$samples'
		expect : 40 samples, 803 since the start
		expect +93.45  lib_hot
		expect -73.39  demo::work(int)
		type B
		expect : 803 samples
		expect since the start
		expect demo::work(int)
		type 1
		run rm '$work/based/lock'
		expect this is its last picture
		run python3 '$here/tests/e2e/add_samples.py' 7 '$samples'
		expect : 7 samples, 810 since the start
		run sleep 1.2
		type h
		expect this help
		type h
		expect : 7 samples, 810 since the start
		expect lib_hot
		type q
		ended 0
	END
	# What the windows of one optop have together is what opreport's counts have grown by, function by function.
	make_session demo "$work/grown"
	echo $$ >"$work/grown/lock"
	counts() { "$build/opreport" --symbols --format=json --session-dir "$work/grown" --root "$here/tests/fixtures/root" >"$1" 2>"$work/counts.log"; }
	counts "$work/grown.before" || fail "opreport of what is recorded"
	"$build/optop" -b -d 0.5 -E 0 --format json --session-dir "$work/grown" --root "$here/tests/fixtures/root" >"$work/grown.rounds" \
		2>"$work/grown.log" &
	top=$!
	wait_beside $top 60 "optop's first round" [ -s "$work/grown.rounds" ]
	for total in 803 843; do
		python3 "$here/tests/e2e/add_samples.py" 30 "$work/grown/${samples#"$work"/based/}"
		python3 "$here/tests/e2e/add_samples.py" 10 "$work/grown/samples/current/{root}/usr/bin/demo/{dep}/{root}/usr/bin/demo/${samples##*/}"
		wait_beside $top 60 "optop's total $total" grep -q "\"total\":$total," "$work/grown.rounds"
	done
	rm "$work/grown/lock"
	wait_end $top 60 "optop" || fail "optop at the end of the recording"
	counts "$work/grown.after" || fail "opreport after the recording"
	python3 - "$work/grown" >"$work/grown.sums.log" 2>&1 <<-'END' || fail "windows and opreport's counts do not agree"
		import collections, json, sys
		def counts(name):
		    sums = collections.Counter()
		    for row in json.load(open(sys.argv[1] + name))["symbols"]:
		        sums[row["symbol"], row["image"]] += row["samples"][0]
		    return sums
		grown = counts(".after") - counts(".before")
		seen = collections.Counter()
		for line in open(sys.argv[1] + ".rounds"):
		    for row in json.loads(line)["rows"]:
		        seen[row["symbol"], row["image"]] += row["samples"]
		print(grown, seen)
		assert sum(grown.values()) == 80 and +seen == grown
	END
	# The view as files, each new, in the working directory.
	mkdir "$work/pictures"
	(
		cd "$work/pictures"
		on_screen 100 24 "$work/demo" <<-'END'
			expect lib_hot
			type P
			expect written: optop-1.txt
			type wt
			expect written: optop-2.txt
			type wj
			expect written: optop-1.json
			type wh
			expect written: optop-1.html
			type wx
			expect h help
			type q
			ended 0
		END
		[ "$(echo *)" = "optop-1.html optop-1.json optop-1.txt optop-2.txt" ] || fail "files of a view: $(echo *)"
		grep -q 'lib_hot' optop-1.txt || fail "the view as text"
		cmp optop-1.txt optop-2.txt || fail "the same view twice"
		python3 -c 'import json; json.load(open("optop-1.json"))' || fail "the view as JSON"
		grep -q '</html>' optop-1.html || fail "the page"
	)
	# A daemon that records into the session is asked for its samples before each look; one that does
	# not answer is waited for once. /run is the test's own.
	cat >"$work/daemon.py" <<-'END'
		import os, socket, subprocess, sys
		kind, session, log, *adds = sys.argv[1:]
		os.makedirs("/run/oprofiled", exist_ok=True)
		server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
		server.bind("/run/oprofiled/control.new")
		server.listen(64)
		os.rename("/run/oprofiled/control.new", "/run/oprofiled/control")
		print("ready", flush=True)
		while True:
		    peer, _ = server.accept()
		    while packet := peer.recv(512):
		        with open(log, "ab") as file:
		            file.write(packet + b"\n")
		        if kind == "silent":
		            continue
		        if packet == b"dump":
		            subprocess.run(adds, check=True)
		        peer.send(b"ok\nsession-dir: " + session.encode() + b"\n")
	END
	cat >"$work/beside.sh" <<-'END'
		mount -t tmpfs none /run || exit 77
		mkfifo "$work/$1.ready" || exit
		python3 "$work/daemon.py" "$1" "$work/$1" "$work/$1.asked" python3 "$2" 40 "$3" >"$work/$1.ready" &
		daemon=$!
		read -r ready <"$work/$1.ready" || exit
		status=0
		"$build/optop" -b -n 3 -d 0.5 --session-dir "$work/$1" >"$work/$1.rounds" 2>&1 || status=$?
		kill $daemon
		exit $status
	END
	export build work
	for kind in willing silent; do
		make_session demo "$work/$kind"
		echo $$ >"$work/$kind/lock"
		status=0
		in_time 60 unshare --mount --map-root-user sh "$work/beside.sh" $kind "$here/tests/e2e/add_samples.py" \
			"$work/$kind/${samples#"$work"/based/}" 2>"$work/$kind.log" || status=$?
		[ $status != 77 ] && [ -e "$work/$kind.asked" ] || { echo "no mounts here: beside a daemon nothing is tested"; break; }
		[ $status = 0 ] || fail "optop beside a $kind daemon: $status"
	done
	if [ -e "$work/silent.asked" ]; then
		[ "$(grep -c dump "$work/willing.asked")" -ge 4 ] || fail "the daemon was not asked before each look"
		[ "$(grep -c 'window.*: 40 samples' "$work/willing.rounds")" = 3 ] || fail "windows without the daemon's samples: $(cat "$work/willing.rounds")"
		[ "$(cat "$work/silent.asked")" = status ] || fail "a silent daemon was asked: $(cat "$work/silent.asked")"
		[ "$(grep -c 'window.*: 0 samples' "$work/silent.rounds")" = 3 ] || fail "rounds beside a silent daemon: $(cat "$work/silent.rounds")"
	fi
	# printed STATUS COMMAND...: what a command prints that ends by itself, on a terminal.
	printed() {
		python3 - "$@" >"$work/printed.log" 2>&1 <<-'END'
			import os, pty, sys
			pid, fd = pty.fork()
			if pid == 0:
			    os.execv(sys.argv[2], sys.argv[2:])
			text = b""
			try:
			    while more := os.read(fd, 65536):
			        text += more
			except OSError:
			    pass
			sys.stdout.buffer.write(text)
			sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != int(sys.argv[1]))
		END
	}
	TERM=unknown-kind printed 1 "$build/optop" --session-dir "$work/demo" || fail "a terminal of an unknown kind"
	grep -q 'terminal of the kind "unknown-kind".*--batch' "$work/printed.log" || fail "no word of the terminal's kind"
	# Of what operf and its program print, the end is kept.
	mkdir "$work/bin"
	cp "$build/optop" "$work/bin/optop"
	cat >"$work/bin/operf" <<-'END'
		#!/bin/sh
		i=0
		while [ $i -lt 40 ]; do
			printf '%99999s\n' ""
			i=$((i + 1))
		done
		while [ "$(stat -L -c %b /proc/$$/fd/1)" -gt 256 ]; do
			i=$((i + 1))
			[ $i -lt 400 ] || exec echo "all of it is kept"
			sleep 0.1
		done
		echo "the last line"
	END
	chmod +x "$work/bin/operf"
	printed 1 "$work/bin/optop" --session-dir "$work/nothing" true || fail "an operf that records nothing"
	grep -q '^\.\.\. 3934478 bytes before are left out' "$work/printed.log" || fail "what operf printed: $(head -c 300 "$work/printed.log")"
	grep -q '^the last line' "$work/printed.log" || fail "the last that operf printed"
else
	echo "no python3 here to make a terminal with: the screen is not tested"
fi

need_profiling
cat >"$work/busy.sh" <<-'END'
	while [ ! -e "$1" ]; do "$2" plain 50; done
END
# optop starts operf, shows its rounds, and ends it, which ends the program.
mkdir "$work/started"
status=0
"$build/optop" --batch --iterations 3 --delay 0.5 --rows 0 --events TIMER:100000 --session-dir "$work/started" \
	sh "$work/busy.sh" "$work/stop" "$tests/e2e/shares" >"$work/rounds.log" 2>"$work/started.log" || status=$?
awk '/, window.* since the start$/ || /^no samples yet$/ { rounds++ } END { exit !(rounds == 3) }' "$work/rounds.log" ||
	fail "not three rounds"
! [ -e "$work/started/lock" ] || fail "operf goes on without optop"
grep -q 'operf: .* samples, data in' "$work/started.log" || fail "operf did not end as after Ctrl-C"

# totals LOG: checks that each total is the one before with the window's samples; prints the last one
totals() {
	awk '/, window.* since the start$/ {
			window = 0
			for (i = 1; i < NF; i++) if ($i ~ /^samples?,$/) window = $(i - 1)
			total = $(NF - 3)
			if (known && total != before + window) { print "window " window ", total " before " -> " total; bad = 1 }
			before = total; known = 1
		}
		END { if (!bad) print before + 0; exit bad }' "$1"
}
# While operf records, rounds come until it ends; the last picture has what opreport counts.
mkdir "$work/session"
"$build/operf" --session-dir "$work/session" --events TIMER:100000 sh "$work/busy.sh" "$work/stop" "$tests/e2e/shares" \
	>"$work/out.log" 2>&1 &
recording=$!
wait_beside $recording 60 "operf has a manifest" [ -e "$work/session/samples/current/manifest.json" ]
"$build/optop" -b -d 0.5 --session-dir "$work/session" >"$work/windows.log" 2>"$work/windows.err.log" &
top=$!
has_rounds() { [ "$(grep -c ', window.* since the start$' "$work/windows.log")" -ge "$1" ]; }
wait_beside $top 60 "optop's fourth window" has_rounds 4
! grep "nothing is being recorded" "$work/windows.log" || fail "the end of a recording that goes on"
touch "$work/stop"
wait_end $recording 60 "operf" || fail "operf"
wait_end $top 60 "optop" || fail "optop at the end of a recording"
grep -q "nothing is being recorded" "$work/windows.log" || fail "no word of the end of the recording"
last=$(totals "$work/windows.log") || fail "windows and totals do not agree: $last"
balanced "$work/session"
held=$(awk '/^ *[0-9]/ { n += $1 } END { print n }' "$work/totals")
[ "$last" = "$held" ] || fail "the last picture has $last samples, opreport $held"
