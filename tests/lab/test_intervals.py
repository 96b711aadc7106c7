"""Intervals against known values, and their coverage by simulation."""

import math

import numpy as np
import pandas as pd
import pytest

from holdstill.lab.intervals import mean, median, rank_correlation, ratio_of_means, share, total

DRAWS = 2000


def coverage(estimates, truth):
    return np.mean([one.low <= truth <= one.high for one in estimates])


def test_wilson_at_the_ends_and_in_the_middle():
    # By hand from Wilson (1927): at 0 of n the upper end is z^2 / (n + z^2).
    z2 = 2.5758293035489004**2
    assert share(0, 50).high == pytest.approx(100 * z2 / (50 + z2))
    assert share(0, 50).low == 0 and share(50, 50).high == 100
    half = share(50, 100)
    assert half.value == 50 and half.high - 50 == pytest.approx(50 - half.low)


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5])
def test_share_covers(p):
    successes = np.random.default_rng(1).binomial(200, p, DRAWS)
    assert coverage([share(int(k), 200) for k in successes], 100 * p) > 0.98


def test_mean_covers():
    samples = np.random.default_rng(2).exponential(3.0, (DRAWS, 400))
    assert coverage([mean(sample.tolist()) for sample in samples], 3.0) > 0.975


def test_mean_of_one_value_has_no_width():
    assert mean([4]) == (4, 1, 4, 4)


@pytest.mark.parametrize("n", [8, 60, 61])
def test_median_covers_even_where_tails_are_heavy(n):
    samples = np.random.default_rng(3).standard_cauchy((DRAWS, n))
    assert coverage([median(sample) for sample in samples], 0.0) > 0.985


def test_median_of_few_values_is_unbounded_and_of_many_is_quick():
    assert median(range(7)) == (3, 7, -math.inf, math.inf)
    assert median([3, 1, 2, 8, 7, 6, 5, 4])[2:] == (1, 8)
    wide = median(range(100_001))
    assert wide.value == 50_000 and wide.high - wide.low == pytest.approx(2.576 * math.sqrt(100_001), rel=0.01)


def test_ratio_of_means_covers():
    rng = np.random.default_rng(4)
    bottoms = rng.exponential(1.0, (DRAWS, 400)) + 1
    tops = 3 * bottoms + rng.normal(0, 1, bottoms.shape)
    pairs = zip(tops, bottoms, strict=True)
    assert coverage([ratio_of_means(top.tolist(), bottom.tolist()) for top, bottom in pairs], 3.0) > 0.98


def test_strata_that_are_fixed_beforehand_cost_nothing():
    """Boards of three sizes, as many of each: the spread between sizes is none of the sample's."""
    rng = np.random.default_rng(5)
    strata = np.repeat([6, 7, 8], 60)
    bottoms = rng.exponential(1.0, (DRAWS, 180)) + 10 * strata
    tops = (0.1 + 0.05 * (strata - 6)) * bottoms + rng.normal(0, 1, bottoms.shape)
    truth = (0.1 + 0.05 * (strata - 6)) * (1 + 10 * strata)
    sums = [total(top.tolist(), strata.tolist()) for top in tops]
    ratios = [ratio_of_means(top.tolist(), one.tolist(), strata) for top, one in zip(tops, bottoms, strict=True)]
    assert coverage(sums, truth.sum()) > 0.98
    assert coverage(ratios, truth.sum() / (1 + 10 * strata).sum()) > 0.98
    plain = [ratio_of_means(top.tolist(), one.tolist()) for top, one in zip(tops, bottoms, strict=True)]
    assert ratios[0].value == plain[0].value and ratios[0].high < plain[0].high


def test_rank_correlation_covers_and_shares_ranks():
    rng = np.random.default_rng(6)
    xs = rng.normal(0, 1, (DRAWS, 60))
    ys = xs + rng.normal(0, 1.5, xs.shape)
    truth = 6 / math.pi * math.asin(1 / math.sqrt(1 + 1.5**2) / 2)  # of a normal pair, by its correlation
    assert coverage([rank_correlation(x.tolist(), y.tolist()) for x, y in zip(xs, ys, strict=True)], truth) > 0.98
    ties = pd.DataFrame({"x": [3, 1, 1, 2, 2, 2, 9], "y": [1, 0, 2, 2, 5, 5, 4]})
    assert rank_correlation(ties.x.tolist(), ties.y.tolist()).value == pytest.approx(ties.rank().corr().x.y)
    assert rank_correlation([1, 2, 3, 4], [1, 2, 3, 5]).value == pytest.approx(1)
