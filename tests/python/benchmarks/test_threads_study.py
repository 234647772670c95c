# SPDX-License-Identifier: Apache-2.0
"""The launches, the arithmetic and the page of the study of collectives among threads."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import tomllib
from places import repository

FOLDER = repository / "benchmarks" / "threads"
sys.path[:0] = [str(FOLDER.parent), str(FOLDER.parent / "reproduce")]

import pages  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

DECLARED = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
RESULTS = pages.module_of(FOLDER).results


def study() -> Any:
    """Return the module that makes the launches."""
    spec = importlib.util.spec_from_file_location("study_of_threads", FOLDER / "study.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reduce(algorithm: str, doubles: int, *us: float) -> Any:
    """Return a loose reduce of 8 threads."""
    return RESULTS.Kind(8, "reduce", algorithm, "loose", doubles, us)


def trees(*pairs: tuple[float, float]) -> dict[int, list[Any]]:
    """Return a chain and a flat tree of 1, 10, 100 .. doubles with these times."""
    return {
        10**i: [reduce("radix 1", 10**i, chain, chain), reduce("flat", 10**i, flat, flat)]
        for i, (chain, flat) in enumerate(pairs)
    }


def test_launches_are_united_by_kind() -> None:
    line = {"threads": 2, "call": "barrier", "algorithm": "pthread", "manner": "", "doubles": 0}
    chosen = {"threads": 2, "strict": "flat, pull pull"}
    lines = [{**line, "threads": 4, "us": 7.0}, {**line, "us": 1.0}, chosen, {**line, "us": 3.0}]
    records, barriers = study().united(lines)
    assert [(one["threads"], one["us"]) for one in records] == [(2, [1.0, 3.0]), (4, [7.0])]
    assert barriers == {"2": ["flat, pull pull"]}
    assert RESULTS.kinds_of(records)[0].median == 2.0


def test_names_tell_radix_and_signals() -> None:
    kind = RESULTS.Kind(8, "barrier", "radix 4, pull push", "", 0, (1.0,))
    assert (kind.radix, kind.signals, kind.is_tree) == ("radix 4", "pull push", True)
    assert not RESULTS.Kind(8, "barrier", "dissemination, radix 4", "", 0, (1.0,)).is_tree


def test_ratios_are_those_within_launches() -> None:
    found = RESULTS.ratio(reduce("flat", 8, 2.0, 40.0, 6.0), reduce("radix 1", 8, 1.0, 10.0, 2.0))
    assert (found.low, found.value, found.high) == (2.0, 3.0, 4.0)


@pytest.mark.parametrize(
    ("pairs", "crossover"),
    [
        ([(3, 1), (3, 1), (1, 2)], 100),
        ([(1, 3), (1, 2), (1, 2)], 1),
        ([(1, 3), (3, 1), (1, 2)], 100),
        ([(1, 3), (1, 3), (2, 1)], None),
    ],
)
def test_a_crossover_holds_for_all_longer_vectors(
    pairs: list[tuple[float, float]], crossover: int | None
) -> None:
    assert RESULTS.crossover(trees(*pairs)) == crossover


def test_a_wrong_crossover_costs_what_its_worst_size_loses() -> None:
    some = trees((4, 1), (3, 2), (1, 5))
    assert RESULTS.chosen_by(some, 100) == 1.0
    assert RESULTS.chosen_by(some, 1) == 4.0
    assert RESULTS.chosen_by(some, None) == 5.0


def test_strict_is_compared_with_loose_by_size() -> None:
    loose = [reduce("flat", 8, 1.0), reduce("radix 1", 8, 2.0)]
    strict = [RESULTS.Kind(8, "reduce", "flat", "strict", 8, (3.0,))]
    assert RESULTS.strict_over_loose([*loose, *strict], "reduce", 8) == {8: 3.0}


def test_the_table_marks_the_best_radix(tmp_path: Path) -> None:
    kept = json.loads((pages.PAGES / "data" / "threads.json").read_text(encoding="utf-8"))
    for record in kept["records"]:
        if (record["call"], record["doubles"], record["threads"]) == ("reduce", 1024, 8):
            record["us"] = [5.0 if record["algorithm"] == "radix 2" else 7.0] * len(record["us"])
    (tmp_path / "threads.json").write_text(json.dumps(kept), encoding="utf-8")
    (tmp_path / "dates.json").write_text('{"threads": "2026-01-01"}', encoding="utf-8")
    text = pages.text_of("threads", tmp_path)
    rows = [line for line in text.splitlines() if line.startswith("| 2 | 52.9 | **110** ")]
    assert len(rows) == 1
    assert rows[0].count("**5.00**") == 2


def test_every_kind_is_timed_in_every_launch(tmp_path: Path) -> None:
    program = repository / "build" / "release" / "bin" / "thread_times"
    if not program.exists():
        pytest.skip("thread_times is not built")
    words = [str(program), "3", "1", "0.01"]
    lines = study().launch(words)
    calls = {line["call"] for line in lines if "call" in line}
    assert calls == {"barrier", "reduce", "broadcast", "scatter", "gather"}
    study().keep([*lines, *lines], 0.5, tmp_path)
    kept = json.loads((tmp_path / "threads.json").read_text(encoding="utf-8"))
    assert {len(record["us"]) for record in kept["records"]} == {2}
    assert len(kept["strict"]["3"]) == 2


def test_a_wrong_command_line_is_refused() -> None:
    program = repository / "build" / "release" / "bin" / "thread_times"
    if not program.exists():
        pytest.skip("thread_times is not built")
    done = subprocess.run([program, "0", "1", "1"], check=False, capture_output=True, timeout=20)
    assert done.returncode == 2
    assert b"usage" in done.stderr


def test_a_study_is_declared_to_end_within_minutes() -> None:
    study_of = DECLARED["study"]
    assert study_of["num_threads"] == [2, 4, 8, 16]
    launch_seconds = 300 * study_of["sample_milliseconds"] * 1e-3 * (study_of["num_samples"] + 3)
    assert launch_seconds * len(study_of["num_threads"]) * study_of["num_launches"] < 240
