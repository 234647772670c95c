# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the study of guided search."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import tomllib
from places import repository

FOLDER = repository / "benchmarks" / "effort"
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "reproduce")]

from searching import estimated, searched  # noqa: E402

DECLARED: dict[str, Any] = tomllib.loads((FOLDER / "experiments.toml").read_text())["simulated"]


def _row(us: dict[str, float], predicted: dict[str, float]) -> dict[str, Any]:
    return {
        "platform": "4x4",
        "placement": "block",
        "collective": "bcast",
        "bytes": 1024,
        "native_us": 10.0,
        "us": us,
        "predicted": {name: 1e-6 * one for name, one in predicted.items()},
    }


CANDIDATES = {f"bcast/k_ary[k={number}]": 4.0 + number for number in range(10)}
FIRST, FOURTH = "bcast/k_ary[k=0]", "bcast/k_ary[k=3]"


def test_an_estimate_times_nothing() -> None:
    found = estimated(_row(CANDIDATES, {**CANDIDATES, FOURTH: 1.0}))
    assert (found.algorithm, found.num_timed, found.share_of_time) == (FOURTH, 0, 0.0)
    assert found.regret == pytest.approx(7 / 4)


def test_a_right_model_needs_few_times() -> None:
    found = searched(_row(CANDIDATES, CANDIDATES), DECLARED, 0.05)
    assert (found.algorithm, found.num_timed, found.regret) == (FIRST, 2, 1.0)
    assert found.share_of_time == pytest.approx((10 + 4 + 5) / (10 + sum(CANDIDATES.values())))


def test_a_wrong_model_is_found_out_by_timing_more() -> None:
    predicted = {**CANDIDATES, FOURTH: 3.0}
    found = searched(_row(CANDIDATES, predicted), DECLARED, 0.0)
    assert found.algorithm == FIRST
    other = {"bcast/flat": 4.5}
    misled = {**CANDIDATES, "bcast/flat": 12.0}
    found = searched(_row({**CANDIDATES, FIRST: 6.0, **other}, misled), DECLARED, 0.05)
    assert found.algorithm == "bcast/flat"
