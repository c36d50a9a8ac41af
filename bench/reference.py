#!/usr/bin/env python3
"""The work of bench/stats.cc by the nearest Python package: reference.py TASK prints the best time in seconds and by what
it was done. Called by sonder_bench, which prints the ratio; needs scipy, statsmodels, krippendorff (and crowd-kit)."""
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")
RNG = np.random.default_rng(1)


def best(work, times=2, share=1.0):
    """Seconds of `work`, which does `share` of the whole."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found) / share


def bca():
    from scipy import stats
    sums = RNG.normal(size=1000)  # a sum for each cluster of equal size: scipy would draw all the rows else
    return best(lambda: stats.bootstrap((sums,), np.mean, n_resamples=10000, method="BCa", vectorized=True, rng=1),
                1), "scipy.stats.bootstrap on cluster sums"


def flips():
    from scipy import stats
    x = RNG.normal(size=200)
    return best(lambda: stats.permutation_test((x,), np.mean, permutation_type="samples", vectorized=True,
                                               n_resamples=10000, batch=10000, rng=1), 1, .1), \
        "scipy.stats.permutation_test, from 10,000 draws"


def delong():
    from scipy.stats import rankdata
    high, low = RNG.normal(.5, size=10000), RNG.normal(size=10001)

    def work():  # Sun and Xu's fast form
        both = rankdata(np.concatenate([high, low]))
        m, n = len(high), len(low)
        v10 = (both[:m] - rankdata(high)) / n
        v01 = 1 - (both[m:] - rankdata(low)) / m
        return v10.mean(), v10.var(ddof=1) / m + v01.var(ddof=1) / n
    return best(work, 5), "scipy.stats.rankdata's DeLong"


def ols():
    import statsmodels.api as sm
    n = 20000
    x, y, group = sm.add_constant(RNG.normal(size=(n, 2))), RNG.normal(size=n), np.arange(n) % 1000
    return best(lambda: sm.OLS(y, x).fit(cov_type="cluster", cov_kwds={"groups": group}).bse, 3), \
        "statsmodels' OLS, CR1 only"


def ratings(n_units, n_raters):
    truth = RNG.integers(0, 5, size=n_units)[:, None]
    guess = RNG.integers(0, 5, size=(n_units, n_raters))
    return np.where(RNG.random((n_units, n_raters)) < .6, truth, guess).astype(float)


def alpha():
    import krippendorff
    table = ratings(1000, 10)

    def work():
        for _ in range(20):
            draw = table[RNG.integers(0, 1000, size=1000)]
            krippendorff.alpha(reliability_data=draw.T, level_of_measurement="ordinal")
    return best(work, 1, 20 / 10000), "krippendorff, from 20 draws"


def skene():
    import pandas as pd
    from crowdkit.aggregation import DawidSkene
    table = ratings(10000, 10).astype(int)
    rows = pd.DataFrame({"task": np.repeat(np.arange(10000), 10), "worker": RNG.integers(0, 100, size=100000),
                         "label": table.ravel()})
    return best(lambda: DawidSkene(n_iter=100, tol=1e-9).fit(rows), 1), "crowd-kit's DawidSkene, at most 100 steps"


def mixed():
    import pandas as pd
    import statsmodels.formula.api as smf
    rows = []
    for g in range(100):
        level, slope = RNG.normal(), .4 + .5 * RNG.normal()
        for cell in range(12):
            cond, judge = cell % 2, cell // 4
            rows.append((level + slope * cond + .3 * judge + RNG.normal(), cond, cell // 2 % 2, g, judge))
    data = pd.DataFrame(rows, columns=["y", "cond", "facet", "scenario", "judge"])
    model = lambda: smf.mixedlm("y ~ cond * facet + C(judge)", data, groups="scenario", re_formula="~cond").fit(reml=True)
    return best(model, 1), "statsmodels' mixedlm, judges fixed, no df"


def tau():
    from scipy import stats
    x, y = RNG.normal(size=2000), RNG.normal(size=2000)
    index = np.arange(2000)

    def work():  # the interval leaves out one pair at a time
        for i in range(0, 2000, 100):
            stats.kendalltau(x[index != i], y[index != i])
    return best(work, 1, 20 / 2000), "scipy.stats.kendalltau, from 20 left out"


if __name__ == "__main__":
    seconds, what = globals()[sys.argv[1]]()
    print(f"{seconds:.6g} {what}")
