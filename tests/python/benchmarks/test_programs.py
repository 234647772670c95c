# SPDX-License-Identifier: Apache-2.0
"""The study of programs of others: equal results, and what its page says."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import tomllib
from places import repository

from espalier.sampling.samples import Point
from espalier.store.database import SessionFacts, Store

FOLDER = repository / "benchmarks" / "programs"
sys.path[:0] = [str(FOLDER), str(repository / "benchmarks")]

import equality  # noqa: E402
import loops  # noqa: E402
import pages  # noqa: E402
import place  # noqa: E402
import study  # noqa: E402
import turns  # noqa: E402

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


PLACES: dict[str, dict[str, Any]] = DECLARED["place"]
NODES = {name: one for name, one in PLACES.items() if "hosts" not in one}


class TestDeclaration:
    @pytest.mark.parametrize("there", PLACES.values(), ids=PLACES)
    @pytest.mark.parametrize("program", DECLARED["program"], ids=lambda one: one["name"])
    def test_every_program_shows_a_result(
        self, program: dict[str, Any], there: dict[str, Any]
    ) -> None:
        program = place.program_in(program, there)
        assert ("same" in program) != ("figures" in program)
        assert {"title", "what", "needs", "command"} <= program.keys()

    def test_inputs_are_there(self) -> None:
        commands = [
            place.program_in(program, there)["command"]
            for program in DECLARED["program"]
            for there in PLACES.values()
        ]
        words = [word for command in commands for word in command if "{here}" in word]
        assert words
        files = [place.filled(word, 1) for word in words]
        assert [path for path in files if not Path(path).is_file()] == []

    def test_names_are_different(self) -> None:
        names = [program["name"] for program in DECLARED["program"]]
        assert len(set(names)) == len(names)

    def test_a_node_needs_no_hosts(self) -> None:
        assert len(NODES) == len(PLACES) - 1
        assert {one["ranks"] for one in NODES.values()} == {2, 4}


class TestPlace:
    @pytest.mark.parametrize(
        ("num_ranks", "grid"), [(1, "1x1"), (2, "1x2"), (4, "2x2"), (6, "2x3"), (16, "4x4")]
    )
    def test_ranks_are_a_grid_close_to_a_square(self, num_ranks: int, grid: str) -> None:
        assert place.filled("{rows}x{columns}", num_ranks) == grid

    def test_input_may_be_another_on_a_node(self) -> None:
        program = {"name": "p", "what": "short", "on_node": {"what": "long"}}
        assert place.program_in(program, PLACES["hosts"])["what"] == "short"
        assert place.program_in(program, PLACES["cores"])["what"] == "long"

    def test_a_program_starts_with_the_options_of_the_place_and_its_own(
        self, tmp_path: Path
    ) -> None:
        program = {"launch": ["-x", "DIR=d"], "command": ["app", "{columns}"]}
        there = place.Place({"ranks": 4, "launch": ["--oversubscribe"]}, tmp_path)
        start = ["mpirun", "-n", "4", "-x", "OMP_NUM_THREADS", "--oversubscribe", "-x", "DIR=d"]
        assert there.command(program) == [*start, "app", "2"]

    def test_on_a_node_commands_run_as_they_are_and_learn_in_their_folder(
        self, tmp_path: Path
    ) -> None:
        there = place.Place(PLACES["cores"], tmp_path)
        words = ["/bin/sh", "-c", 'printf %s "$OMP_NUM_THREADS $XDG_STATE_HOME $PWD"']
        assert there.run(words) == f"1 {tmp_path / 'state'} {tmp_path}"

    def test_on_hosts_the_cluster_runs_commands(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shows = tmp_path / "shows"
        shows.write_text('#!/bin/sh\necho "$@"\n')
        shows.chmod(0o755)
        monkeypatch.setattr(place, "ESPALIER", shows)
        there = place.Place({"hosts": 3, "ranks_per_host": 2, "rate": "1gbit"}, tmp_path)
        words = "cluster run --hosts 3 --ranks-per-host 2 --rate 1gbit -- app x"
        assert there.run(["app", "x"]).split() == words.split()

    def test_only_hosts_have_links_with_a_rate_of_the_program(self, tmp_path: Path) -> None:
        program = {"name": "p", "rate": "1gbit", "prepare": "echo {columns} >input"}
        on_hosts = study.prepared(program, PLACES["hosts"], tmp_path)
        assert on_hosts.declared["rate"] == "1gbit"
        assert (on_hosts.folder / "input").read_text() == "4\n"
        assert "rate" not in study.prepared(program, PLACES["cores"], tmp_path).declared

    def test_each_place_keeps_data_of_its_own(self, tmp_path: Path) -> None:
        page = pages.module_of(FOLDER)
        data = tmp_path / "new"
        for name in PLACES:
            study.record(data, name, {"name": "p", "seconds": 1})
            study.record(data, name, {"name": "p", "place": name})
        for name in PLACES:
            assert page.recorded(data, name) == {"p": {"name": "p", "place": name}}


def call(**others: Any) -> dict[str, Any]:
    tuned = {"bytes": 8, "at_its_size": True, **others.pop("tuned", {})}
    return {"collective": "bcast", "num_ranks": 2, "num_nodes": 1, "tuned": tuned, **others}


class TestLoops:
    @pytest.fixture
    def store(self, tmp_path: Path) -> Path:
        path = tmp_path / "store.db"
        with Store(path) as store:
            for num_ranks, times in ((2, (3.0, 9.0, 4.0)), (4, (70.0,))):
                job = {"num_ranks": num_ranks, "num_nodes": 1}
                session = store.begin_session(SessionFacts(str(num_ranks), "", {}, job, {}))
                for stage, factor in (("screening", 100.0), ("race", 1.0)):
                    us = tuple(factor * time for time in times)
                    samples = {"bcast/flat": (0.5,), "native": us}
                    store.add_point(session, stage, Point("bcast", 7, 8, 10, samples))
        return path

    @pytest.mark.parametrize(
        ("wanted", "seconds"),
        [
            (call(), 4e-6),
            (call(num_ranks=4), 70e-6),
            (call(num_nodes=2), None),
            (call(collective="reduce"), None),
            (call(tuned={"bytes": 7}), None),
            (call(tuned={"at_its_size": False}), None),
            ({**call(), "tuned": None}, None),
        ],
    )
    def test_the_last_native_times_of_this_call_count(
        self, store: Path, wanted: dict[str, Any], seconds: float | None
    ) -> None:
        assert loops.native_seconds(store, wanted) == pytest.approx(seconds)


def test_on_a_node_the_page_says_how_long_the_costliest_call_takes_alone(tmp_path: Path) -> None:
    page = pages.module_of(FOLDER)
    shutil.copytree(DATA, tmp_path / "data")
    rows = page.recorded(DATA, "cores")
    costliest = next(iter(rows.values()))["calls"][0]
    costliest |= {"collective": "scan", "num_calls": 7, "seconds": 0.14, "loop_seconds": 1e-6}
    for row in rows.values():
        study.record(tmp_path / "data", "cores", row)
    assert ", 7 times 20.0 ms (1.00 us in a loop): " in page.text(DECLARED, tmp_path / "data")


def test_readme_has_the_table() -> None:
    page = pages.module_of(FOLDER)
    assert page.summary(DECLARED, DATA) in (repository / "README.md").read_text(encoding="utf-8")


def test_a_program_that_lost_its_gain_is_not_called_faster(tmp_path: Path) -> None:
    page = pages.module_of(FOLDER)
    shutil.copytree(DATA, tmp_path / "data")
    path = page.path_of(tmp_path / "data", page.HOSTS)
    rows = json.loads(path.read_text())
    rows[0]["profile"] = None
    assert page.line_of(rows[0]).startswith(f"{rows[0]['name']}: native calls are kept")


def test_kinds_of_runs_take_turns() -> None:
    runs: list[str] = []

    def run(kind: str) -> float:
        runs.append(kind)
        return float(len(runs))

    found = turns.in_turns(3, run)
    native, ours = turns.NATIVE, turns.OURS
    assert runs == [native, ours, ours, native, native, ours]
    assert found == {native: [1, 4, 5], ours: [2, 3, 6]}


def test_each_first_run_begins_without_lessons(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The command counts its runs in a file of the state folder, as lessons are kept there."""
    (tmp_path / "common").mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "common"))
    script = f'echo >>"$XDG_STATE_HOME/runs"; wc -l <"$XDG_STATE_HOME/runs" >>{tmp_path}/counts'
    words = ["turns.py", "2", "3", "--", "mpirun", "-n", "1", "/bin/sh", "-c", script]
    monkeypatch.setattr(sys, "argv", words)
    turns.main()
    counts = [int(line) for line in (tmp_path / "counts").read_text().split()]
    assert counts == [1, 2, 3, 4, 5, *[1] * 6]
    found = json.loads(capfd.readouterr().out)
    assert [len(found[kind]) for kind in (turns.NATIVE, turns.OURS)] == [2, 2]
    assert [len(found["first"][kind]) for kind in (turns.NATIVE, turns.OURS)] == [3, 3]


def test_runs_that_learn_are_compared_with_native_runs_beside_them(tmp_path: Path) -> None:
    page = pages.module_of(FOLDER)
    row = json.loads(page.path_of(DATA, page.HOSTS).read_text())[0]
    row["preloaded"] = {
        "native_seconds": [2.0, 2.0, 3.0, 6.0, 4.0],
        "seconds": [4.0, 2.0, 2.0, 2.0, 2.0],
    }
    page.path_of(tmp_path, page.HOSTS).write_text(json.dumps([row]))
    # The median of native runs is 3 s.
    assert "| 0.75x | 2.00x (1.50 .. 3.00) |" in page.summary(DECLARED, tmp_path)
    assert page.line_of(row).endswith("last runs 2.00x (1.50 .. 3.00)")
    row["preloaded"]["first"] = {"native_seconds": [2.0] * 6, "seconds": [4.0] * 6}
    page.path_of(tmp_path, page.HOSTS).write_text(json.dumps([row]))
    assert "| 0.50x (0.50 .. 0.50) | 2.00x" in page.summary(DECLARED, tmp_path)
