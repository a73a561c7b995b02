#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: exact
# libopagent.so.1: the seven functions of OProfile's and their version, what it writes, where, and who may see it.
. "${srcdir:-.}/tests/e2e/lib.sh"
calls=$PWD/tests/e2e/opagent_calls
LD_LIBRARY_PATH=$PWD/libopagent
export LD_LIBRARY_PATH

names=$(readelf --dyn-syms -W libopagent/libopagent.so.1 | awk '$7 != "UND" && $4 == "FUNC" { print $8 }' | sort | tr '\n' ' ')
expected='op_close_agent@@OPAGENT_1.0 op_major_version@@OPAGENT_1.0 op_minor_version@@OPAGENT_1.0 op_open_agent@@OPAGENT_1.0 '
expected="${expected}op_unload_native_code@@OPAGENT_1.0 op_write_debug_line_info@@OPAGENT_1.0 op_write_native_code@@OPAGENT_1.0 "
[ "$names" = "$expected" ] || { echo "exported: $names"; exit 1; }

mkdir -m 700 "$work/run"
chmod 700 "$HOME"
XDG_RUNTIME_DIR=$work/run HOME=$work/home "$calls" >"$work/paths"
[ "$(wc -l <"$work/paths")" = 2 ] || { echo "not two dumps:"; cat "$work/paths"; exit 1; }
parent=$(sed -n 1p "$work/paths")
child=$(sed -n 2p "$work/paths")
case $parent in
"$work"/run/oprofile/jit/jit-*-??????/jit-*.dump) ;;
*) echo "the dump is $parent"; exit 1 ;;
esac
[ "$(stat -c %a "$parent" "${parent%/*}" "$work/run/oprofile" | tr '\n' ' ')" = '600 700 700 ' ] || { stat "$parent"; exit 1; }

# The records: their kinds in order, and that they end where the file does.
python3 - "$parent" "$child" <<'END'
import struct, sys
def records(path):
    data = open(path, 'rb').read()
    magic, version, size, machine, pad, pid, time, flags = struct.unpack_from('=IIIIIIQQ', data)
    assert (magic, version, size, flags) == (0x4A695444, 1, 40, 0), path
    assert path.endswith('/jit-%d.dump' % pid)
    at, last = size, 0
    while at < len(data):
        kind, size, time = struct.unpack_from('=IIQ', data, at)
        assert size >= 16 and at + size <= len(data) and time >= 0
        yield kind, data[at:at + size]
        at += size
    assert at == len(data)
parent = list(records(sys.argv[1]))
kinds = [kind for kind, _ in parent]
assert kinds[:5] == [0, 2, 0, 0, 0x4f500001], kinds[:5]
assert kinds[5:-1] == [0] * 800 and kinds[-1] == 3, len(kinds)
def load(record):
    vma, address, size, index = struct.unpack_from('=QQQQ', record, 24)
    name = record[56:record.index(b'\0', 56)]
    return address, size, index, name, record[len(record) - size:]
first = load(parent[0][1])
assert first == (0x7f0000001000, 4, 0, b'int J.fib(int)', b'\x90\x90\x90\xc3'), first
assert load(parent[2][1]) == first, 'a function is reported again behind its lines'
address, count = struct.unpack_from('=QQ', parent[1][1], 16)
assert (address, count) == (0x7f0000001000, 2)
assert struct.unpack_from('=QII', parent[1][1], 32) == (0x7f0000001000, 1, 0)
assert load(parent[3][1])[3:] == (b'', b'\0' * 8)
assert [load(record)[3] for kind, record in records(sys.argv[2])] == [b'child']
END

# Not through a link, into a directory that others may write to, or without a home.
refused() {
	XDG_RUNTIME_DIR=$1 HOME=$2 "$calls" abroad || { echo "written though $3"; exit 1; }
}
mkdir -m 777 "$work/open"
mkdir -m 700 "$work/linked" "$work/elsewhere"
ln -s "$work/elsewhere" "$work/linked/oprofile"
chmod 777 "$work/open"
refused "$work/open" "$work/open" "others may write there"
refused "$work/linked" relative "a link leads elsewhere"
refused '' '' "there is no directory"
[ -z "$(find "$work/elsewhere" "$work/open" -mindepth 1)" ] || { echo "something was left behind"; exit 1; }

# A dump that cannot be begun leaves no directory: here files may have no length.
before=$(find "$work/run" "$work/home" -name 'jit-*' | sort)
(
	trap '' XFSZ
	ulimit -f 0
	refused "$work/run" "$work/home" "nothing can be written"
)
after=$(find "$work/run" "$work/home" -name 'jit-*' | sort)
[ "$after" = "$before" ] || { echo "what could not be begun is left behind"; find "$work/run" "$work/home"; exit 1; }

# Old dumps of processes that are gone are removed.
old=$work/run/oprofile/jit/jit-999999999-abcdef
mkdir "$old" "$work/run/oprofile/jit/other"
touch -d '3 days ago' "$old/jit-999999999.dump" "$old"
XDG_RUNTIME_DIR=$work/run HOME=$work/home "$calls" >/dev/null
[ ! -e "$old" ] && [ -e "$parent" ] && [ -e "$work/run/oprofile/jit/other" ] || { echo "wrong dumps were removed"; exit 1; }
echo passed
