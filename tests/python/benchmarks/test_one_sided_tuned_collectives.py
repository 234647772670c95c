# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the study of tuned collectives: candidates, models, searches."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import tomllib
from places import repository

from espalier import _core
from espalier.errors import ArgumentError

FOLDER = repository / "benchmarks" / "reproduce" / "one-sided-tuned-collectives"
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

import model_search as search  # noqa: E402
import radix_candidates as candidates  # noqa: E402

DECLARED: dict[str, Any] = tomllib.loads((FOLDER / "experiments.toml").read_text())
RANGER = (2.0, 0.5, 2.0, 1e-3)


def test_closed_forms_are_those_of_the_thesis() -> None:
    # Evaluated by hand from the printed formulas with the parameters of its table 5.1.
    assert _core.loggp_time("bcast", RANGER, (256, 4), 8, 4) == pytest.approx(42.1, abs=0.05)
    assert _core.loggp_time("bcast", RANGER, (256, 4), 8, 8, is_refined=True) == pytest.approx(
        49.5, abs=0.05
    )
    assert _core.loggp_time("scatter", RANGER, (256, 4), 8, 2) == pytest.approx(68.3, abs=0.05)
    assert _core.loggp_time("alltoall", RANGER, (256, 4), 64, 8) == pytest.approx(605.6, abs=0.05)
    assert _core.loggp_time("alltoall", RANGER, (256, 4), 64, 8, is_refined=True) == pytest.approx(
        703.9, abs=0.05
    )
    assert _core.loggp_time("allgather", RANGER, (256, 4), 8, 2) == pytest.approx(44.2, abs=0.05)
    assert _core.loggp_time("allgather", RANGER, (256, 4), 8, 256) == pytest.approx(647.7, abs=0.05)


def test_the_evaluator_goes_sender_by_sender() -> None:
    assert _core.loggp_tree_time("k_ary", RANGER, 256, 8, 2) == pytest.approx(45.6, abs=0.05)
    assert _core.loggp_tree_time("k_nomial", RANGER, 256, 8, 2) == pytest.approx(36.1, abs=0.05)
    # A flat scatter: 3 messages of one block, the last one 3 (g + G b) + L + o after the start.
    flat = _core.loggp_tree_time("k_ary", RANGER, 4, 1000, 4, has_parts=True)
    assert flat == pytest.approx(3 * 3 + 2.5)


def test_models_refuse_what_they_do_not_know() -> None:
    with pytest.raises(ArgumentError, match="got 'scan'"):
        _core.loggp_time("scan", RANGER, (4, 1), 8, 2)
    with pytest.raises(ArgumentError, match="radix 2"):
        _core.loggp_time("bcast", RANGER, (4, 1), 8, 1)
    with pytest.raises(ArgumentError, match="got 'fork'"):
        _core.loggp_tree_time("fork", RANGER, 4, 8, 2)


def test_candidates_are_trees_of_all_radices() -> None:
    assert candidates.radices(64) == [2, 4, 8, 16, 32, 64]
    names = candidates.trees("bcast", 64)
    assert len(names) == len(set(names)) == 11
    assert all(_core.refuses(name, 64) == "" for name in names)
    assert sorted({candidates.radix_of(name, 64) for name in names}) == [2, 4, 8, 16, 32, 64]


def test_all_models_answer_for_all_declared_candidates() -> None:
    for entry in (*DECLARED["trees"], *DECLARED["exchanges"]):
        case = candidates.case_of(DECLARED, "XT4", entry["operation"], 64, 8)
        names = entry.get("algorithms") or candidates.trees(entry["operation"], 64)
        for name in names:
            if name == "allgather/ring":
                continue
            times = [predict(case, name) for predict in candidates.MODELS.values()]
            assert all(time > 0 for time in times)


def test_quality_and_cost_of_a_search() -> None:
    measured = {"a": 2.0, "b": 1.03, "c": 1.0, "d": 5.97}
    order = search.model_order({"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0})
    assert order == ["a", "b", "c", "d"]
    steps = search.curve(order, measured)
    assert [step.quality for step in steps] == pytest.approx([0.5, 1 / 1.03, 1.0, 1.0])
    assert [step.cost for step in steps] == pytest.approx([0.2, 0.303, 0.403, 1.0])
    assert search.first_within(steps, 0.04).tried == 2
    assert search.first_within(steps, 0).tried == 3
    assert search.choice_penalty({"a": 1.0, "b": 2.0}, measured) == 2.0
