# SPDX-License-Identifier: GPL-2.0-or-later
"""Mann-Whitney and Hodges-Lehmann against scipy, and against all permutations where there are ties."""
import itertools
import random
import subprocess
import sys

import numpy
from scipy import stats

EXACT_MAX = 40


def brute(a, b):
    """Two-sided p over every way to choose the first group: twice the smaller tail."""
    both = list(a) + list(b)
    ranks = stats.rankdata(both)
    seen = ranks[:len(a)].sum()
    sums = [sum(c) for c in itertools.combinations(ranks, len(a))]
    low = sum(s <= seen + 1e-9 for s in sums) / len(sums)
    high = sum(s >= seen - 1e-9 for s in sums) / len(sums)
    return min(1, 2 * min(low, high))


random.seed(1)
cases = []
for i in range(3000):  # no ties, exact
    na, nb = random.randint(1, 20), random.randint(1, 20)
    cases.append(("exact", random.sample(range(10000), na + nb), na))
for i in range(1500):  # ties, every permutation
    na, nb = random.randint(1, 6), random.randint(1, 6)
    cases.append(("ties", [random.randint(0, 5) for _ in range(na + nb)], na))
for i in range(1500):  # big groups, with and without ties
    na, nb = random.randint(15, 90), random.randint(26, 90)
    top = random.choice([3, 20, 100000])
    cases.append(("normal", [random.randint(0, top) for _ in range(na + nb)], na))

text = "".join("%d %d %s\n" % (na, len(v) - na, " ".join(map(str, v))) for _, v, na in cases)
got = subprocess.run([sys.argv[1], "answer"], input=text, capture_output=True, text=True,
                     check=True).stdout.splitlines()
worst = {"exact": 0.0, "ties": 0.0, "normal": 0.0}
count = {"exact": 0, "ties": 0, "normal": 0}
shift = u_off = 0.0
for (kind, v, na), line in zip(cases, got):
    u, p, exact, hl = map(float, line.split())
    a, b = numpy.array(v[:na], float), numpy.array(v[na:], float)
    if kind == "normal" and len(v) <= EXACT_MAX:
        continue
    if kind == "ties":
        want = brute(a, b)
    else:
        want = stats.mannwhitneyu(b, a, alternative="two-sided",
                                  method="exact" if kind == "exact" else "asymptotic").pvalue
    if numpy.isnan(want):
        want = 1.0  # all values equal: scipy divides by a spread of 0
    assert bool(exact) == (len(v) <= EXACT_MAX), (kind, na, len(v))
    worst[kind] = max(worst[kind], abs(p - want))
    count[kind] += 1
    shift = max(shift, abs(hl - numpy.median(numpy.subtract.outer(b, a))))
    u_off = max(u_off, abs(u - stats.mannwhitneyu(b, a).statistic))
n = 0
bad = len(got) != len(cases)
for kind, what in (("exact", "scipy's exact test"), ("ties", "all permutations, with ties"),
                   ("normal", "scipy's normal approximation, with ties")):
    n += 1
    fine = worst[kind] < 1e-9 and count[kind] > 1000
    bad |= not fine
    print("%sok %d - %d samples against %s: largest difference of p %.1e" %
          ("" if fine else "not ", n, count[kind], what, worst[kind]))
for name, off in (("Hodges-Lehmann against the median of all differences", shift), ("U", u_off)):
    n += 1
    bad |= off > 1e-9
    print("%sok %d - %s: largest difference %.1e" % ("" if off <= 1e-9 else "not ", n, name, off))
print("1..%d" % n)
sys.exit(bad)
