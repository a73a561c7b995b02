#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# The window's controls change the words of the commands, on a display of the test's own; oprof_start opens, and reports what is
# wrong where it cannot.
. "${srcdir:-.}/tests/e2e/lib.sh"
[ -x "$build/oprof_start" ] || { echo "skipped: oprof_start is not built (no Qt 6)"; exit 77; }
export HOME="$work" XDG_RUNTIME_DIR="$work" QT_QPA_PLATFORM=offscreen
chmod 0700 "$work"

# An X server that draws into a file, where there is one; else Qt draws into memory.
server=
if command -v Xvfb >/dev/null; then
	mkdir "$work/screen"
	Xvfb -displayfd 3 -screen 0 1000x800x24 -fbdir "$work/screen" -nolisten tcp 3>"$work/display" >"$work/xvfb.log" 2>&1 &
	server=$!
	wait_beside $server 60 "Xvfb has a display" [ -s "$work/display" ]
	export DISPLAY=":$(cat "$work/display")" QT_QPA_PLATFORM=xcb
else
	echo "no Xvfb here: the window is drawn into memory"
fi
if [ -x "$tests/gui_tests" ]; then
	"$tests/gui_tests" >"$work/gui.log" 2>&1 || fail "the window's tests"
	# What only users who are not root see: commands that go through pkexec.
	if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
		mkdir "$work/nobody"
		cp "$tests/gui_tests" "$work/nobody/"
		chown -R 65534:65534 "$work/nobody"
		chmod 0711 "$work"
		HOME="$work/nobody" TMPDIR="$work/nobody" XDG_RUNTIME_DIR="$work/nobody" QT_QPA_PLATFORM=offscreen setpriv --reuid=65534 \
			--regid=65534 --clear-groups "$work/nobody/gui_tests" --gtest_filter='RunnerTest.*' >"$work/nobody.log" 2>&1 ||
			fail "the window's commands of a user who is not root"
		chmod 0700 "$work"
		grep -q 'OK.*others_run_through_pkexec' "$work/nobody.log" || fail "pkexec was not tested"
	fi
else
	echo "no GoogleTest here: the window's controls are not tested"
fi
# The window on the X server: the screen has more than its background.
if [ -n "$server" ] && command -v python3 >/dev/null; then
	"$build/oprof_start" --root-dir "$work/root" >"$work/window.log" 2>&1 &
	window=$!
	wait_beside $window 60 "the window is on the screen" \
		python3 "$(dirname "$0")/screenshot.py" "$work/screen/Xvfb_screen0" "$work/window.png"
	kill $window
	wait $window || true
fi
[ -z "$server" ] || { kill $server; wait $server || true; server=; }
"$build/oprof_start" --version | grep -q '^oprof_start [0-9]' || fail "no version"
"$build/oprof_start" --help | grep -q -e --root-dir || fail "no help"

unset QT_QPA_PLATFORM DISPLAY WAYLAND_DISPLAY
status=0
"$build/oprof_start" >"$work/none.log" 2>&1 || status=$?
[ "$status" = 1 ] && [ "$(wc -l <"$work/none.log")" = 1 ] && grep -q 'no window can be opened here' "$work/none.log" ||
	fail "without a display: status $status"
status=0
DISPLAY=:4711 "$build/oprof_start" >"$work/gone.log" 2>&1 || status=$?
[ "$status" = 1 ] && grep -q 'no window can be opened here' "$work/gone.log" || fail "a display that is not there: status $status"
