#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# measure_speed.sh: prints how long this machine takes to emulate a fixed piece of work, in per cent of the machine on which the
# limits of the cases were chosen; 100 if it takes less. The shorter of two runs counts.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"

reference=1500 # ms

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
gcc -m32 -O2 -Wall -Wextra -Werror -ffreestanding -fno-pie -fno-stack-protector -fno-asynchronous-unwind-tables -mno-sse -no-pie -nostdlib \
	-static -Wl,-n,-Ttext=0x100000,--build-id=none,-z,noexecstack -o "$directory/work" "$here/programs/emulated_work.c"

# Milliseconds of one run.
run() {
	begin=$(date +%s%3N)
	status=0
	timeout 300 qemu-system-x86_64 -accel tcg -m 128 -kernel "$directory/work" -display none -nic none -no-reboot \
		-device isa-debug-exit,iobase=0xf4 </dev/null >"$directory/log" 2>&1 || status=$?
	[ "$status" = 33 ] || die "the emulator ended with status $status: $(cat "$directory/log")"
	echo $(($(date +%s%3N) - begin))
}

first=$(run)
second=$(run)
shorter=$((first < second ? first : second))
percent=$((shorter * 100 / reference))
echo $((percent > 100 ? percent : 100))
