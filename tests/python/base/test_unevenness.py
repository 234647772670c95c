# SPDX-License-Identifier: Apache-2.0
"""Parts of a call are equal, or words say in which way they are not."""

from __future__ import annotations

import pytest

from espalier.base.unevenness import are_even, are_pairs_even, pairs_text, parts_text


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [0, 0],
        [7],
        [100, 100],
        [1000, 1090],
        [500, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000],
        [3, 9],
        [8, 16],
    ],
)
def test_nearly_equal_parts_are_even(parts):
    assert are_even(parts)
    assert parts_text(parts) == ""


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([0, 8], "uneven, 1 of 2 parts"),
        ([0, 500, 0, 500], "uneven, 2 of 4 parts"),
        ([100, 100, 400], "uneven, largest part 2 times the mean"),
        ([1000, 1200], "uneven, largest part 1.09 times the mean"),
    ],
)
def test_what_differs_is_told(parts, text):
    assert not are_even(parts)
    assert parts_text(parts) == text


def test_what_a_rank_sends_to_itself_does_not_count():
    assert are_pairs_even([[0, 50], [50, 900]])


def test_peers_are_counted():
    ring = [[0, 5, 0, 0], [0, 0, 5, 0], [0, 0, 0, 5], [5, 0, 0, 0]]
    assert pairs_text(ring) == "uneven, 1 of 3 peers"
    star = [[0, 5, 5, 5], [5, 0, 0, 0], [5, 0, 0, 0], [5, 0, 0, 0]]
    assert pairs_text(star) == "uneven, 1 to 3 of 3 peers"
    full = [[0, 10, 90], [10, 0, 10], [10, 10, 0]]
    assert pairs_text(full) == "uneven, largest part 3.86 times the mean"
