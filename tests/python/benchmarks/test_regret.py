# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the study of what learning loses."""

from __future__ import annotations

import importlib.util
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
import tomllib
from places import repository

FOLDER = repository / "benchmarks" / "regret"
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "reproduce")]

from regret_cells import best_known, cells_of  # noqa: E402
from regret_curves import (  # noqa: E402
    Bound,
    Loop,
    best_at,
    checkpoints_of,
    parse_loop,
    worst_of,
)
from regret_data import Data  # noqa: E402
from regret_runs import UNDECIDED, learned_in  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

DECLARED: dict[str, Any] = tomllib.loads((FOLDER / "experiments.toml").read_text())
PLATFORMS = tomllib.loads((FOLDER.parent / "platforms.toml").read_text())["platform"]
DATA = repository / "docs" / "benchmarks" / "data"
BOUND = Bound(seconds=0.05, share=0.01)


def _page() -> ModuleType:
    """Other studies have pages of this name."""
    spec = importlib.util.spec_from_file_location("regret_page", FOLDER / "page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _cell(**other: Any) -> dict[str, Any]:
    return {
        "platform": "uneven",
        "placement": "block",
        "num_ranks": 81,
        "peer": "ompi",
        "collective": "bcast",
        "bytes": 8,
        "best_known": "bcast/binomial",
        "learned": "bcast/k_nomial[k=4]",
        "charged_us": 20.0,
        "worst": {"calls": 10, "lost_us": 30.0, "share_of_bound": 0.0006},
        "calls": [1, 10, 30],
        "times_us": {
            "native": [10.0, 100.0, 300.0],
            "best": [8.0, 80.0, 240.0],
            "learning": [10.0, 130.0, 290.0],
            "again": [8.0, 81.0, 250.0],
        },
        "least_us": [8.0, 80.0, 240.0],
        **other,
    }


def test_loops_that_are_too_short_go_on_as_in_their_last_half() -> None:
    loop = Loop((5.0, 6.0, 8.0, 10.0))
    assert [loop.at(number) for number in (1, 4, 5, 10)] == [5.0, 10.0, 12.0, 22.0]


def test_what_the_program_prints_is_read() -> None:
    init_seconds, loop = parse_loop("0 0.25\n1 1.5\n2 2.5\n")
    assert init_seconds == 0.25
    assert loop.seconds == (1.5, 2.5)


@pytest.mark.parametrize("text", ["0 0.25\n", "1 1.5\n", "0 0.1\n2 0.2\n", "error\n", ""])
def test_anything_else_that_it_prints_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected|unpack"):
        parse_loop(text)


def test_the_worst_moment_is_the_first_of_the_largest_loss() -> None:
    native = Loop((0.25, 0.5, 0.75, 1.0))
    worst = worst_of(Loop((0.25, 0.75, 1.0, 1.125)), native, BOUND)
    assert (worst.num_calls, worst.lost_seconds) == (2, 0.25)
    assert worst.share_of_bound == pytest.approx(5)


def test_the_bound_grows_with_the_time_of_the_program() -> None:
    assert [BOUND.at(seconds) for seconds in (0.1, 5, 20)] == [0.05, 0.05, 0.2]
    # After 20 s 0.2 s may be lost, after one second only 0.05 s: that moment is the worse one.
    worst = worst_of(Loop((1.0, 20.0)), Loop((0.96, 19.9)), BOUND)
    assert worst.lost_seconds == pytest.approx(0.1)
    assert worst.share_of_bound == pytest.approx(0.8)


def test_the_best_is_native_where_nothing_known_is_faster() -> None:
    loops = {"native": Loop((1.0, 2.0)), "best": Loop((1.5, 1.75))}
    assert best_at(loops, 1) == 1.0
    assert best_at(loops, 2) == 1.75
    assert best_at({"native": loops["native"]}, 2) == 2.0


def test_short_loops_have_fewer_checkpoints() -> None:
    assert checkpoints_of([10, 30, 100, 300], 100) == [10, 30, 100]


def test_cells_are_those_that_are_declared() -> None:
    cells = list(cells_of(DECLARED, PLATFORMS))
    assert len({cell.key for cell in cells}) == len(cells) == _page().num_declared(DECLARED)
    by_key = {(cell.place.peer, cell.collective, cell.num_bytes): cell for cell in cells}
    assert {peer for peer, _, _ in by_key} == {"ompi", "mpich"}
    # A block of one byte for each of 81 ranks; vectors and barriers have no parts.
    assert by_key["ompi", "allgather", 81].own_bytes == 1
    assert by_key["mpich", "bcast", 16384].own_bytes == 16384
    assert by_key["ompi", "barrier", 0].num_calls == 300
    assert by_key["ompi", "allreduce", 1048576].num_calls == 100
    assert by_key["ompi", "allreduce", 1024].num_calls == 2000


def test_the_best_known_is_that_of_the_peers() -> None:
    peers = json.loads((DATA / DECLARED["best_known"]).read_text())
    for cell in cells_of(DECLARED, PLATFORMS):
        collective = cell.collective.removesuffix("_block")
        assert best_known(cell, peers).startswith(f"{collective}/"), cell
    assert best_known(cell, {"cells": []}) == ""


def test_what_was_learned_is_the_rule_of_the_size(tmp_path: Path) -> None:
    (cell, *_) = (one for one in cells_of(DECLARED, PLATFORMS) if one.num_bytes == 16384)
    memory = tmp_path / "memory.json"
    assert learned_in(memory, cell) == UNDECIDED
    rule = {"collective": cell.collective, "min_bytes": 8192, "max_bytes": 16383}
    memory.write_text(json.dumps({"rules": [rule | {"algorithm": "other"}]}))
    assert learned_in(memory, cell) == UNDECIDED
    rules = [rule | {"algorithm": "other"}, rule | {"max_bytes": None, "algorithm": "native"}]
    memory.write_text(json.dumps({"rules": rules}))
    assert learned_in(memory, cell) == "native"


def test_data_are_read_as_kept(tmp_path: Path) -> None:
    data = Data(tmp_path)
    data.keep(_cell())
    data.keep_startup([{"num_ranks": 4, "peer": "ompi", "with": "learning", "us": 3.5}])
    again = Data(tmp_path)
    assert again.cells == [_cell()]
    assert again.startup == data.startup
    assert again.has(("uneven", "block", 81, "ompi", "bcast", 8))
    assert not again.has(("uneven", "block", 81, "mpich", "bcast", 8))


def test_tables_say_what_was_lost() -> None:
    page = _page()
    declared = {"checkpoints": [10, 30, 100]}
    _, (row,) = page.lost_table(declared, [_cell()])
    assert row == ["bcast 8 B, ompi", "10", "30", "-10", "-", "30 at 10"]
    _, (row,) = page.best_table(declared, [_cell()])
    assert row == ["bcast 8 B, ompi", "bcast/binomial", "50", "50", "-"]
    _, (row,) = page.best_table(declared, [_cell(least_us=[10.0, 100.0, 300.0])])
    assert row[1:4] == ["native", "30", "-10"]
    _, (row,) = page.learned_table([_cell()])
    assert row == ["bcast 8 B, ompi", "bcast/k_nomial[k=4]", "1.03x", "20"]
    _, (row,) = page.again_table([_cell()])
    assert row[2:] == ["-19", "-"]


def test_the_outcome_names_the_worst_cells() -> None:
    broken = _cell(
        collective="reduce",
        learned="undecided",
        worst={"calls": 3, "lost_us": 60000.0, "share_of_bound": 1.2},
        times_us={"native": [10.0, 100.0, 300.0], "learning": [10.0, 130.0, 330.0]},
    )
    kept, ends, undecided = _page().outcome_lines([_cell(), broken])
    assert kept.startswith("The bound was kept in 1 of 2 cells. The worst cell is reduce 8 B, ompi")
    assert "1 whole loops are faster than native" in ends
    assert "1 are slower" in ends
    assert "reduce 8 B, ompi: it takes 1.1 of the native time" in ends
    assert undecided.endswith(": 1.")


def test_curves_are_ratios_of_times() -> None:
    panel = _page().panel_of("bcast", [_cell(), _cell(collective="reduce")], DECLARED)
    (curve,) = panel.curves
    assert curve.name == "8 B, ompi"
    assert curve.points == [(1.0, 1.0), (10.0, 1.3), (30.0, pytest.approx(290 / 300))]


def test_what_is_kept_was_declared_and_is_within_the_bound() -> None:
    declared = {cell.key for cell in cells_of(DECLARED, PLATFORMS)}
    data = Data(DATA)
    assert data.cells
    for cell in data.cells:
        names = ("platform", "placement", "num_ranks", "peer", "collective", "bytes")
        assert tuple(cell[name] for name in names) in declared
        assert cell["worst"]["share_of_bound"] <= 1
    limit_us = 1e3 * DECLARED["startup"]["most_ms"]
    assert {row["with"] for row in data.startup} == {"statistics", "learning"}
    assert max(row["us"] for row in data.startup) <= limit_us
