# SPDX-License-Identifier: GPL-2.0-or-later
# load.py SECONDS: so much CPU time in the JSON and regular-expression modules, for the benches.
import json, re, sys, time
rows = [{"number": i, "text": "word %d" % i, "more": [i, i + 1]} for i in range(2000)]
end = time.process_time() + float(sys.argv[1])
while time.process_time() < end:
    text = json.dumps(rows)
    assert len(json.loads(text)) == len(re.findall(r'"word (\d+)"', text))
