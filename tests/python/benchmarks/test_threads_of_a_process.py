# SPDX-License-Identifier: Apache-2.0
"""The study of threads of a process: its schedules, its kept times and what it says of them."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import tomllib
from places import repository

from espalier import _core

FOLDER = repository / "benchmarks" / "reproduce" / "one-sided-tuned-collectives"
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

import layout_results as results  # noqa: E402
import layout_study as study  # noqa: E402
import put_times as puts  # noqa: E402
from put_results import PutTimes  # noqa: E402

GIVEN: dict[str, Any] = tomllib.loads((FOLDER / "experiments.toml").read_text())["layouts"]
LAYOUTS = list(GIVEN["machines"])
KEPT = repository / "docs" / "benchmarks" / "data" / "threads-of-a-process.csv"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_schedules_of_all_layouts_are_those_of_the_catalog(layout: str) -> None:
    for operation, names in GIVEN["algorithms"].items():
        for name in names:
            choice = study.choice_of(operation, name, study.processes_of(layout), GIVEN["ranks"])
            assert _core.canonical(choice).startswith(f"{operation}/")


def test_a_small_study_is_replayed() -> None:
    core = "latency=100ns,bandwidth=5GB/s"
    given = {
        "ranks": 8,
        "sizes": {"bcast": [8]},
        "machines": {
            "8x1": "8n[latency=2us,bandwidth=1GB/s]",
            "2x4": f"2n[latency=2us,bandwidth=1GB/s] x 4c[{core}]",
        },
        "algorithms": {"bcast": ["k_nomial[k=2]"]},
    }
    times = PutTimes(list(study.layout_times(given)))
    # Three messages behind each other, and one message before three copies.
    assert times.us("layouts", "bcast", 8, "8x1") == pytest.approx(3 * 2.008)
    assert 2.008 < times.us("layouts", "bcast", 8, "2x4") < 3
    assert results.sentence(times, "bcast", ["8x1", "2x4"]) == "bcast: 2x4"


def test_kept_times_have_all_that_is_declared() -> None:
    times = PutTimes(puts.read_times(KEPT))
    for operation, sizes in GIVEN["sizes"].items():
        assert list(results.fastest(times, operation, LAYOUTS)) == sizes
    # Figure 5.1, where it holds here: gather-to-all at every size.
    assert set(results.fastest(times, "allgather", LAYOUTS).values()) == {"256x4"}
    assert results.sentence(times, "bcast", LAYOUTS) == "bcast: 64x16, 256x4 from 8 KiB"
