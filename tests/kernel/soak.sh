#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# soak.sh [MINUTES]: a session of opcontrol over the driver in a guest of two CPUs, under a mixed load (soak_in_guest.sh), for 120
# minutes. Fails if memory grew, if the account does not balance, or if the kernel complained; prints the figures. Works in
# ./check-kernel/soak, where "figures" has a line for each minute; the driver is built as run.sh does.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"

minutes=${1:-120}
top=$PWD/check-kernel
OP_KERNELS=${OP_KERNELS:-$top/kernels}
export OP_KERNELS
flavour 6.1-amd64
out=$top/soak
rm -rf "$out"
mkdir -p "$out/kit"
"$here/fetch_kernel.sh" "$flavour" "$OP_KERNELS" >"$out/fetch.log"
"$here/build_programs.sh" "$flavour" "$out/kit"
"$here/build_module.sh" "$flavour" "$OP_KERNELS" "$out/module"
"$here/copy_modules.sh" "$flavour" "$OP_KERNELS" "$out/kit/modules"
"${cross}strip" -g -o "$out/kit/oprofile.ko" "$out/module/oprofile.ko"
cp "$here/lib.sh" "$here/soak_in_guest.sh" "$out/kit"
printf '#!/bin/sh\nexport KIT=/tmp/kit OP_BUILD="%s" MINUTES=%s\ncp -R /out/kit /tmp && cd /tmp && exec sh kit/soak_in_guest.sh\n' \
	"$PWD" "$minutes" >"$out/script"
"$here/guest.sh" --timeout $((60 * minutes + 900)) --bind "$PWD" --bind "$(cd "$here/../.." && pwd)" "$flavour" "$out/script" "$out" || {
	cat "$out/job.log"
	die "the guest failed"
}
cat "$out/job.log"
python3 -B "$here/verify_soak.py" "$out"
