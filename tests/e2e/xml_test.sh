#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# kind: measured
# Every kind of report as XML is valid by doc/opreport.xsd, and its counts add up to those of the same report as CSV, to the
# last sample, with any bytes in names.
. "${srcdir:-.}/tests/e2e/lib.sh"
if ! command -v xmllint >/dev/null; then
	echo "skipped: no xmllint here (Debian package libxml2-utils)"
	exit 77
fi
cd "${srcdir:-.}"
source=$PWD
cd "$work"
xml=$work/report.xml csv=$work/report.csv

session() { "$tests/golden/make_session" "$source/tests/golden/sessions/$1.txt" "$1" || fail "make_session $1"; }

# report WORDS: both formats of a report that has symbols anyway.
report() {
	"$build/opreport" --root "$source/tests/fixtures/root" -X "$@" >"$xml" 2>"$work/report.log" || fail "opreport -X $*"
	xmllint --noout --schema "$source/doc/opreport.xsd" "$xml" 2>"$work/xmllint.log" || fail "opreport -X $*: not valid"
	kinds=$((kinds + 1))
}
# csv WORDS: the report as CSV, without the bounds of shares
csv() {
	"$build/opreport" --root "$source/tests/fixtures/root" --format=csv "$@" >"$csv.all" 2>/dev/null || fail "opreport --format=csv $*"
	sed -E 's/(,[0-9]+\.[0-9]{6})+$//; s/(,low % [^,]*,high % [^,]*)+$//' "$csv.all" >"$csv"
}

# in_xml XPATH: the sum of these counts.
in_xml() { xmllint --xpath "($1)/text()" "$xml" 2>/dev/null | awk 'NF { n += $1 } END { printf "%d\n", n }'; }
# in_csv COLUMN [PATTERN]: the sum of a column, counted from the last (0), of the lines that match.
in_csv() { awk -F, -v column="$1" -v pattern="${2:-.}" 'NR > 1 && $0 ~ pattern { n += $(NF - column) } END { printf "%d\n", n }' "$csv"; }
same() {
	[ "$2" -gt 0 ] || fail "$1: nothing counted"
	[ "$2" = "$3" ] || fail "$1: $2 in XML, $3 in CSV"
}
# levels NAME TOTAL: images add up to the total, and so do symbols at any level; processes and threads are totals, too.
levels() {
	same "$1, images" "$(in_xml '//binary/count|//binary/module/count|//process/count')" "$2"
	same "$1, symbols" "$(in_xml '(//binary|//thread)/symbol/count|(//binary|//thread)/module/symbol/count')" "$2"
	[ "$(in_xml '//binary/count')" = "$(in_xml '//binary/symbol/count')" ] || fail "$1: binaries are not their own image"
	[ "$(in_xml '(//binary|//thread)/module/count')" = "$(in_xml '(//binary|//thread)/module/symbol/count')" ] ||
		fail "$1: modules do not add up"
}
# trees NAME: the document as a tree (application, image, symbol, with their counts, calls below their function) is the one
# that the rows of the same report as CSV make.
trees() {
	[ "$has_python" = yes ] || return 0
	python3 "$source/tests/e2e/xml_tree.py" "$xml" "$csv" >"$work/tree.diff" || fail "$1: $(cat "$work/tree.diff")"
	compared=$((compared + 1))
}
# threads WORDS -- PID TID...: the same of a report whose session separates threads: each thread is compared with the rows that
# its own samples give.
threads() {
	[ "$has_python" = yes ] || return 0
	words=
	while [ "$1" != -- ]; do words="$words $1"; shift; done
	pid=$2
	shift 2
	reports=
	for tid; do
		csv $words -m cpu "tgid:$pid" "tid:$tid"
		mv "$csv" "$work/$tid.csv"
		reports="$reports $tid=$work/$tid.csv"
	done
	python3 "$source/tests/e2e/xml_tree.py" "$xml" "$pid" $reports >"$work/tree.diff" || fail "threads of $pid: $(cat "$work/tree.diff")"
	compared=$((compared + 1))
}
has() { xmllint --xpath "$2" "$xml" >/dev/null 2>&1 || fail "$1: no $2"; }
lacks() { ! xmllint --xpath "$2" "$xml" >/dev/null 2>&1 || fail "$1: there is $2"; }
kinds=0 compared=0
has_python=yes
command -v python3 >/dev/null || has_python=no

