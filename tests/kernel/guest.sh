#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# guest.sh [--smp N] [--mem MiB] [--cpu MODEL] [--icount ARGS] [--qmp-nmi RATE] [--timeout S] [--boot-limit S] [--bind DIR]...
#   FLAVOUR JOB OUTDIR
# Boots a guest under software emulation and runs the script JOB in it as root. x86-64: over the host's files,
# read-only; DIRs are visible even below /tmp, /run, /root and /var, which are the guest's own. arm64, ppc64el: in a
# root with nothing but busybox. OUTDIR is /out inside, writable. Kernels: $OP_KERNELS, as fetch_kernel.sh leaves them.
# OUTDIR then holds job.log (what the job printed), serial.log (the kernel's log), status (the job's exit status).
# --cpu: x86-64 only: QEMU's name of the processor.
# --qmp-nmi: RATE NMIs a second for as long as the file /out/nmi exists; how many: OUTDIR/nmi_sent.
# --boot-limit: the guest is ended if the job does not begin within S seconds, or QEMU does not end so long after it.
# Exit status: the job's; 1 also if the guest did not end by itself or the kernel complained.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/flavour.sh"

smp=2 mem=2048 cpu=max icount= nmi= limit=300 boot_limit=
binds=
while [ $# -gt 3 ]; do
	case $1 in
	--smp) smp=$2 ;;
	--mem) mem=$2 ;;
	--cpu) cpu=$2 ;;
	--icount) icount=$2 ;;
	--qmp-nmi) nmi=$2 ;;
	--timeout) limit=$2 ;;
	--boot-limit) boot_limit=$2 ;;
	--bind) binds="$binds$2
" ;;
	*) die "unknown option $1" ;;
	esac
	shift 2
done
[ $# = 3 ] || die "usage: $0 [options] FLAVOUR JOB OUTDIR"
flavour "$1"
kernels=${OP_KERNELS:?the directory that fetch_kernel.sh was given}
mkdir -p "$3"
out=$(cd "$3" && pwd)
rm -f "$out/status" "$out/serial.log" "$out/job.log" "$out/nmi" "$out/nmi.idle" "$out/qmp" "$out/hung" "$out/pid"
cp "$2" "$out/job"
chmod 755 "$out/job"
printf '%s' "$binds" >"$out/binds"
"$here/initramfs.sh" "$flavour" "$kernels" "$out/initramfs"

# The machine, as words for qemu.
machine() {
	case $arch in
	amd64) echo "qemu-system-x86_64 -M q35 -cpu $cpu" ;;
	arm64) echo "qemu-system-aarch64 -M virt,gic-version=3 -cpu cortex-a72" ;;
	ppc64el) echo "qemu-system-ppc64 -M pseries,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken -cpu power9" ;;
	esac
	if [ -n "$icount" ]; then
		echo "-accel tcg,thread=single -icount $icount"
	else
		echo "-accel tcg,thread=multi"
	fi
}

shares() {
	echo "-virtfs local,path=$out,mount_tag=out0,security_model=none"
	[ "$arch" != amd64 ] ||
		echo "-virtfs local,path=/,mount_tag=host0,security_model=none,readonly=on,multidevs=remap"
}

# no_timer_check: on a busy host the kernel finds the timer's first interrupts missing, and does not use it.
# tsc=nowatchdog: there it also finds that clocks drift apart, and patches its code while it runs: the emulator has then run an
# instruction of which half was new (a panic by int3 in sched_clock_cpu, seen once).
command_line() {
	case $arch in
	amd64) echo "console=ttyS0 no_timer_check tsc=nowatchdog op.root=host quiet panic=-1 oops=panic" ;;
	arm64) echo "console=ttyAMA0 quiet panic=-1 oops=panic" ;;
	ppc64el) echo "console=hvc0 quiet panic=-1 oops=panic" ;;
	esac
}

injector=
if [ -n "$nmi" ]; then
	python3 "$here/inject_nmi.py" "$out/qmp" "$nmi" "$out/nmi" "$out/nmi_sent" &
	injector=$!
fi
# await SECONDS COMMAND...: fails if the command does not succeed in time.
await() {
	waited=0 most=$1
	shift
	until "$@"; do
		[ $waited -lt "$most" ] || return 1
		sleep 1
		waited=$((waited + 1))
	done
}

kill_qemu() {
	kill -9 "$(cat "$out/pid")" 2>/dev/null || true
}

has_ended() {
	! kill -0 "$(cat "$out/pid" 2>/dev/null)" 2>/dev/null
}

# watch: ends a guest in which the job does not begin in time, and a QEMU that does not end with its guest: seen twice, waiting for its own
# threads after the guest had powered off.
watch() {
	await "$boot_limit" test -e "$out/job.log" || { : >"$out/hung"; kill_qemu; return; }
	! await "$limit" test -e "$out/status" || await "$boot_limit" has_ended || kill_qemu
}

watcher=
[ -z "$boot_limit" ] || { watch & watcher=$!; }
ended=0
timeout -k 5 "$limit" $(machine) -smp "$smp" -m "$mem" -kernel "$(kernel_value "$kernels" vmlinuz)" \
	-initrd "$out/initramfs" -append "$(command_line)" -display none -serial "file:$out/serial.log" -no-reboot \
	-nic none -pidfile "$out/pid" $(shares) ${nmi:+-qmp "unix:$out/qmp,server=on,wait=off"} </dev/null || ended=$?
{
	[ -z "$watcher" ] || { kill "$watcher" || true; wait "$watcher" || true; }
	[ -z "$injector" ] || { kill "$injector" || true; wait "$injector" || true; }
} 2>/dev/null
rm -f "$out/initramfs" "$out/qmp" "$out/pid"

if grep -E -a -f "$here/complaints" "$out/serial.log" >"$out/complaints"; then
	echo "the guest's kernel complained:" >&2
	sed 10q "$out/complaints" >&2
	exit 1
fi
# The guest had powered off, but QEMU did not end.
case $ended in
124 | 137) ! grep -a -q 'reboot: Power down' "$out/serial.log" || ended=0 ;;
esac
[ ! -e "$out/hung" ] || die "the guest did not come up within $boot_limit s"
[ "$ended" != 124 ] || die "the guest did not end within $limit s"
[ "$ended" = 0 ] || die "qemu failed with status $ended"
[ -s "$out/status" ] || die "the guest ended without finishing its job"
exit "$(cat "$out/status")"
