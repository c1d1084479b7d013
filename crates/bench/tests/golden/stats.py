"""Writes stats.json, the values that the harness's statistics are held to.

    python -m venv /tmp/golden && /tmp/golden/bin/pip install scipy==1.17.1 statsmodels==0.15.0
    /tmp/golden/bin/python stats.py > stats.json

Nothing here follows the harness's way of computing: p comes from scipy.stats.wilcoxon, and the interval from inverting
that test, one candidate after the other.
"""

import json

import numpy as np
from scipy.stats import wilcoxon
from statsmodels.stats.multitest import multipletests
from statsmodels.tsa.stattools import acf

MARGIN = np.log(1.05)
LEVEL = 0.95


def p(differences, alternative):
    return float(wilcoxon(differences, alternative=alternative, method="exact").pvalue)


def walsh(differences):
    i, j = np.triu_indices(len(differences))
    return np.sort((differences[i] + differences[j]) / 2)


def interval(differences):
    """The closure of all centres that the two-sided test does not reject, and its level."""
    averages = walsh(differences)
    if p(differences - averages[0] + 1, "two-sided") > 1 - LEVEL:
        return None
    step = 0
    while (rejected := p(differences - (averages[step] + averages[step + 1]) / 2, "two-sided")) <= 1 - LEVEL:
        step += 1
    # Between averages[step - 1] and averages[step] the test still rejects, after averages[step] no more.
    outside = averages[0] - 1 if step == 0 else (averages[step - 1] + averages[step]) / 2
    assert rejected > 1 - LEVEL
    return {
        "low": float(averages[step]),
        "high": float(averages[-1 - step]),
        "level": 1 - p(differences - outside, "two-sided"),
    }


def case(name, differences):
    differences = np.asarray(differences, dtype=float)
    return {
        "name": name,
        "differences": differences.tolist(),
        "estimate": float(np.median(walsh(differences))),
        "p_difference": p(differences, "two-sided"),
        "p_equivalence": max(p(differences + MARGIN, "greater"), p(differences - MARGIN, "less")),
        "interval": interval(differences),
        "lag_1": float(acf(differences, nlags=1, fft=False)[1]),
    }


def tied(differences):
    """Each one-sided p with every tie broken against it: the greatest p that breaking ties at random could give."""
    differences = np.asarray(differences, dtype=float)
    apart = 1e-9 * np.arange(len(differences))
    greater = p(differences - 1e-6 + apart, "greater")
    less = p(differences + 1e-6 + apart, "less")
    return {"differences": differences.tolist(), "p_difference": min(1.0, 2 * min(greater, less))}


def main():
    random = np.random.default_rng(2026)
    # Hollander, Wolfe & Chicken 2014, table 3.1 (after Salsburg 1970): Hamilton depression scale factor IV.
    before = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
    after = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
    cases = [case("depression scale", after - before)]
    for n in (3, 5, 6, 7, 8, 12, 15, 20, 33, 50, 100):
        cases.append(case(f"normal, {n}", random.normal(0.01, 0.03, n)))
    cases.append(case("equal but for noise, 20", random.normal(0, 0.01, 20)))
    cases.append(case("disturbed, 20", random.normal(0, 0.01, 20) + 0.2 * (random.random(20) < 0.1)))
    cases.append(case("skewed, 25", random.exponential(0.05, 25) - 0.03))
    cases.append(case("at the margin, 30", random.normal(MARGIN, 0.02, 30)))
    cases.append(case("far apart, 40", random.normal(1.5, 0.1, 40)))
    cases.append(case("drifting, 24", np.linspace(-0.05, 0.05, 24) + random.normal(0, 0.01, 24)))
    grids = [random.integers(low, high, n) / 4 for low, high, n in ((-3, 6, 10), (-2, 5, 15), (-4, 5, 20), (0, 4, 12))]
    families = [random.random(n) ** 4 for n in (1, 2, 6, 39)] + [np.array([0.01, 0.01, 0.04, 0.04, 0.9])]
    golden = {
        "cases": cases,
        "tied": [tied(grid) for grid in grids],
        "holm": [{"p": f.tolist(), "p_family": multipletests(f, method="holm")[1].tolist()} for f in families],
    }
    print(json.dumps(golden, indent=1))


main()
