# SPDX-License-Identifier: Apache-2.0
"""Factorisations through the compiled module."""

from __future__ import annotations

import pytest

from espalier import _core
from espalier.errors import ArgumentError


def test_factorisations() -> None:
    assert _core.balanced_dims(12, [0, 0]) == [4, 3]
    assert _core.weighted_dims(12, [1 / 1800, 1 / 580], [0, 0]) == [6, 2]
    levels = _core.multi_level_dims([8, 2, 12], [1, 1, 1])
    assert levels == [[2, 2, 2], [2, 1, 3], [2, 1, 2]]
    assert _core.multi_level_dims([2, 6], [1, 1], [0, 6]) == [[2, 1], [1, 6]]


def test_joint_factorisation_costs_less() -> None:
    sizes, costs, weights = [6, 11], [1.0, 1.0], [1.0, 1.5]
    joint = _core.joint_cost(_core.joint_dims(sizes, costs, weights), costs, weights)
    greedy = _core.joint_cost(_core.multi_level_dims(sizes, weights), costs, weights)
    assert joint < 0.97 * greedy


def test_order_of_the_hardware() -> None:
    assert _core.multi_level_order([[1, 2], [2, 2]]) == [0, 1, 4, 5, 2, 3, 6, 7]


def test_refusals() -> None:
    with pytest.raises(ArgumentError, match="divides 12"):
        _core.weighted_dims(12, [1, 1], [5, 0])
