# SPDX-License-Identifier: Apache-2.0
"""The comparison inside a node: its settings, its arithmetic, and the tables of its page."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
import tomllib
from places import repository

FOLDER = repository / "benchmarks" / "node"
sys.path[:0] = [str(FOLDER), str(repository / "benchmarks"), str(repository / "tools")]

import node_ratios as ratios  # noqa: E402
import node_runs  # noqa: E402
import node_settings  # noqa: E402
import pages  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

DECLARED: dict[str, Any] = tomllib.loads((FOLDER / "experiments.toml").read_text())
SIZES = [0, 8, 131072]
GOAL = ratios.goal_of(DECLARED)


def record(
    mpi: str, setting: str, launches: list[dict[str, Any]], ranks: int = 2
) -> dict[str, Any]:
    """What is kept of a setting whose profile chooses one algorithm."""
    return {
        "key": f"{mpi}/{setting}/{ranks}",
        "mpi": mpi,
        "setting": setting,
        "ranks": ranks,
        "choices": {"bcast": [[0, "bcast/binomial[shared_memory=1]"]]},
        "launches": launches,
    }


def launch(barrier: list[float], *bcast: list[float]) -> dict[str, Any]:
    """What is kept of a launch: native, ours and ratio of a barrier, and of a bcast by size."""
    return {
        "load": 1.5,
        "calls": {"barrier": [barrier], "bcast": list(bcast)},
        "line_us": 0.1,
        "copy_us": {"8": 0.01, "131072": 10.0},
    }


FAST = record(
    "Fast MPI",
    "default",
    [
        launch([1.0, 0.5, 0.5], [1.0, 0.7, 0.7], [2.0, 1.0, 0.5], [30.0, 60.0, 2.0]),
        launch([1.0, 0.8, 0.8], [1.0, 0.6, 0.6], [2.0, 1.2, 0.6], [30.0, 60.0, 2.2]),
        launch([1.0, 0.6, 0.6], [1.0, 0.5, 0.5], [2.0, 1.4, 0.7], [30.0, 30.0, 1.0]),
    ],
)
SET = record(
    "Fast MPI", "special", [launch([0.4, 0.4, 1.0], [3, 3, 1.0], [3, 3, 1.0], [9, 9, 1.0])]
)
SLOW = record("Slow MPI", "default", [launch([8, 4, 0.5], [8, 4, 0.5], [8, 4, 0.5], [80, 4, 0.05])])
CELLS = ratios.cells_of([FAST, SET, SLOW], SIZES)


def cell(mpi: str, setting: str, call: str, num_bytes: int) -> ratios.Cell:
    return next(
        one
        for one in CELLS
        if (one.mpi, one.setting, one.call, one.num_bytes) == (mpi, setting, call, num_bytes)
    )


class TestSettings:
    def test_every_setting_has_a_name_of_its_own(self) -> None:
        keys = [setting.key for setting, _ in node_settings.declared_settings(DECLARED, 2)]
        assert len(set(keys)) == len(keys)
        assert {"system-openmpi/coll/sm/2", "mpich/messages/8", "impi/default/4"} <= set(keys)

    def test_each_number_of_ranks_has_defaults_to_compare_with(self) -> None:
        for ranks in DECLARED["ranks"]:
            defaults = [
                setting.member.name
                for setting, row in node_settings.declared_settings(DECLARED, 2)
                if row is ranks and setting.name == ratios.DEFAULT
            ]
            assert len(defaults) >= 4

    def test_ranks_are_bound_only_if_each_has_a_core(self) -> None:
        found = {one.key: one for one, _ in node_settings.declared_settings(DECLARED, 4)}
        bound, shared = found["system-openmpi/default/4"], found["system-openmpi/default/8"]
        assert "core" in bound.launcher({})
        assert "core" not in shared.launcher({})
        assert "mpi_yield_when_idle" in shared.launcher({})

    def test_only_ranks_that_share_a_core_get_what_makes_them_yield(self) -> None:
        found = {one.key: one for one, _ in node_settings.declared_settings(DECLARED, 2)}
        words = [
            " ".join(found[f"system-mpich/default/{number}"].launcher({"A": "1"}, "libours.so"))
            for number in (2, 4)
        ]
        assert [("yield" in line, "libours.so" in line, "-genv A 1" in line) for line in words] == [
            (False, True, True),
            (True, True, True),
        ]

    def test_an_intra_node_algorithm_is_for_every_call_that_has_one(self) -> None:
        found = {one.key: one for one, _ in node_settings.declared_settings(DECLARED, 2)}
        words = found["mpich/messages/2"].options
        assert words.count("mpir") == 4
        assert "MPIR_CVAR_BARRIER_POSIX_INTRA_ALGORITHM" in words

    def test_candidates_go_through_shared_memory(self) -> None:
        found = node_runs.candidates(DECLARED)
        assert "barrier/dissemination[shared_memory=1]" in found
        assert "bcast/binomial[segments=16,shared_memory=1]" in found


class TestRatios:
    @pytest.mark.parametrize(
        ("library", "name"),
        [
            ("Open MPI v4.1.4", "Open MPI 4.1.4"),
            ("MPICH Version:      5.0.2", "MPICH 5.0.2"),
            ("Intel(R) MPI Library 2021.18.1 for Linux* OS", "Intel MPI 2021.18.1"),
        ],
    )
    def test_names_of_libraries_are_shortened(self, library: str, name: str) -> None:
        assert ratios.name_of(library) == name

    def test_what_a_launch_printed_is_kept_by_call(self) -> None:
        printed = "noise\n" + "\n".join(
            json.dumps(line)
            for line in (
                {"library": "Fast MPI"},
                {"limit": "line", "us": 0.1},
                {"limit": "copy", "bytes": 8, "us": 0.01},
                {"call": "scan", "bytes": 8, "native_us": 4, "ours_us": 1, "ratio": 0.25},
                {"call": "scan", "bytes": 64, "native_us": 4, "ours_us": 2, "ratio": 0.5},
            )
        )
        assert ratios.row_of(node_runs.lines_of(printed)) == {
            "calls": {"scan": [[4, 1, 0.25], [4, 2, 0.5]]},
            "line_us": 0.1,
            "copy_us": {"8": 0.01},
        }

    def test_a_cell_is_the_median_of_launches_with_the_extremes(self) -> None:
        one = cell("Fast MPI", "default", "barrier", 0)
        assert (one.ratio, one.low, one.high) == (0.6, 0.5, 0.8)
        assert (one.native_us, one.ours_us) == (1.0, 0.6)

    def test_a_barrier_has_no_sizes_and_a_setting_that_failed_no_cells(self) -> None:
        assert [one.num_bytes for one in CELLS if one.call == "barrier"] == [0, 0, 0]
        failed = {**record("Broken MPI", "default", []), "problem": "not there"}
        assert ratios.cells_of([failed], SIZES) == []

    def test_the_best_default_is_the_fastest_library_not_the_one_we_beat_most(self) -> None:
        first = ratios.contests(CELLS)[0]
        assert (first.best_default.mpi, first.best_setting.setting) == ("Fast MPI", "special")
        assert ratios.is_met(first, GOAL) == (True, False)

    def test_cells_without_a_default_are_no_contest(self) -> None:
        assert ratios.contests(ratios.cells_of([SET], SIZES)) == []

    def test_losses_are_those_above_the_bound_the_worst_first(self) -> None:
        found = ratios.losses([*CELLS, cell("Slow MPI", "default", "barrier", 0)], GOAL)
        assert [(one.call, one.num_bytes, one.ratio) for one in found] == [("bcast", 131072, 2.0)]

    def test_the_goal_is_for_some_calls_and_up_to_a_size(self) -> None:
        assert GOAL.is_for(cell("Fast MPI", "default", "bcast", 8))
        assert not GOAL.is_for(cell("Fast MPI", "default", "bcast", 131072))

    def test_spread_is_the_greatest_by_the_least(self) -> None:
        assert ratios.spreads([cell("Fast MPI", "default", "barrier", 0)]) == [pytest.approx(1.6)]

    def test_the_least_time_of_a_bcast_has_a_copy(self) -> None:
        lines, copies = ratios.limits([FAST, SET])
        assert lines == [0.1] * 4
        assert copies == {8: 0.01, 131072: 10.0}
        one = FAST["launches"][0]
        assert ratios.least_us("barrier", 0, one) == 0.1
        assert ratios.least_us("bcast", 0, one) == 0.1
        assert ratios.least_us("bcast", 131072, one) == pytest.approx(10.1)

    def test_multiples_of_the_limit_are_those_of_the_same_launch(self) -> None:
        near, far = launch([1.0, 0.5, 0.5]), launch([4.0, 2.0, 0.5]) | {"line_us": 0.4}
        records = [record("Other MPI", "default", []), record("Fast MPI", "default", [near, far])]
        barrier = ratios.cells_of(records, [0])[0]
        found = ratios.multiples_of(barrier, records, 0)
        assert found.least_us == pytest.approx(0.25)
        assert (found.ours, found.native) == (pytest.approx(5.0), pytest.approx(10.0))

    def test_choices_of_a_profile_are_in_the_order_of_sizes(self) -> None:
        rules = [
            {"collective": "scan", "min_bytes": 9, "algorithm": "native"},
            {"collective": "scan", "min_bytes": 0, "algorithm": "scan/linear"},
        ]
        assert node_runs.chosen({"rules": rules}) == {"scan": [(0, "scan/linear"), (9, "native")]}


class TestPage:
    def written(self, tmp_path: Path, *records: dict[str, Any]) -> str:
        (tmp_path / "node.json").write_text(json.dumps({"records": records}))
        (tmp_path / "dates.json").write_text('{"node": "2026-01-02"}')
        declared = {**DECLARED, "sizes": SIZES}
        text: str = pages.module_of(FOLDER).text(declared, tmp_path)
        return " ".join(text.split())

    def test_goals_and_losses_are_counted_by_number_of_ranks(self, tmp_path: Path) -> None:
        more = record("Fast MPI", "default", FAST["launches"], ranks=4)
        text = self.written(tmp_path, FAST, SET, SLOW, more)
        assert "Launches of each setting: 1 with 2 ranks and 3 with 4 ranks" in text
        assert "Load average before them: 1.5 in the middle, 1.5 .. 1.5" in text
        assert "**2 ranks**: at most 0.6 of the best default in 2 of 2 cells" in text
        assert "at most 0.9 of the best setting in 1 of them" in text
        assert "above 1.02 in 1 of 9 cells of all calls, sizes and settings, in 0 of them" in text
        assert "**4 ranks**: at most 0.6 of the best default in 2 of 2 cells" in text
        assert "| Fast MPI | default | 2 | bcast | 128 KiB | 30.0 | 2.00 (1.00 .. 2.20) |" in text

    def test_calls_without_data_are_told_apart(self, tmp_path: Path) -> None:
        text = self.written(tmp_path, FAST, SLOW)
        assert "| Fast MPI | 2 | 1000 | 600 | 0.60 |" in text
        assert "| bcast | 0 B |" not in text

    def test_rules_with_one_choice_are_told_once(self, tmp_path: Path) -> None:
        rules = [[0, "native"], [9, "native"], [70, "bcast/flat[shared_memory=1]"]]
        text = self.written(tmp_path, {**FAST, "choices": {"bcast": rules}})
        assert "| bcast | from 0 B `native`, from 70 B `bcast/flat[shared_memory=1]` |" in text

    def test_ranks_that_share_cores_are_not_said_to_lose_nothing(self, tmp_path: Path) -> None:
        assert self.written(tmp_path, FAST).count("Not measured yet.") == 2
        more = record("Fast MPI", "default", FAST["launches"], ranks=4)
        assert "Not measured yet." not in self.written(tmp_path, FAST, more)

    def test_what_failed_is_told(self, tmp_path: Path) -> None:
        failed = {**record("Broken MPI", "default", []), "problem": "it is not there"}
        text = self.written(tmp_path, FAST, failed)
        assert "* Broken MPI/default/2: it is not there" in text
        assert "no setting failed" in self.written(tmp_path, FAST)

    def test_a_limit_is_a_line_and_a_copy(self, tmp_path: Path) -> None:
        text = self.written(tmp_path, FAST)
        assert "| barrier | 0 B | | 100 | 6.00 | 10.00 | Fast MPI, default |" in text
        assert "| bcast | 128 KiB | 13.1 | 10,100 | 5.94 | 2.97 |" in text
