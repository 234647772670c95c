# SPDX-License-Identifier: Apache-2.0
"""The intervals hold what they promise: known values, coverage by simulation, ties, few values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from espalier.base.intervals import (
    dependence,
    faster_in_launches,
    faster_probability,
    holm,
    least_pairs,
    median_interval,
    paired_ratio,
    signed_rank_ratio,
    spread,
)
from espalier.errors import ArgumentError


def skewed_times(generator, count, median=10.0):
    """Times with a long tail, as collectives have them; the median is known."""
    return median * np.exp(generator.standard_normal(count) ** 3 / 6)


def resembling_times(generator, count, correlation):
    """Each time resembles the one before; the median is 1."""
    values = np.empty(count)
    values[0] = generator.standard_normal()
    noise = generator.standard_normal(count) * math.sqrt(1 - correlation**2)
    for i in range(1, count):
        values[i] = correlation * values[i - 1] + noise[i]
    return np.exp(0.1 * values)


def test_median_of_known_values():
    values = np.random.default_rng(0).permutation(np.arange(1, 102))
    interval = median_interval(values)
    assert interval.value == 51
    # Binomial(101, 1/2): 41 is the largest k with P(X < k) <= 2.5 %.
    assert (interval.low, interval.high) == (41, 61)
    assert interval.confidence == 0.95
    assert interval.count == 101


@pytest.mark.parametrize(
    ("count", "low", "high"), [(6, 1, 6), (8, 1, 8), (9, 2, 8), (10, 2, 9), (20, 6, 15)]
)
def test_order_statistics_agree_with_published_tables(count, low, high):
    """Tables of the sign test, 95 %; e.g. Conover, Practical Nonparametric Statistics."""
    values = np.random.default_rng(count).permutation(np.arange(1, count + 1))
    interval = median_interval(values)
    assert (interval.low, interval.high) == (low, high)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_few_values_give_the_range_and_say_what_it_covers(count):
    interval = median_interval(list(range(1, count + 1)))
    assert (interval.low, interval.high) == (1, count)
    assert interval.confidence == pytest.approx(1 - 2.0 ** (1 - count))
    assert interval.confidence < 0.95


@pytest.mark.parametrize("count", [6, 7, 10, 21, 50])
def test_median_interval_covers_the_true_median(count):
    generator = np.random.default_rng(1)
    covered = sum(
        median_interval(skewed_times(generator, count)).contains(10.0) for _ in range(2000)
    )
    # 3.3 standard deviations below 95 %; orders statistics are discrete, so more is normal.
    assert covered / 2000 > 0.934


@pytest.mark.parametrize("correlation", [0.5, 0.8])
def test_interval_covers_where_successive_values_resemble_each_other(correlation):
    generator = np.random.default_rng(2)
    covered = 0
    naive = 0
    for _ in range(600):
        values = resembling_times(generator, 200, correlation)
        covered += median_interval(values).contains(1.0)
        naive += median_interval(generator.permutation(values)).contains(1.0)
    # The order of the values is all that differs: shuffled, they look independent.
    assert covered / 600 > 0.88
    assert naive / 600 < 0.85


def test_dependence_is_one_for_independent_values():
    generator = np.random.default_rng(3)
    factors = [dependence(generator.standard_normal(100)) for _ in range(300)]
    assert np.median(factors) == 1.0
    assert np.mean(factors) < 1.1


def test_dependence_grows_with_resemblance():
    generator = np.random.default_rng(4)
    weak, strong = (
        np.median([dependence(resembling_times(generator, 300, r)) for _ in range(50)])
        for r in (0.3, 0.9)
    )
    assert 1.0 < weak < strong


def test_ties_do_not_narrow_the_interval():
    interval = median_interval([1.0] * 10 + [2.0] * 10)
    assert (interval.low, interval.high) == (1.0, 2.0)
    assert median_interval([3.0] * 20).low == median_interval([3.0] * 20).high == 3.0


@pytest.mark.parametrize(
    ("confidence", "count"),
    [(0.5, 2), (0.75, 3), (0.9, 5), (0.9375, 5), (0.95, 6), (0.99, 8), (0.995, 9), (0.999, 11)],
)
def test_fewer_pairs_never_reach_a_confidence(confidence, count):
    assert least_pairs(confidence) == count
    ours = np.linspace(1.0, 9.0, count)
    assert signed_rank_ratio(2 * ours, ours, confidence).confidence >= confidence
    fewer = ours[:-1]
    assert signed_rank_ratio(2 * fewer, fewer, confidence).confidence < confidence


def test_ratio_of_pairs_is_known():
    ours = np.linspace(1.0, 9.0, 40)
    interval = paired_ratio(1.25 * ours, ours)
    assert interval.value == pytest.approx(1.25)
    assert interval.low == pytest.approx(1.25)
    assert interval.high == pytest.approx(1.25)


def test_pairs_remove_what_hits_both():
    """A machine that becomes three times slower in between does not hide 10 %."""
    generator = np.random.default_rng(5)
    drift = np.repeat([1.0, 3.0], 30)
    native = 1.1 * drift * np.exp(0.01 * generator.standard_normal(60))
    ours = drift * np.exp(0.01 * generator.standard_normal(60))
    interval = paired_ratio(native, ours)
    assert 1.08 < interval.low <= interval.value <= interval.high < 1.12


@pytest.mark.parametrize("function", [paired_ratio, signed_rank_ratio])
@pytest.mark.parametrize("count", [6, 7, 12, 30])
def test_ratio_intervals_cover_the_true_ratio(function, count):
    generator = np.random.default_rng(6)
    covered = 0
    for _ in range(1000):
        native = 1.3 * skewed_times(generator, count)
        ours = skewed_times(generator, count)
        covered += function(native, ours).contains(1.3)
    assert covered / 1000 > 0.927


def test_signed_rank_interval_agrees_with_published_table():
    """n = 10: the 9th smallest and largest of 55 averages give 95.1 %."""
    differences = np.array([0.1, 0.25, 0.3, 0.45, 0.5, 0.8, 0.95, 1.1, 1.3, 1.7])
    averages = sorted(
        (differences[i] + differences[j]) / 2 for i in range(10) for j in range(i, 10)
    )
    interval = signed_rank_ratio(np.exp(differences), np.ones(10))
    assert math.log(interval.low) == pytest.approx(averages[8])
    assert math.log(interval.high) == pytest.approx(averages[-9])


def test_signed_rank_interval_is_narrower_for_few_pairs():
    generator = np.random.default_rng(7)
    widths = []
    for function in (paired_ratio, signed_rank_ratio):
        generator = np.random.default_rng(7)
        widths.append(
            np.median(
                [
                    function(
                        np.exp(0.1 * generator.standard_normal(9)), np.ones(9)
                    ).relative_half_width
                    for _ in range(200)
                ]
            )
        )
    assert widths[1] < widths[0]


def test_few_runs_do_not_claim_95_percent():
    assert signed_rank_ratio([2.0] * 5, [1.0] * 5).confidence == pytest.approx(0.9375)
    assert signed_rank_ratio([2.0] * 6, [1.0] * 6).confidence == 0.95


def test_signed_rank_for_many_pairs_uses_the_normal_approximation():
    generator = np.random.default_rng(8)
    interval = signed_rank_ratio(np.exp(generator.standard_normal(300)), np.ones(300))
    assert interval.low < 1.0 < interval.high
    assert interval.confidence == 0.95


def test_false_alarms_are_as_rare_as_promised():
    generator = np.random.default_rng(9)
    alarms = sum(
        faster_probability(skewed_times(generator, 30), skewed_times(generator, 30)) < 0.05
        for _ in range(2000)
    )
    assert alarms / 2000 < 0.065


def test_a_real_gain_is_found():
    generator = np.random.default_rng(10)
    native, ours = 1.2 * skewed_times(generator, 60, 1.0), skewed_times(generator, 60, 1.0)
    drift = resembling_times(generator, 60, 0.9)
    assert faster_probability(native * drift, ours * drift) < 0.05
    assert faster_probability(ours * drift, native * drift) > 0.5


def test_launches_that_gain_differently_are_no_dependence_of_pairs():
    generator = np.random.default_rng(11)
    noise = np.exp(0.05 * generator.standard_normal((2, 300)))
    pairs = [(1.5 * noise[0], np.ones(300)), (1.75 * noise[1], np.ones(300))]
    joined = faster_probability(*(np.concatenate(times) for times in zip(*pairs, strict=True)))
    assert joined > 0.001
    assert faster_in_launches(pairs) < 1e-12


def test_equal_times_are_not_faster():
    assert faster_probability([1.0] * 20, [1.0] * 20) == 1.0


def test_holm_agrees_with_a_worked_example():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_spread_is_the_quartile_range_over_the_median():
    assert spread([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: median_interval([]), "at least one time"),
        (lambda: paired_ratio([1.0], [1.0, 2.0]), "expected pairs of times, got 1 and 2"),
        (lambda: paired_ratio([1.0, 0.0], [1.0, 2.0]), "above 0"),
    ],
)
def test_bad_input_says_what_was_found(call, text):
    with pytest.raises(ArgumentError, match=text):
        call()
