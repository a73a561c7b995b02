# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.12-amd64 6.1-arm64
# soak: *-amd64 *-arm64
# limit: 60
# A reader that waits in the middle of a read, as its memory belongs to a FUSE server that does not answer, keeps nobody else waiting:
# sampling can be stopped and started, and the statistics can be read. One that gave a bad address gets what it missed at once.
. "$KIT/lib.sh"

load_driver timer=1
use_timer 10000000
bad_reader >bad.log || true
check_eq "a bad address" "$(tr '\n' ' ' <bad.log)" "EFAULT ready records "
unload_driver

is_blocked() {
	grep -q '^State:[[:space:]]*D' "/proc/$1/status"
}

need_file_system fuse
[ -c /dev/fuse ] || mknod /dev/fuse c 10 229
mkdir -p files
background fuse_hang serve files
server=$pid
wait_for 10 test -f files/file
load_driver timer=1
use_timer
fuse_hang read files/file >reader.log 2>&1 &
reader=$!
wait_for 10 grep -q open reader.log
sleep 0.2
put dump 1
wait_for 10 is_blocked $reader
{
	put enable 0
	put enable 1
	cat "$fs"/stats/cpu*/* >statistics
	get enable >again.log
} &
wait_for 10 grep -q 1 again.log
check "lines of statistics" "$(wc -l <statistics)" -gt 10
kill -9 $reader
wait $reader || true
kill -9 "$server"
wait_for 10 umount files
unload_driver
