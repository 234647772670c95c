# SPDX-License-Identifier: Apache-2.0
"""The study of programs of others: equal results, and what its page says."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest
import tomllib
from places import repository

FOLDER = repository / "benchmarks" / "programs"
sys.path[:0] = [str(FOLDER), str(repository / "benchmarks")]

import equality  # noqa: E402
import pages  # noqa: E402
import turns  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

DECLARED: dict[str, Any] = tomllib.loads((FOLDER / "experiments.toml").read_text())
DATA = repository / "docs" / "benchmarks" / "data"


ENERGY: dict[str, Any] = {"figures": "^ENERGY", "tolerance": 1e-6}


class TestEquality:
    def compared(self, one: str, other: str, folder: Path) -> bool:
        lines = [equality.result_of(ENERGY, folder, text) for text in (one, other)]
        return bool(equality.compared(ENERGY, *lines)["equal"])

    @pytest.mark.parametrize(
        ("one", "other", "is_equal"),
        [
            ("ENERGY -17.1500001 a.u.\ntime 3", "ENERGY -17.1500002 a.u.\ntime 9", True),
            ("ENERGY -17.15", "ENERGY -17.16", False),
            ("ENERGY 1.0D-03", "ENERGY 1.0e-3", True),
            ("ENERGY 1 2", "ENERGY 1", False),
            ("ENERGY 0.0", "ENERGY 0", True),
            ("nothing", "nothing", False),
        ],
    )
    def test_figures_may_differ_by_their_rounding(
        self, one: str, other: str, *, is_equal: bool, tmp_path: Path
    ) -> None:
        assert self.compared(one, other, tmp_path) == is_equal

    def test_figures_can_be_in_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "log").write_text("ENERGY 5\n")
        program = {**ENERGY, "file": "log"}
        assert equality.result_of(program, tmp_path, "ENERGY 6") == ["ENERGY 5"]

    def test_files_are_equal_byte_by_byte(self, tmp_path: Path) -> None:
        program = {"same": "order"}
        found = []
        for text in ("1 2", "1 2", "1 2 "):
            (tmp_path / "order").write_text(text)
            found.append(equality.result_of(program, tmp_path, ""))
        assert equality.compared(program, found[0], found[1])["equal"]
        assert not equality.compared(program, found[0], found[2])["equal"]


class TestDeclaration:
    @pytest.mark.parametrize("program", DECLARED["program"], ids=lambda one: one["name"])
    def test_every_program_shows_a_result(self, program: dict[str, Any]) -> None:
        assert ("same" in program) != ("figures" in program)
        assert {"title", "what", "needs", "command"} <= program.keys()

    def test_inputs_are_there(self) -> None:
        words = [word for program in DECLARED["program"] for word in program["command"]]
        files = [word.format(here=FOLDER) for word in words if "{here}" in word]
        assert files
        assert [path for path in files if not (repository / path).is_file()] == []

    def test_names_are_different(self) -> None:
        names = [program["name"] for program in DECLARED["program"]]
        assert len(set(names)) == len(names)


def test_readme_has_the_table() -> None:
    page = pages.module_of(FOLDER)
    assert page.summary(DECLARED, DATA) in (repository / "README.md").read_text(encoding="utf-8")


def test_a_program_that_lost_its_gain_is_not_called_faster(tmp_path: Path) -> None:
    page = pages.module_of(FOLDER)
    shutil.copytree(DATA, tmp_path / "data")
    path = tmp_path / "data" / page.DATA
    rows = json.loads(path.read_text())
    rows[0]["profile"] = None
    assert page.line_of(rows[0]).startswith(f"{rows[0]['name']}: native calls are kept")


def test_kinds_of_runs_take_turns_after_one_that_warms_up() -> None:
    runs: list[str] = []

    def run(kind: str) -> float:
        runs.append(kind)
        return float(len(runs))

    found = turns.in_turns(3, run)
    native, ours = turns.NATIVE, turns.OURS
    assert runs == [native, native, ours, ours, native, native, ours]
    assert found == {native: [2, 5, 6], ours: [3, 4, 7]}


def test_runs_that_learn_are_compared_with_native_runs_beside_them(tmp_path: Path) -> None:
    page = pages.module_of(FOLDER)
    row = json.loads((DATA / page.DATA).read_text())[0]
    row["preloaded"] = {
        "native_seconds": [2.0, 2.0, 3.0, 6.0, 4.0],
        "seconds": [4.0, 2.0, 2.0, 2.0, 2.0],
    }
    (tmp_path / page.DATA).write_text(json.dumps([row]))
    # The median of native runs is 3 s.
    assert "| 0.75x | 2.00x (1.50 .. 3.00) |" in page.summary(DECLARED, tmp_path)
    assert page.line_of(row).endswith("last runs 2.00x (1.50 .. 3.00)")
