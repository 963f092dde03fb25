#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# The other side of hostile.sh: does Python's csv, or a reader of OpenMetrics by its grammar, accept this?
import csv
import re
import sys

kind, path = sys.argv[1:3]
text = open(path, encoding="utf-8", newline="").read()
if kind == "csv":
    rows = list(csv.reader(text.splitlines(keepends=True), strict=True))
    assert len(rows) > 1, "no rows"
    assert len({len(r) for r in rows if r}) == 1, "rows of different lengths"
    for row in rows:
        for cell in row:
            number = re.fullmatch(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?", cell)
            assert number or not cell or cell[0] not in "=+-@\t\r", "formula: %r" % cell[:20]
else:
    label = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
    sample = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*(?:\{(?:%s(?:,%s)*)?\})? (?:[-+0-9.e]+|NaN|[+-]Inf)(?: [-0-9.e]+)?"
                        % (label, label))
    lines = text.split("\n")
    assert lines[-2:] == ["# EOF", ""], "no # EOF at the end"
    assert lines.count("# EOF") == 1, "two ends"
    for line in lines[:-2]:
        assert re.match(r"# (TYPE|HELP|UNIT) ", line) or sample.fullmatch(line), "line: %r" % line[:60]
