"""Estimates with 99% intervals."""

import math
import statistics
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

Z = NormalDist().inv_cdf(0.995)


class Estimate(NamedTuple):
    """A measured value, the size of its sample and its 99% interval."""

    value: float
    n: int
    low: float
    high: float


def share(successes: int, n: int) -> Estimate:
    """The share of successes in percent, with Wilson's score interval (Wilson 1927).

    >>> [round(x, 1) for x in share(0, 100)]
    [0.0, 100, 0.0, 6.2]
    """
    p, width = successes / n, Z * Z / n
    middle = (p + width / 2) / (1 + width)
    half = Z * math.sqrt(p * (1 - p) / n + width / (4 * n)) / (1 + width)
    # Rounding must not put the interval beside the value, at 0 or n successes.
    return Estimate(
        100 * p, n, min(100 * p, max(0.0, 100 * (middle - half))), max(100 * p, min(100.0, 100 * (middle + half)))
    )


def mean(values: Sequence[float]) -> Estimate:
    """The mean, with the normal interval from the sample's standard deviation.

    >>> [round(x, 2) for x in mean([1, 2, 3, 4])]
    [2.5, 4, 0.84, 4.16]
    """
    n = len(values)
    middle = math.fsum(values) / n
    spread = math.sqrt(math.fsum((value - middle) ** 2 for value in values) / max(1, n - 1))
    half = Z * spread / math.sqrt(n)
    return Estimate(middle, n, middle - half, middle + half)


def median(values: Sequence[float]) -> Estimate:
    """The median, with the interval between the two order statistics that hold it in 99% of samples.

    Distribution-free: the median lies below the k-th smallest of n values with probability P(Binomial(n, 1/2) < k).
    Below 8 values no pair reaches 99%, and the interval is infinite.

    >>> median(range(1, 101))
    Estimate(value=50.5, n=100, low=37.0, high=64.0)
    """
    ordered, n = sorted(values), len(values)
    below, k = 0.0, 0
    while k < n // 2:
        below += math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2))
        if below > 0.005:
            break
        k += 1
    low, high = (ordered[k - 1], ordered[n - k]) if k else (-math.inf, math.inf)
    return Estimate(float(statistics.median(ordered)), n, float(low), float(high))


def rank_correlation(xs: Sequence[float], ys: Sequence[float]) -> Estimate:
    """Spearman's rank correlation, with the interval of Bonett and Wright (2000) on Fisher's scale.

    >>> [round(x, 2) for x in rank_correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 9])]
    [0.8, 5, -0.76, 1.0]
    """
    value, n = statistics.correlation(_ranks(xs), _ranks(ys)), len(xs)
    # Beyond this Fisher's scale is infinite, and so is the interval.
    middle = math.atanh(max(-1 + 1e-15, min(1 - 1e-15, value)))
    half = Z * math.sqrt((1 + value * value / 2) / max(n - 3, 1))
    return Estimate(value, n, math.tanh(middle - half), math.tanh(middle + half))


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, equal values sharing the mean of theirs."""
    ordered = sorted(values)
    first = {value: place for place, value in reversed(list(enumerate(ordered, 1)))}
    last = dict(zip(ordered, range(1, len(ordered) + 1), strict=True))
    return [(first[value] + last[value]) / 2 for value in values]


def total(values: Sequence[float], strata: Sequence) -> Estimate:
    """The sum over a sample whose count in each stratum was fixed beforehand, with the normal interval.

    >>> [round(x, 2) for x in total([1, 3, 10, 12], [6, 6, 8, 8])]
    [26.0, 4, 18.71, 33.29]
    """
    parts: dict = {}
    for value, stratum in zip(values, strata, strict=True):
        parts.setdefault(stratum, []).append(value)
    # The error of a stratum's sum is its mean's, as often as it has values.
    halves = [len(part) * (one.high - one.value) for part in parts.values() for one in [mean(part)]]
    value, half = math.fsum(values), math.hypot(*halves)
    return Estimate(value, len(values), value - half, value + half)


def ratio_of_means(tops: Sequence[float], bottoms: Sequence[float], strata: Sequence | None = None) -> Estimate:
    """The ratio of two means over one sample of pairs, with the linearised (delta method) interval.

    `strata` as in `total`: by default the sample is one.

    >>> [round(x, 2) for x in ratio_of_means([2, 4, 6, 9], [1, 2, 3, 4])]
    [2.1, 4, 1.89, 2.31]
    """
    whole = math.fsum(bottoms)
    value = math.fsum(tops) / whole
    apart = [(top - value * bottom) / whole for top, bottom in zip(tops, bottoms, strict=True)]
    half = total(apart, [0] * len(apart) if strata is None else strata)
    return Estimate(value, len(tops), value + half.low, value + half.high)


def power_law(xs: Sequence[float], ys: Sequence[float]) -> Estimate:
    """The exponent of y = c x^e by least squares on the logarithms, with the interval of White's sandwich (1980).

    That interval holds where the spread of y grows with x. The line goes through the typical y of each x, the
    geometric mean, not through the mean.

    >>> [round(x, 2) for x in power_law([1, 2, 4, 8], [1, 4.1, 15.9, 64])]
    [2.0, 4, 1.98, 2.01]
    """
    us, vs = ([math.log(one) for one in values] for values in (xs, ys))
    n, middle = len(us), math.fsum(us) / len(us)
    apart = [u - middle for u in us]
    square = math.fsum(u * u for u in apart)
    slope = math.fsum(u * v for u, v in zip(apart, vs, strict=True)) / square
    base = math.fsum(vs) / n
    errors = [u * (v - base - slope * u) for u, v in zip(apart, vs, strict=True)]
    half = Z * math.sqrt(n / max(1, n - 2) * math.fsum(error * error for error in errors)) / square
    return Estimate(slope, n, slope - half, slope + half)
