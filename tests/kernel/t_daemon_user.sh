# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 sid-amd64 6.1-debug
# soak: *-amd64
# limit: 60
# A daemon that becomes another user can start and stop the driver, by the files that it opened as root; no other process of that
# user can.
. "$KIT/lib.sh"
PATH=$OP_BUILD:$PATH

load_driver timer=1
mkdir session
oprofiled --source=driver --no-vmlinux --session-dir "$PWD/session" --events TIMER:1000000 --user=nobody --start >daemon.log 2>&1 || {
	cat daemon.log
	fail "oprofiled does not start"
}
check "the daemon's user" "$(stat -c %U "/proc/$(daemon_pid)")" = nobody
check_eq "enable" "$(get enable)" 1
shares 1000 >/dev/null
check_eq "another user" "$(/usr/bin/setpriv --reuid=nobody --clear-groups poke "$fs/enable" || true)" EACCES
opcontrol --shutdown >shutdown.log 2>&1 || { cat shutdown.log; fail "no shutdown"; }
cat shutdown.log
check_eq "enable after the end" "$(get enable)" 0
taken=$(cat "$fs"/stats/cpu*/sample_received | awk '{ n += $1 } END { print n }')
check "samples" "$taken" -gt 100
check_eq "samples in the account" \
	"$(sed -n 's/.*"sampled": *\([0-9]*\).*/\1/p' session/samples/current/manifest.json | head -n 1)" "$taken"
unload_driver
