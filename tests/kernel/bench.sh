#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bench.sh: the cost of a sample in guest instructions, driver and daemon beside perf record, in one guest of one CPU whose
# clock is the number of instructions executed; prints that section of doc/bench.md. Works in ./check-kernel; the driver is
# built as run.sh does.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"

top=$PWD/check-kernel
OP_KERNELS=${OP_KERNELS:-$top/kernels}
export OP_KERNELS
flavour 6.1-amd64
out=$top/bench
rm -rf "$out"
mkdir -p "$out/kit"
"$here/fetch_kernel.sh" "$flavour" "$OP_KERNELS" >"$out/fetch.log"
"$here/build_programs.sh" "$flavour" "$out/kit"
"$here/build_module.sh" "$flavour" "$OP_KERNELS" "$out/module"
cp "$out/module/oprofile.ko" "$here/lib.sh" "$here/bench_in_guest.sh" "$out/kit"
printf '#!/bin/sh\nexport KIT=/out/kit OP_BUILD="%s" %s\ncd /tmp && exec sh /out/kit/bench_in_guest.sh\n' "$PWD" \
	"${OP_BENCH_MILLIONS:+OP_BENCH_MILLIONS=$OP_BENCH_MILLIONS}" >"$out/script"
"$here/guest.sh" --smp 1 --icount shift=1,sleep=off --timeout 1800 --bind "$PWD" --bind "$(cd "$here/../.." && pwd)" \
	"$flavour" "$out/script" "$out" || {
	cat "$out/job.log"
	die "the guest failed"
}
cat <<END
## The driver

Printed by \`make bench-kernel\` (\`tests/kernel/bench.sh\`): Linux $(kernel_value "$OP_KERNELS" release), one CPU,
$(qemu-system-x86_64 --version | sed -n 's/^\(QEMU.*version [0-9.]*\).*/\1/p') with \`-icount shift=1\`:
the guest's clock counts instructions, 2 ns each, whatever the host does.

END
cat "$out/job.log"
