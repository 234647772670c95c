# SPDX-License-Identifier: Apache-2.0
"""Rank correlation, regret and errors of models, on times we know."""

from __future__ import annotations

import math

import pytest

from espalier.models.agreement import agreement, deviation, kendall

_NATIVE = [20.0] * 8


def samples(**medians: float) -> dict[str, list[float]]:
    """Return eight pairs around each time; all drift together."""
    drift = [0.97, 1.04, 0.99, 1.02, 1.0, 0.98, 1.01, 1.03]
    return {name: [median * one for one in drift] for name, median in medians.items()}


class TestAgreement:
    def test_a_perfect_model_has_no_regret(self):
        found = agreement({"a": 1, "b": 2, "c": 3}, samples(a=10, b=20, c=30), _NATIVE)
        assert found.kendall == 1
        assert found.chosen == found.best == "a"
        assert found.regret == 0
        assert found.slowdown.low == found.slowdown.high == 1
        assert found.against_native.value == pytest.approx(2, rel=0.02)

    def test_a_wrong_choice_costs_what_it_is_slower(self):
        found = agreement({"a": 3, "b": 1, "c": 4}, samples(a=10, b=13, c=30), _NATIVE)
        assert (found.chosen, found.best) == ("b", "a")
        assert found.regret == pytest.approx(0.3)
        assert found.kendall == pytest.approx(1 / 3)

    def test_pairs_cancel_what_drifts(self):
        found = agreement({"a": 3, "b": 1, "c": 4}, samples(a=10, b=13, c=30), _NATIVE)
        assert found.slowdown.low == pytest.approx(found.slowdown.high)

    def test_equal_predictions_take_the_first_name(self):
        found = agreement({"b": 1, "a": 1, "c": 1}, samples(a=12, b=10, c=11), _NATIVE)
        assert found.chosen == "a"
        assert found.kendall is None

    def test_bias_and_error(self):
        medians = samples(a=10, b=10, c=10)
        middle = sorted(medians["a"])
        median = (middle[3] + middle[4]) / 2
        found = agreement({"a": median, "b": 2 * median, "c": median / 4}, medians, _NATIVE)
        assert found.bias == pytest.approx(2 ** (-1 / 3))
        assert found.error == pytest.approx(2)


class TestKendall:
    def test_a_reversed_order_is_minus_one(self):
        assert kendall([1, 2, 3, 4], [8, 7, 6, 5]) == -1

    def test_few_or_equal_values_say_nothing(self):
        assert kendall([1, 2], [1, 2]) is None
        assert kendall([1, 1, 1], [1, 2, 3]) is None


class TestDeviation:
    def test_too_high_and_too_low_cancel_in_the_bias_only(self):
        bias, error = deviation([4.0, 0.25])
        assert bias == pytest.approx(1)
        assert error == pytest.approx(4)

    def test_a_right_model_has_factor_one(self):
        assert deviation([1.0, 1.0]) == (1.0, math.exp(0))
