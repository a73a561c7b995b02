# SPDX-License-Identifier: GPL-2.0-or-later
# Made-up sessions of the program demo (tests/fixtures) with call stacks, as text for tests/golden/make_session.

# deep_session CALLS: a stack of so many calls and its root.
deep_session() {
	awk -v calls="$1" 'BEGIN {
		print "cpu_type 4\nfile {root}/usr/bin/demo/{dep}/{root}/usr/bin/demo/TIMER.1000000.0.all.all.all\nheader count=1000000\n0x100 10"
		print "stacks TIMER.1000000.0.all.all.all", calls + 100
		printf "stack 10 root /usr/bin/demo 0x88"
		for (i = 0; i < calls; ++i) printf i % 2 ? " 0xc8" : " 0x142"
		print " 0x100"
	}'
}

# wide_session STACKS: so many stacks of up to twelve calls, which differ; most of them are too narrow to be drawn.
wide_session() {
	awk -v stacks="$1" 'BEGIN {
		srand(7)
		count = split("0xc8 0x110 0x142", calls)
		for (i = 0; i < stacks; ++i) {
			n = i % 40 + 1
			all += n
			text[i] = "stack " n " root /usr/bin/demo 0x88"
			for (deep = 0; deep < 12; ++deep) text[i] = text[i] " " calls[int(rand() * count) + 1]
			text[i] = text[i] " 0x100"
		}
		event = "TIMER.1000000.0.all.all.all"
		print "cpu_type 4\nfile {root}/usr/bin/demo/{dep}/{root}/usr/bin/demo/" event "\nheader count=1000000\n0x100", all
		print "stacks " event, 400000
		for (i = 0; i < stacks; ++i) print text[i]
	}'
}
