# SPDX-License-Identifier: GPL-2.0-or-later
# kernels: 6.1-amd64
# soak: *-amd64
# limit: 60
# With the driver installed, mounting its files makes the kernel load it, without parameters. opcontrol's --model and --module have
# their effect there, too.
. "$KIT/lib.sh"
PATH=$OP_BUILD:$PATH
modules=/lib/modules/$(uname -r)

# quietly COMMAND...: its output is shown only if it fails.
quietly() {
	"$@" >command.log 2>&1 || {
		cat command.log
		fail "$*: status $?"
	}
}

# own_lib: the host's /lib, with modules of our own: in the guest it is a link to files that cannot be changed.
own_lib() {
	check "/lib is a link" -L /lib
	mkdir /lib.own
	(cd /lib.own && ln -s ../usr/lib/* . && rm -f modules)
	rm /lib
	mv /lib.own /lib
}

[ -x /usr/sbin/depmod ] && [ -x /sbin/modprobe ] || skip "there is no modprobe"
[ -f "$KIT/oprofile_double.ko" ] || skip "there is no build with the registers' double"
[ ! -L /lib ] || own_lib
mkdir -p "$modules/updates"
trap 'rm -rf "$modules"' EXIT
cp "$KIT/oprofile.ko" "$modules/updates"
quietly /usr/sbin/depmod

mkdir -p "$fs"
mount -t oprofilefs nodev "$fs" || fail "mounting does not load the driver"
check "the driver's files are there" -e "$fs/enable"
! opcontrol --init --model=rtc >model.log 2>&1 || fail "another model than the loaded one is no error"
unload_driver

for model in rtc timer; do
	quietly opcontrol --init --model=$model
	check_eq "the model asked for" "$(get model)" $model
	quietly opcontrol --deinit
	check "no driver is left" ! -d /sys/module/oprofile
done
double=/sys/module/oprofile/parameters/double_cpu
quietly opcontrol --init --module "$KIT/oprofile_double.ko"
check "the module asked for is loaded" -e $double
quietly opcontrol --deinit
quietly opcontrol --init
check "the installed module is loaded" ! -e $double
quietly opcontrol --deinit
