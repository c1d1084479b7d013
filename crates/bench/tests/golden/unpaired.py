"""Writes unpaired.json, the values that the statistics of two separate runs are held to; see stats.py.

    /tmp/golden/bin/python unpaired.py > unpaired.json

p comes from scipy.stats.mannwhitneyu, and the interval from inverting that test, one candidate after the other.
"""

import json

import numpy as np
from scipy.stats import mannwhitneyu

MARGIN = np.log(1.05)
LEVEL = 0.95


def p(a, b, alternative):
    return float(mannwhitneyu(a, b, alternative=alternative, method="exact").pvalue)


def interval(a, b):
    """The closure of all shifts that the two-sided test does not reject, and its level."""
    shifts = np.sort((a[:, None] - b[None, :]).ravel())
    if p(a - shifts[0] + 1, b, "two-sided") > 1 - LEVEL:
        return None
    step = 0
    while p(a - (shifts[step] + shifts[step + 1]) / 2, b, "two-sided") <= 1 - LEVEL:
        step += 1
    outside = shifts[0] - 1 if step == 0 else (shifts[step - 1] + shifts[step]) / 2
    return {
        "low": float(shifts[step]),
        "high": float(shifts[-1 - step]),
        "level": 1 - p(a - outside, b, "two-sided"),
    }


def case(name, a, b):
    return {
        "name": name,
        "a": a.tolist(),
        "b": b.tolist(),
        "estimate": float(np.median(a[:, None] - b[None, :])),
        "p_difference": p(a, b, "two-sided"),
        "p_equivalence": max(p(a + MARGIN, b, "greater"), p(a - MARGIN, b, "less")),
        "interval": interval(a, b),
    }


def main():
    random = np.random.default_rng(2026)
    # Hollander, Wolfe & Chicken 2014, table 4.1: tritiated water diffusion across human chorioamnion.
    term = np.array([0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46])
    early = np.array([1.15, 0.88, 0.90, 0.74, 1.21])
    cases = [case("chorioamnion", term, early)]
    for n, m in ((2, 3), (3, 3), (4, 4), (5, 9), (12, 12), (18, 18), (20, 7), (40, 40)):
        cases.append(case(f"normal, {n} and {m}", random.normal(0.01, 0.03, n), random.normal(0, 0.03, m)))
    cases.append(case("far apart", random.normal(1, 0.1, 15), random.normal(0, 0.1, 15)))
    cases.append(case("unequal spread", random.normal(0, 0.01, 18), random.normal(0, 0.05, 18)))
    print(json.dumps(cases, indent=1))


main()
