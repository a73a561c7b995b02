# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64 6.1-arm64 6.1-debug
# soak: *-amd64 *-arm64
# limit: 60
# A path of the maximum length does not fit into the smallest read: that fails, and a bigger read returns it.
. "$KIT/lib.sh"

name=$(printf '%0200d' 0)
while [ "$(pwd | wc -c)" -lt 3850 ]; do
	mkdir "$name"
	cd "$name"
done
name=$(printf "%0$((4075 - $(pwd | wc -c)))d" 0)
mkdir "$name"
cd "$name"
check "length of the directory's path" "$(pwd | wc -c)" -gt 4050
cp "$KIT/shares" x
load_driver timer=1
use_timer 1000000
status=0
stream_stat -b 4096 ./x 500 >"$work/small.log" || status=$?
check_eq "status of reading with 4096 bytes" "$status" 1
grep -q 'error read EINVAL' "$work/small.log" || { cat "$work/small.log"; fail "a record that does not fit"; }
sample "$work/big.log" -b 8192 ./x 500
check_eq "balance" "$(value "$work/big.log" balance)" ok
check "samples in the file" "$(awk '$1 == "image" && $3 ~ /\/x$/ && length($3) > 4050 { print $2 }' "$work/big.log")" -gt 50
unload_driver
