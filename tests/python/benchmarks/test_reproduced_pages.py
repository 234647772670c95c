# SPDX-License-Identifier: Apache-2.0
"""Pages of reproduced results show the data that are kept beside them."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

import tomllib
from places import repository

BENCHMARKS = repository / "benchmarks"
PAGES = repository / "docs" / "benchmarks"
GROUPS = BENCHMARKS / "reproduce" / "orthogonal-groups"
TREES = BENCHMARKS / "reproduce" / "one-sided-tuned-collectives"
SCALE = BENCHMARKS / "scale"
sys.path[:0] = [str(folder) for folder in (GROUPS, TREES, SCALE, GROUPS.parent)]

import group_reductions  # noqa: E402
import model_curves  # noqa: E402
from simulated_times import read_times, table  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType


def _page_of(folder: Path) -> ModuleType:
    """Load a module whose name several folders have."""
    spec = importlib.util.spec_from_file_location(f"page_{folder.name}", folder / "page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _declared(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "experiments.toml").read_text(encoding="utf-8"))


def _shown(name: str) -> str:
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


def test_orthogonal_groups() -> None:
    page, declared, shown = _page_of(GROUPS), _declared(GROUPS), _shown("orthogonal-groups")
    times = read_times(PAGES / "data" / "orthogonal-groups.csv")
    every = [
        one
        for operation in declared["operations"]
        for phase in operation["phases"]
        for one in group_reductions.series_of(times, operation["name"], phase)
    ]
    assert {one.num_ranks for one in every} >= {48, 96}
    assert page.two_phases(declared, every) in shown
    assert page.balanced(every) in shown
    assert page.selection(declared, every) in shown
    assert page.three_phases(every) in shown


def test_trees_and_exchanges() -> None:
    page, declared = _page_of(TREES), _declared(TREES)
    shown = _shown("one-sided-tuned-collectives")
    times = read_times(PAGES / "data" / "one-sided-tuned-collectives.csv")
    assert page.radix_table(declared, times) in shown
    assert page.exchange_table(declared, times) in shown
    assert page.improvement_table(declared, times) in shown


def test_scale() -> None:
    page, shown = _page_of(SCALE), _shown("scale")
    values = model_curves.read_csv(PAGES / "data" / "scale-models.csv")
    assert all(f"| {' | '.join(row)} |" in shown for row in page.reach_rows(values))
    simulated = read_times(PAGES / "data" / "scale-simulated.csv")
    assert all(one.num_ranks >= 4096 for one in simulated)
    for one in simulated:
        assert f"| {one.name} | {one.us:.1f} |" in shown
    costs = [
        [row["what"], row["cpu_seconds"], row["memory_mib"]]
        for row in page.read_costs(PAGES / "data" / "scale-costs.csv")
    ]
    assert table(["what", "CPU seconds", "MiB"], costs) in shown


def test_every_figure_is_there() -> None:
    for name in ("orthogonal-groups", "one-sided-tuned-collectives", "scale"):
        figures = [part.partition(")")[0] for part in _shown(name).split("](figures/")[1:]]
        assert figures
        assert all((PAGES / "figures" / figure).is_file() for figure in figures)


def test_the_index_names_every_study() -> None:
    index = (BENCHMARKS / "reproduce" / "README.md").read_text(encoding="utf-8")
    for folder in (BENCHMARKS / "reproduce").glob("*/experiments.toml"):
        assert f"`{folder.parent.name}`" in index