session demo
report --session-dir demo
csv --session-dir demo -l
levels "symbol list" "$(in_csv 0)"
trees "symbol list"
has "symbol list" '/profile[@cputype="timer"]/setup/timersetup'
lacks "symbol list" '/profile/classes | //detailtable | //symboldata[not(@startingaddr)]'
for words in '-l -g' '-l -w' '-l -i main,lib_hot' '-l -e main' '-t 5' '-x' '-m lib' '-D none' '-s symbol -r' 'image:*/demo'; do
	report --session-dir demo $words
	csv --session-dir demo -l $words
	levels "symbol list $words" "$(in_csv 0)"
	trees "symbol list $words"
done
report --session-dir demo -l -i no_such_symbol
lacks "empty list" '//binary'

for words in -d '-d -g' '-d -m lib'; do
	report --session-dir demo $words
	csv --session-dir demo $words
	levels "details $words" "$(in_csv 0)"
	same "details $words" "$(in_xml '//detaildata/count')" "$(in_csv 0)"
	has "details $words" '//symboldetails[count(detaildata) > 1]'
	# The bytes of main are those of the program.
	id=$(xmllint --xpath 'string(//symboldata[@name="main"]/@id)' "$xml")
	bytes=$(xmllint --xpath "normalize-space(//bytes[@id=$id])" "$xml")
	[ -n "$bytes" ] || fail "details: no bytes of main"
	in_file=$(od -An -v -tx1 -j192 -N$((${#bytes} / 2)) "$source/tests/fixtures/root/usr/bin/demo" | tr -d ' \n')
	[ "$bytes" = "$in_file" ] || fail "details: main is $bytes, not $in_file"
done
# A symbol of a library that two programs share has the addresses of both, each its own part.
report --session-dir demo -d
for app in /usr/bin/demo /usr/bin/other; do
	id=$(xmllint --xpath 'string(//symboldata[@name="lib_hot"]/@id)' "$xml")
	range="//binary[@name='$app']//symbol[@idref=$id]"
	low=$(xmllint --xpath "string($range/@detaillo)" "$xml")
	high=$(xmllint --xpath "string($range/@detailhi)" "$xml")
	same "addresses of lib_hot in $app" "$(in_xml "//symboldetails[@id=$id]/detaildata[@id >= $low and @id <= $high]/count")" "$(in_xml "$range/count")"
done

session calls
for words in -c '-c -g' '-c -t 10' '-c -m lib' '-c -i main'; do
	report --session-dir calls $words
	csv --session-dir calls $words
	levels "call graph $words" "$(in_csv 0 '^[0-9]*,function,')"
	same "callers $words" "$(in_xml '//callers//count')" "$(in_csv 0 '^[0-9]*,caller,')"
	same "callees $words" "$(in_xml '//callees//symbol[not(@self)]/count')" "$(in_csv 0 '^[0-9]*,callee,')"
	same "self $words" "$(in_xml '//callees//symbol[@self]/count')" "$(in_csv 0 '^[0-9]*,self,')"
	trees "call graph $words"
done

session foreign
report --session-dir foreign
csv --session-dir foreign -l
same "first event" "$(in_xml '//binary/count[@class="c0"]')" "$(in_csv 1)"
same "second event" "$(in_xml '//binary/count[@class="c1"]')" "$(in_csv 0)"
has "events" '//eventsetup[@id="1" and @eventname="LLC_MISSES" and @unitmask="65" and @setupcount="6000"]'
has "events" '//class[@name="c1" and @event="1" and @mask="65"]'
report --session-dir foreign -d
csv --session-dir foreign -d
same "details of two events" "$(in_xml '//detaildata/count[@class="c0"]')" "$(in_csv 1)"

# Samples by process, thread and CPU: more than a table has room for.
session separate
report --session-dir separate
csv --session-dir separate -l -m all
levels "threads and CPUs" "$(in_csv 0)"
has "threads" '/profile[@separatedcpus="2"]/process[@pid="100" and @name="/usr/bin/demo"]/thread[@tid="101"]/count[@class="c1"]'
for words in '-d' '-m cpu' '-m tid' '-m tgid' 'tid:101'; do
	report --session-dir separate $words
	csv --session-dir separate -l -m all ${words##-*}
	levels "threads $words" "$(in_csv 0)"
done
report --session-dir separate
threads --session-dir separate -l -- 100 100 101
threads --session-dir separate -l -- 200 200
# With libraries, the kernel and calls
cat >"$work/threads.txt" <<'END'
cpu_type 4
file {root}/usr/bin/demo/{dep}/{root}/usr/bin/demo/TIMER.1000000.0.100.100.all
0xc4 4
0x104 6
file {root}/usr/bin/demo/{dep}/{root}/usr/lib/libdemo.so/TIMER.1000000.0.100.100.all
0x200 3
file {root}/usr/bin/demo/{dep}/{root}/usr/lib/libdemo.so/TIMER.1000000.0.100.101.all
0x200 7
file {root}/usr/bin/demo/{dep}/{root}/usr/bin/demo/TIMER.1000000.0.100.102.all
0x104 5
file {root}/usr/bin/demo/{dep}/{root}/usr/bin/demo/{cg}/{root}/usr/bin/demo/TIMER.1000000.0.100.102.all
0xc800000104 5
END
"$tests/golden/make_session" "$work/threads.txt" threads || fail "make_session threads"
for words in -l -c; do
	report --session-dir threads $words
	threads --session-dir threads $words -- 100 100 101 102
done
has "threads" '//thread[@tid="101"]/module[@name="/usr/lib/libdemo.so"]/symbol'
has "threads" '//thread[@tid="102"]//callers/symbol'
session processes
report --session-dir processes
csv --session-dir processes -l
same "first process" "$(in_xml '//process[@pid="100"]/count')" "$(in_csv 1)"
same "second process" "$(in_xml '//process[@pid="200"]/count')" "$(in_csv 0)"
session recorded
report --session-dir recorded
csv --session-dir recorded -l
levels "kernel symbols" "$(in_csv 0)"

# Events that took turns: counts are scaled, with a remark
session multiplexed
for words in event:CPU_CLK_UNHALTED '-d event:CPU_CLK_UNHALTED'; do
	report --session-dir multiplexed $words
	csv --session-dir multiplexed -l event:CPU_CLK_UNHALTED
	levels "multiplexed $words" "$(in_csv 0)"
	has "multiplexed $words" '//setup/remark[contains(@text, "CPU_CLK_UNHALTED:100000 ran 50 %") and contains(@text, "scaled by 2")]'
done
report --session-dir multiplexed -c event:CPU_CLK_UNHALTED
csv --session-dir multiplexed -c event:CPU_CLK_UNHALTED
same "scaled calls" "$(in_xml '//callers//count')" "$(in_csv 0 '^[0-9]*,caller,')"
session modes
report --session-dir modes
has "modes" '//setup[timersetup]/remark'

# Names are bytes: controls, broken UTF-8, characters that XML forbids, and its markup. 0xf1 alone starts no character,
# 0xed 0xa0 0x80 is a surrogate, whose last byte alone is a control character, 0xef 0xbf 0xbf is a noncharacter.
name=$(printf '/usr/bin/<a b="c">&amp;\001\033[2J\177\302\233\361x\355\240\200\357\277\277\303\251')
printf 'cpu_type 4\nfile {root}%s/{dep}/{root}%s/TIMER.1.0.all.all.all\n0x1 3\n' "$name" "$name" >"$work/names.txt"
"$tests/golden/make_session" "$work/names.txt" names || fail "make_session names"
shown=$(printf '/usr/bin/<a b="c">&amp;??[2J??\357\277\275x\357\277\275\357\277\275?\357\277\275\303\251')
for words in '' -d -c; do
	report --session-dir names $words -p "$work"
	[ "$(xmllint --xpath 'string(//binary/@name)' "$xml")" = "$shown" ] || fail "names: $(cat "$xml")"
	LC_ALL=C grep -q '[[:cntrl:]]' "$xml" && fail "names: a control character is passed on"
done
report --session-dir names -l -e "$(printf '\377<&\033')"
has "words" '//options[@excludesymbols="�<&?"]'
echo "$kinds reports, all valid; $compared compared as trees"
if [ "$has_python" = no ]; then
	echo "comparison as trees: skipped, no python3 here"
elif [ "$compared" = 0 ]; then
	fail "no report was compared as a tree"
fi
