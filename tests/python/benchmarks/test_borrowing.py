# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the study of what borrowing costs."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import tomllib
from places import repository

FOLDER = repository / "benchmarks" / "borrowing"
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "reproduce")]

from leaving_out import Distance, Shape, chosen_in, lenders_of, outcomes, shape_of  # noqa: E402

DECLARED: dict[str, Any] = tomllib.loads((FOLDER / "experiments.toml").read_text())
HERE = {"peers": ["ompi"], "min_gain": 0.02}
NEAR = Distance("nodes", 1.0, 2.0)


def _cell(nodes: int, cores: int, native_us: float = 10.0, **us: float) -> dict[str, Any]:
    return {
        "num_nodes": nodes,
        "num_cores": cores,
        "collective": "bcast",
        "bytes": 8,
        "native_us": {"ompi": native_us},
        "best_model_us": min(us.values()),
        "choices": {f"bcast/{name}": {"us": one, "model_us": one} for name, one in us.items()},
    }


def test_a_tuning_takes_the_fastest_and_leaves_small_gains() -> None:
    assert chosen_in(_cell(1, 4, flat=5, chain=7), "ompi", 0.02) == "bcast/flat"
    assert chosen_in(_cell(1, 4, flat=9.9), "ompi", 0.02) == "native"
    lent = _cell(1, 4, flat=5, chain=7)
    lent["choices"]["bcast/flat"]["lent"] = True
    assert chosen_in(lent, "ompi", 0.02) == "bcast/chain"


def test_the_nearest_shape_within_the_distance_lends() -> None:
    here = _cell(2, 4, flat=5)
    others = [_cell(2, 2, flat=5), _cell(2, 6, flat=5), _cell(2, 12, flat=5), _cell(1, 8, flat=5)]
    found = [shape_of(one) for one in lenders_of(here, [here, *others], NEAR)]
    assert found == [Shape(2, 6), Shape(2, 2)]
    by_ranks = Distance("ranks", 2.0, 2.0)
    assert shape_of(lenders_of(here, others, by_ranks)[0]) == Shape(1, 8)
    elsewhere = Distance("nodes", 2.0, 2.0, same_nodes=False)
    assert [shape_of(one) for one in lenders_of(here, others, elsewhere)] == [Shape(1, 8)]


def test_a_borrowed_choice_is_compared_with_native_and_the_best() -> None:
    cells = [_cell(2, 4, flat=5, chain=20), _cell(2, 6, flat=30, chain=4)]
    (first, second) = outcomes(cells, NEAR, HERE)
    assert (first.choice, first.gain, first.is_lost) == ("bcast/chain", 0.5, True)
    assert first.us / first.best_us == pytest.approx(4)
    assert second.choice == "bcast/flat"
    assert {one.choice for one in outcomes(cells, None, HERE)} == {"native"}
    assert {one.choice for one in outcomes(cells, NEAR, HERE, 1.1)} == {"native"}


def test_what_a_shape_refuses_is_borrowed_from_the_next_one() -> None:
    cells = [_cell(2, 4, flat=5), _cell(2, 6, chain=4), _cell(2, 2, flat=5)]
    assert outcomes(cells, NEAR, HERE)[0].choice == "bcast/flat"


def test_the_distance_that_is_taken_is_that_of_profiles() -> None:
    (row,) = [one for one in DECLARED["distance"] if one.get("is_chosen")]
    assert Distance.declared(row) == NEAR
    header = (repository / "espalier" / "profile" / "shape.hpp").read_text(encoding="utf-8")
    assert "max_borrowing_factor = 2;" in header
