# SPDX-License-Identifier: Apache-2.0
"""What the page about nonblocking collectives beside work computes from its records."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
import tomllib
from places import repository

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = repository / "benchmarks" / "overlap"
sys.path[:0] = [str(repository / "benchmarks"), str(repository / "benchmarks" / "reproduce")]

import pages  # noqa: E402

from espalier import _core  # noqa: E402

page = pages.module_of(FOLDER)
DECLARED: dict[str, Any] = tomllib.loads((FOLDER / "experiments.toml").read_text())


def record(alone: float, native: float, ours: float, thread: float) -> dict[str, Any]:
    """A record with 1 ms of work, whose runs differ a little."""
    times = {page.NATIVE: native, page.OURS: ours, page.THREAD: thread}
    turns = (0.99, 0.995, 1.0, 1.0, 1.005, 1.01)
    return {
        "call": "iallreduce",
        "bytes": 16384,
        "tests": 0,
        "work_us": 1000,
        "algorithm": "ring",
        "library": "Open MPI v4.1.4",
        "busy_processors": 0.5,
        "us": {
            name: {"alone": [alone] * len(turns), "beside": [time * turn for turn in turns]}
            for name, time in times.items()
        },
    }


def learned(algorithm: str | None) -> dict[str, Any]:
    """A record of three runs that learn from each other, with 1 ms of work."""
    times = {page.NATIVE: [1980, 2000, 2000], page.OURS: [2000, 2000, 1000]}
    cell = {"call": "iallreduce", "bytes": 16384, "tests": 0, "work_us": 1000}
    return {**cell, "algorithm": algorithm, "busy_processors": 0.5, "us": times}


def test_a_line_says_what_was_learned_in_which_run() -> None:
    line = page.line_of_learned(learned("ring"))
    assert line == "iallreduce 16 KiB, ring learned: native / ours 0.99x, 1.00x, 2.00x"
    assert "nothing learned" in page.line_of_learned(learned(None))


def test_calls_to_learn_of_are_declared() -> None:
    assert set(DECLARED["learned"]["calls"]) <= set(DECLARED["calls"])


@pytest.mark.parametrize(
    ("alone", "beside", "expected"),
    [
        (1000, 2000, 0.0),  # one after the other
        (1000, 1000, 1.0),  # beside each other
        (1000, 1500, 0.5),
        (4000, 4000, 1.0),  # the work is the shorter one
        (250, 1125, 0.5),
        (1000, 2500, 0.0),  # never below nothing
        (1000, 900, 1.0),  # nor above all
    ],
)
def test_what_is_hidden_is_a_share_of_the_shorter_one(
    alone: float, beside: float, expected: float
) -> None:
    assert page.hidden(record(alone, beside, 1, 1), page.NATIVE) == pytest.approx(expected)


def test_gains_are_those_of_calls_beside_work() -> None:
    found = page.gain(record(1000, 2000, 1600, 1000), page.OURS)
    assert found.value == pytest.approx(1.25)
    assert found.low == pytest.approx(found.high) == pytest.approx(1.25)


def test_the_outcome_counts_gains_and_losses() -> None:
    records = [record(1000, 2000, 1600, 1000), record(1000, 2000, 2500, 1000)]
    rows = page.outcome(DECLARED | {"loop": {"tests": [0]}}, records).splitlines()
    assert rows[2] == "| 0 | calls | 0% | 20% | 1.00x | 1 | 1 | 2 |"
    assert rows[3] == "| 0 | thread | 0% | 100% | 2.00x | 2 | 0 | 2 |"


def test_the_page_has_every_cell(tmp_path: Path) -> None:
    records = [record(1000, 2000, 1600, 1000)] * 3
    (tmp_path / page.DATA).write_text(json.dumps(records))
    times = {"work_us": 10.0, "alone_us": 8.0, "beside_us": 12.0, "algorithm": "flat"}
    cell = {"call": "ibcast", "bytes": 8, "tests": 10, **times}
    simulated = [{**cell, "way": way} for way in ("native", "messages", "one-sided")]
    (tmp_path / page.SIMULATED_DATA).write_text(json.dumps(simulated))
    figures = {"message_us": 0.2, "allreduce_us": 0.4, "work_us": 2e4, "beside_us": 2e4}
    costs = [
        {"variant": name, **figures, "beside_us": 2e4 * factor, "other_threads": 0.05}
        for name, factor in ((page.NATIVE, 1.0), (page.OURS, 1.0), (page.THREAD, 1.1))
        for _ in range(6)
    ]
    (tmp_path / page.COST_DATA).write_text(json.dumps({"busy_processors": 0.0, "runs": costs}))
    (tmp_path / page.LEARNED_DATA).write_text(json.dumps([learned("ring"), learned(None)]))
    dates = dict.fromkeys((page.SIMULATED, page.COST, page.LEARNED), "2026-11-29")
    (tmp_path / "dates.json").write_text(json.dumps(dates | {page.STUDY: "2026-11-26"}))
    text = page.text(DECLARED | {"loop": {"tests": [0], "rounds": 10}}, tmp_path)
    assert text.count("| iallreduce 16 KiB | 0 | 1.0 | 2.0, 0% | 1.6, 40% | 1.0, 100% |") == 3
    assert "on 2026-11-26, with Open MPI v4.1.4, on 4" in text
    cells = "| 12.0, 75% | 12.0, 75% | 12.0, 75% | `flat` | `flat` |"
    assert f"| ibcast 8 B | 10 | 10.0 {cells}" in text
    assert "| 1.00x (1.00 .. 1.00) | 1.10x (1.10 .. 1.10) |" in text
    assert "took 5.0% of its processor" in text
    assert "| iallreduce 16 KiB | 1.0 | 2.0 | 0.99x | 1.00x | 2.00x | `ring` |" in text
    assert "| iallreduce 16 KiB | 1.0 | 2.0 | 0.99x | 1.00x | 2.00x | nothing yet |" in text


def test_every_algorithm_serves_its_call() -> None:
    """A run with what does not would be native, and be compared with itself."""
    num_ranks = DECLARED["cluster"]["hosts"] * DECLARED["cluster"]["ranks_per_host"]
    for call, declared in DECLARED["calls"].items():
        for algorithm in declared["algorithms"]:
            choice = f"{call.removeprefix('i')}/{algorithm}"
            assert not _core.call_refuses(call, choice, num_ranks), choice
