# SPDX-License-Identifier: Apache-2.0
"""Durations as users write them."""

from __future__ import annotations

import pytest

from espalier.base.durations import parse_seconds
from espalier.errors import ArgumentError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("60s", 60), ("2min", 120), ("1.5h", 5400), ("250ms", 0.25), ("20us", 2e-5)],
)
def test_durations(text, seconds):
    assert parse_seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "-3s", "0", "3 weeks", "1e3"])
def test_bad_durations(text):
    with pytest.raises(ArgumentError, match="expected a time such as 60s"):
        parse_seconds(text)
