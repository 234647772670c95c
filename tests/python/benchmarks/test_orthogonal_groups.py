# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the study of orthogonal groups."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
import tomllib
from places import repository

from espalier import _core

FOLDER = repository / "benchmarks" / "reproduce" / "orthogonal-groups"
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

import group_layouts as layouts  # noqa: E402
import group_reductions  # noqa: E402
from simulated_times import (  # noqa: E402
    Limits,
    Place,
    Time,
    measure_times,
    read_times,
    table,
    write_times,
)

from espalier.errors import MpiError  # noqa: E402
from espalier.sampling.measurement import Launch  # noqa: E402
from espalier.sampling.samples import Point  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from espalier.sampling.samples import Request
    from espalier.sampling.simulation import SimulatedJob

DECLARED: dict[str, Any] = tomllib.loads((FOLDER / "experiments.toml").read_text())


def test_layouts_are_those_of_the_paper() -> None:
    assert layouts.two_factor_layouts(48) == [
        *("2x24", "3x16", "4x12", "6x8", "8x6", "12x4", "16x3", "24x2")
    ]
    assert len(layouts.two_factor_layouts(96)) == 10
    assert layouts.two_factor_layouts(7) == []


@pytest.mark.parametrize("num_ranks", [32, 48, 96])
def test_every_declared_layout_is_a_schedule_for_its_ranks(num_ranks: int) -> None:
    for operation in DECLARED["operations"]:
        names = layouts.two_factor_layouts(num_ranks) + layouts.three_factor_layouts(
            DECLARED["three_phases"], operation["name"], num_ranks
        )
        for phase in operation["phases"]:
            for name in names:
                choice = layouts.choice_of(operation["name"], name, phase)
                assert _core.refuses(choice, num_ranks) == ""
                assert layouts.layout_of(_core.canonical(choice), num_ranks) == name


def test_reduction_is_of_the_old_time() -> None:
    assert layouts.reduction(10.0, 6.0) == 40.0
    assert layouts.reduction(10.0, 12.5) == -25.0
    assert layouts.range_of([10.0, -2.0, 4.0]) == layouts.Range(-2.0, 4.0, 10.0)


def test_best_single_layout_has_the_best_mean_and_is_balanced_among_equals() -> None:
    assert layouts.best_single({"2x24": [0.0, 10.0], "6x8": [4.0, 5.0]}) == "2x24"
    assert layouts.best_single({"2x24": [5.0], "6x8": [5.0], "24x2": [5.0]}) == "6x8"


def test_selection_keeps_native_where_nothing_wins_and_joins_neighbours() -> None:
    chosen = layouts.select(
        {1: 10.0, 2: 20.0, 4: 40.0, 8: 80.0},
        {
            "2x24": {1: 9.0, 2: 19.0, 4: 41.0, 8: 80.0},
            "6x8": {1: 9.5, 2: 19.5, 4: 42.0, 8: 81.0},
        },
    )
    assert chosen == [layouts.Interval(1, 2, "2x24"), layouts.Interval(4, 8, "native")]


def test_series_have_their_own_schedule_of_phases() -> None:
    times = [
        Time("star", 48, "bcast", 8, "native:ompi", 10.0),
        Time("star", 48, "bcast", 8, "bcast/flat", 8.0),
        Time("star", 48, "bcast", 8, "bcast/binomial", 5.0),
        Time("star", 48, "bcast", 8, layouts.choice_of("bcast", "6x8", "flat"), 4.0),
        Time("star", 48, "bcast", 8, layouts.choice_of("bcast", "2x4x6", "flat"), 2.0),
        Time("star", 48, "bcast", 8, layouts.choice_of("bcast", "6x8", "binomial"), 5.0),
    ]
    (flat,) = group_reductions.series_of(times, "bcast", "flat")
    assert flat.sizes == [8]
    assert flat.reductions("native:ompi", 2) == {"6x8": [60.0]}
    assert flat.reductions("like", 2) == {"6x8": [50.0]}
    assert flat.reductions("like", 3) == {"2x4x6": [75.0]}
    (binomial,) = group_reductions.series_of(times, "bcast", "binomial")
    assert binomial.reductions("like", 2) == {"6x8": [0.0]}


def test_times_are_read_as_written(tmp_path: Path) -> None:
    times = [Time("Xeon, SCI", 32, "bcast", 8, "bcast/orthogonal[rows=2,inner=flat]", 1.25)]
    write_times(times, tmp_path / "times.csv")
    assert read_times(tmp_path / "times.csv") == times


def test_each_peer_has_a_launch_and_so_have_the_schedules() -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    def launch(job: SimulatedJob, requests: Sequence[Request], seconds: float) -> Launch:
        assert seconds == 3
        algorithms = requests[0].algorithms
        asked.append((job.peer, algorithms))
        if job.peer == "impi":
            raise MpiError("expected a start, got none")
        point = Point("bcast", 8, 8, 1, dict.fromkeys(("native", *algorithms), (2.0,)))
        return Launch(points=[point], num_points_left=1, failure="took longer than 3 s")

    place = Place("star", "4n[latency=1us]", 4)
    limits = Limits(("ompi", "impi"), 3)
    times, missing = measure_times(place, "bcast", {8: ["bcast/flat"], 16: []}, limits, launch)
    assert asked == [("mpich", ("bcast/flat",)), ("ompi", ()), ("impi", ())]
    assert [one.name for one in times] == ["bcast/flat", "native:ompi"]
    assert len(missing) == 3
    assert "schedules: 1 sizes: took longer" in missing[0]
    assert "expected a start" in missing[2]
    asked.clear()
    measure_times(place, "bcast", {8: []}, Limits(("ompi",), 3), launch)
    assert asked == [("ompi", ())]


def test_a_table_is_markdown() -> None:
    assert table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |\n"
