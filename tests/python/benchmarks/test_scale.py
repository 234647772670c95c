# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the study of scale."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

import pytest
import tomllib
from places import repository

FOLDER = repository / "benchmarks" / "scale"
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "reproduce")]

import model_curves  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

DECLARED: dict[str, Any] = tomllib.loads((FOLDER / "experiments.toml").read_text())


def _page() -> ModuleType:
    """Other studies have pages of this name."""
    spec = importlib.util.spec_from_file_location("scale_page", FOLDER / "page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _small(ranks: list[int], most: dict[str, int]) -> dict[str, Any]:
    curve = {"collective": "bcast", "bytes": 8, "algorithms": ["bcast/binomial"], "loggp_radix": 2}
    return DECLARED | {
        "models": DECLARED["models"] | {"ranks": ranks, "most_messages": most, "curves": [curve]}
    }


def test_models_stop_where_they_are_told_to() -> None:
    # A binomial tree of 64 ranks is bounded by 6 messages from each, one of 16 by 4.
    declared = _small([16, 64], {"replay": 64, "levels": 384})
    found = [(one.num_ranks, one.model) for one in model_curves.values_of(declared)]
    assert found == [
        *((16, "loggp"), (16, "replay"), (16, "levels")),
        *((64, "loggp"), (64, "levels")),
    ]


def test_models_agree_where_nothing_is_shared() -> None:
    declared = _small([8], {"replay": 100, "levels": 100})
    by_model = {one.model: one.predicted_us for one in model_curves.values_of(declared)}
    # Three rounds inside a node of 300 ns and two overheads of 200 ns, 1 ns for 8 bytes.
    assert by_model["levels"] == pytest.approx(3 * 0.701)
    assert by_model["replay"] == pytest.approx(3 * 0.701)
    latency, overhead, gap, per_byte = DECLARED["models"]["loggp"]
    assert by_model["loggp"] == pytest.approx(3 * (latency + overhead + 2 * (gap + 8 * per_byte)))


def test_machines_have_as_many_nodes_as_ranks_fill() -> None:
    assert model_curves.machine_of(DECLARED, 1_000_000).startswith("125000n[")
    assert model_curves.num_nodes(DECLARED, 17) == 3


def test_values_are_read_as_written(tmp_path: Path) -> None:
    values = [model_curves.Value("bcast", "8 B", "bcast/k_ary[k=2]", 8, 16, "levels", 2.5)]
    model_curves.write_csv(values, tmp_path / "values.csv")
    assert model_curves.read_csv(tmp_path / "values.csv") == values


def test_reach_is_the_largest_number_of_ranks() -> None:
    declared = _small([8, 16], {"replay": 24, "levels": 100})
    rows = _page().reach_rows(list(model_curves.values_of(declared)))
    reached = {row[3]: row[4] for row in rows}
    assert reached == {"loggp": "16", "replay": "8", "levels": "16"}


def test_costs_of_a_task_are_replaced(tmp_path: Path) -> None:
    page = _page()
    path = tmp_path / "costs.csv"
    assert page.read_costs(path) == []
    page.add_cost(path, "models", 2.0, 10)
    page.add_cost(path, "simulation", 3.0, 20)
    page.add_cost(path, "models", 4.04, 30)
    assert [tuple(row.values()) for row in page.read_costs(path)] == [
        ("simulation", "3.0", "20"),
        ("models", "4.0", "30"),
    ]


def test_the_kept_curves_are_what_models_say() -> None:
    kept = model_curves.read_csv(repository / "docs" / "benchmarks" / "data" / "scale-models.csv")
    ranks = {one.num_ranks for one in kept}
    assert max(ranks) == 1_000_000
    declared = DECLARED | {"models": DECLARED["models"] | {"ranks": [16]}}
    told = {
        (one.collective, one.num_bytes, one.algorithm, one.model): one.predicted_us
        for one in model_curves.values_of(declared)
    }
    same = {
        (one.collective, one.num_bytes, one.algorithm, one.model): one.predicted_us
        for one in kept
        if one.num_ranks == 16
    }
    assert same == pytest.approx(told, rel=1e-5)
