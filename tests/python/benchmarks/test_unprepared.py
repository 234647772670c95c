# SPDX-License-Identifier: Apache-2.0
"""The study of programs that are not prepared: its cells, runs, gains and page."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import tomllib
from places import repository

FOLDER = repository / "benchmarks" / "unprepared"
sys.path[:0] = [str(FOLDER), str(repository / "benchmarks")]

import cells  # noqa: E402
import gains  # noqa: E402
import measurement  # noqa: E402
import pages  # noqa: E402
import runs  # noqa: E402

from espalier import installation  # noqa: E402
from espalier.errors import ArgumentError, EnvironmentFault, FormatError  # noqa: E402
from espalier.launch.command import LaunchCommand  # noqa: E402
from espalier.launch.options import HYDRA, OPENMPI  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DECLARED: dict[str, Any] = tomllib.loads((FOLDER / "experiments.toml").read_text())
LOOP = {"stretches": 3, "calls_per_stretch": 10, "settled_calls": 20}
SMALL = DECLARED | {"loop": LOOP, "runs": DECLARED["runs"] | {"turns": 2}}
CELLS = cells.declared_cells(DECLARED)
# Two on the same hosts, and one on others.
FEW = [CELLS[0], CELLS[1], CELLS[-1]]


def record(name: str, native: float = 100.0, **ours: float) -> dict[str, Any]:
    """A record whose runs take so many microseconds in each stretch, in each of two turns."""
    times = {"native": native, "first": native, "second": native, "third": native, **ours}
    rows = {kind: [[value] * 3, [2 * value] * 3] for kind, value in times.items()}
    words = [[None, "allgather/ring", "native"]] * 2
    more: dict[str, Any] = {
        "busy_processors": 0.5,
        "bytes": 1024,
        "library": "Open MPI v4.1.4",
        "seconds": 3.0,
        "build": "b",
    }
    edges = {edge: {kind: [1000, 2000] for kind in times} for edge in gains.EDGES}
    return {"cell": name, "learned": words, **more, **rows, **edges}


class TestCells:
    def test_names_are_different(self) -> None:
        names = [cell.name for cell in cells.declared_cells(DECLARED, has_all_sizes=True)]
        assert len(set(names)) == len(names)
        assert "openmpi/4x4/100mbit/block/allgather/1KiB" in names

    def test_sizes_are_dealt_to_all_sides_of_each_factor(self) -> None:
        # Under Open MPI each collective and size is measured on both shapes, rates and placements.
        seen: dict[tuple[str, str], list[Any]] = collections.defaultdict(list)
        for cell in CELLS:
            if cell.mpi == "openmpi" and cell.collective != "barrier":
                seen[cell.collective, cell.size].append((cell.shape, cell.rate, cell.placement))
        assert len(seen) == 4 * (len(DECLARED["collectives"]) - 1)
        for places in seen.values():
            assert [len(set(column)) for column in zip(*places, strict=True)] == [2, 2, 2]

    def test_every_configuration_has_every_collective_once(self) -> None:
        where = [(cell.mpi, *cell.cluster, cell.placement, cell.collective) for cell in CELLS]
        assert len(set(where)) == len(where)
        assert len(where) == len(DECLARED["configuration"]) * len(DECLARED["collectives"])

    def test_cells_of_the_same_hosts_follow_each_other(self) -> None:
        clusters = [cell.cluster for cell in CELLS]
        changes = sum(one != other for one, other in itertools.pairwise(clusters))
        assert changes == len(set(clusters)) - 1

    def test_patterns_choose(self) -> None:
        chosen = cells.matching(CELLS, ["openmpi/8x4/*/bcast/*", "*/barrier/*"])
        assert {cell.collective for cell in chosen} == {"bcast", "barrier"}
        assert {cell.shape for cell in chosen if cell.collective == "bcast"} == {"8x4"}

    def test_a_pattern_that_matches_nothing_is_refused(self) -> None:
        with pytest.raises(ArgumentError, match="got 'allgathr'"):
            cells.matching(CELLS, ["*/bcast/*", "allgathr"])


class TestGains:
    def test_each_measure_looks_at_its_part(self) -> None:
        one = record("a") | {
            "native": [[100, 100, 100], [300, 300, 300]],
            "first": [[200, 100, 50], [600, 300, 150]],
            "second": [[100, 25, 25], [300, 75, 75]],
            "third": [[50, 50, 200], [300, 300, 300]],
        }
        found = {name: gain.value for name, gain in gains.gains_of(one, LOOP).items()}
        assert found == pytest.approx(
            {"first 10 calls": 0.5, "after 20 calls": 2.0, "second run": 2.0, "third run": 1.0}
        )

    def test_gains_are_of_runs_of_the_same_turn(self) -> None:
        # The machine was ten times as slow in the second turn.
        one = record("a") | {"native": [[10] * 3, [100] * 3], "second": [[5] * 3, [50] * 3]}
        gain = gains.gains_of(one, LOOP)["second run"]
        assert (gain.low, gain.high) == pytest.approx((2.0, 2.0))

    @pytest.mark.parametrize(("native", "first"), [(0.4, 0.46), (40.0, 40.5)])
    def test_learning_may_cost_its_bound(self, native: float, first: float) -> None:
        bound = {"seconds": 0.05, "share": 0.01}
        one = record("a") | {"native": [[1e6 * native]], "first": [[1e6 * first]]}
        allowed = max(0.05, 0.01 * first)
        assert gains.excess_of(one, bound).value == pytest.approx(first - native - allowed)

    def test_starting_is_compared_with_the_native_run_of_the_turn(self) -> None:
        one, other = record("a"), record("b")
        one["init_us"] = {"native": [1000, 9000], "first": [3000, 11000], "second": [1000, 8000]}
        other["init_us"] = {"native": [5000, 5000], "first": [8000, 6000], "second": [5000, 5000]}
        added = gains.added_at_edge([one, other], "init_us", "first")
        assert (added.value, added.low, added.high) == pytest.approx((0.002, 0.001, 0.003))
        assert gains.added_at_edge([one, other], "init_us", "second").value == 0

    def test_the_mean_is_geometric(self) -> None:
        assert gains.geometric_mean([0.5, 2.0, 8.0]) == pytest.approx(2.0)

    def test_what_is_below_is_found_the_lowest_first(self) -> None:
        records = [record("a", second=110), record("b", third=200), record("c", second=104)]
        low = gains.below(records, LOOP, 0.95)
        assert [(one["cell"], name) for one, name, _ in low] == [
            ("b", "third run"),
            ("a", "second run"),
        ]

    def test_the_native_run_takes_each_place_and_lessons_keep_their_order(self) -> None:
        orders = [gains.order_of_turn(turn) for turn in range(4)]
        assert {order.index("native") for order in orders} == {0, 1, 2, 3}
        for order in orders:
            assert [kind for kind in order if kind != "native"] == list(gains.LEARNING)

    def test_records_are_read_as_written(self, tmp_path: Path) -> None:
        path = tmp_path / "cells.json"
        assert gains.read(path) == {}
        path.write_text(gains.text_of([record("a"), record("b")]))
        assert gains.read(path) == {"a": record("a"), "b": record("b")}


def line_for(cell: cells.Cell, **other: Any) -> str:
    """What the loop prints."""
    line = {"collective": cell.collective, "num_ranks": cell.num_ranks, "checksum": "c"}
    line |= {"library": "Open MPI v4.1.4", "bytes": cell.num_bytes, "stretch_us": [5, 4, 3]}
    line |= dict.fromkeys(gains.EDGES, 7)
    return json.dumps(line | other) + "\n"


class TestRuns:
    def test_the_last_line_counts(self) -> None:
        text = "a warning\n" + line_for(FEW[0])
        assert runs.parse(text, FEW[0], LOOP)["stretch_us"] == [5, 4, 3]

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "no line\n",
            "[]\n",
            line_for(FEW[0], num_ranks=1),
            line_for(FEW[0], collective="scan"),
            line_for(FEW[0], stretch_us=[5, 4]),
            line_for(FEW[0], stretch_us=[5, 0, 4]),
            line_for(FEW[0], init_us=0),
            line_for(FEW[0], finalize_us=None),
        ],
    )
    def test_other_lines_are_refused(self, text: str) -> None:
        with pytest.raises(FormatError):
            runs.parse(text, FEW[0], LOOP)

    @pytest.mark.parametrize(("family", "flag"), [(OPENMPI, "-x"), (HYDRA, "-genv")])
    def test_only_ranks_that_learn_are_preloaded(self, family: Any, flag: str) -> None:
        launcher = LaunchCommand((), "mpirun", (), ("loop",), family, family.name, "4")
        program = runs.Program(Path("/b/loop"), Path("/b/ours.so"), launcher)
        words = ["mpirun", "-n", "16", "/b/loop", FEW[0].collective, str(FEW[0].num_bytes)]
        assert program.words(FEW[0], LOOP, None) == [*words, "3", "10"]
        ours = program.words(FEW[0], LOOP, Path("/f/lessons.json"))
        text = " ".join(ours).replace("=", " ")
        assert f"{flag} LD_PRELOAD /b/ours.so" in text
        assert f"{flag} ESPALIER_LEARN on" in text
        assert f"{flag} ESPALIER_MEMORY /f/lessons.json" in text
        assert ours[-7:] == [*words[1:], "3", "10"]

    def test_other_loops_and_builds_have_other_fingerprints(self, tmp_path: Path) -> None:
        files = [tmp_path / name for name in ("loop", "ours.so", "newer.so")]
        for path in files:
            path.write_text(path.name)
        launcher = LaunchCommand((), "mpirun", (), ("loop",), OPENMPI, "openmpi", "4")
        program = runs.Program(files[0], files[1], launcher)
        newer = dataclasses.replace(program, library=files[2])
        words = {
            program.fingerprint(LOOP, 3),
            program.fingerprint(LOOP, 4),
            program.fingerprint(LOOP | {"stretches": 4}, 3),
            newer.fingerprint(LOOP, 3),
        }
        assert len(words) == 4

    def test_what_was_learned_is_that_of_the_call(self, tmp_path: Path) -> None:
        path = tmp_path / "lessons.json"
        cell = dataclasses.replace(FEW[0], collective="bcast")
        assert runs.learned(path, cell) is None
        rules = [
            {"collective": "barrier", "algorithm": "native"},
            {"collective": "bcast", "algorithm": "bcast/flat"},
        ]
        path.write_text(json.dumps({"rules": rules}))
        assert runs.learned(path, cell) == "bcast/flat"
        path.write_text(json.dumps({"rules": rules[:1]}))
        assert runs.learned(path, cell) is None


@dataclasses.dataclass
class Hosts:
    """Stands in for emulated hosts: what was started, and what runs answer."""

    started: list[tuple[int, int, str]] = dataclasses.field(default_factory=list)
    commands: list[tuple[str, Sequence[str]]] = dataclasses.field(default_factory=list)
    broken: str = ""
    checksums: list[str] = dataclasses.field(default_factory=lambda: ["c"])

    @contextlib.contextmanager
    def start(self, num_hosts: int, ranks_per_host: int, *, rate: str) -> Iterator[Hosts]:
        self.started.append((num_hosts, ranks_per_host, rate))
        yield self

    def run(self, _: Hosts, cell: cells.Cell, words: Sequence[str], seconds: float) -> str:
        assert seconds == DECLARED["runs"]["limit_seconds"]
        self.commands.append((cell.name, words))
        if cell.name == self.broken:
            raise EnvironmentFault("expected an end, got none")
        return line_for(cell, checksum=self.checksums[len(self.commands) % len(self.checksums)])


class Build:
    """Stands in for the loop of an MPI."""

    word = "one"

    def fingerprint(self, loop: dict[str, int], num_turns: int) -> str:
        return f"{self.word} {loop['stretches']} {num_turns}"

    def words(self, _cell: cells.Cell, _loop: dict[str, int], lessons: Path | None) -> list[str]:
        if lessons is None:
            return ["native"]
        words = ["learning", "after others" if lessons.exists() else "alone"]
        lessons.write_text('{"rules": []}')
        return words


class TestMeasurement:
    @pytest.fixture
    def hosts(self, monkeypatch: pytest.MonkeyPatch) -> Hosts:
        hosts = Hosts()
        monkeypatch.setattr(measurement, "EmulatedCluster", hosts.start)
        monkeypatch.setattr(runs, "run", hosts.run)
        monkeypatch.setattr(measurement, "look_around", lambda: 0.5)
        return hosts

    @pytest.fixture
    def study(self, tmp_path: Path) -> measurement.Study:
        build: Any = Build()
        programs = {"openmpi": build, "mpich": build}
        return measurement.Study(SMALL, programs, tmp_path / "lessons", time.monotonic() + 60)

    def measure(self, study: measurement.Study, path: Path, **how: bool) -> tuple[list[str], Any]:
        """Return what is missing, and the cells that were measured."""
        said: list[str] = []
        missing = measurement.measure(
            study, FEW, path, lambda found: said.append(found["cell"]), **how
        )
        return [cell.name for cell in missing], said

    def test_each_turn_has_a_native_run_and_begins_without_lessons(
        self, hosts: Hosts, study: measurement.Study, tmp_path: Path
    ) -> None:
        assert self.measure(study, tmp_path / "cells.json")[0] == []
        assert hosts.started == [FEW[0].cluster, FEW[2].cluster]
        mine = [" ".join(words) for name, words in hosts.commands if name == FEW[0].name]
        alone, after = "learning alone", "learning after others"
        assert mine == ["native", alone, after, after, alone, "native", after, after]

    def test_what_is_known_is_not_measured_again(
        self, hosts: Hosts, study: measurement.Study, tmp_path: Path
    ) -> None:
        path = tmp_path / "cells.json"
        names = [cell.name for cell in FEW]
        assert self.measure(study, path) == ([], names)
        assert self.measure(study, path) == ([], [])
        assert self.measure(study, path, again=True) == ([], names)
        study.programs["mpich"].word = "another"  # type: ignore[attr-defined]
        assert self.measure(study, path) == ([], names)
        assert hosts.started[0] == FEW[0].cluster

    def test_each_cell_is_kept_at_once_and_failures_are_repeated(
        self, hosts: Hosts, study: measurement.Study, tmp_path: Path
    ) -> None:
        path = tmp_path / "cells.json"
        hosts.broken = FEW[0].name
        assert self.measure(study, path)[0] == [FEW[0].name]
        # What hangs is left with its hosts: the next cell has new ones.
        assert hosts.started == [FEW[0].cluster, FEW[0].cluster, FEW[2].cluster]
        assert "expected an end" in gains.read(path)[FEW[0].name]["problem"]
        hosts.broken = ""
        assert self.measure(study, path) == ([], [FEW[0].name])

    def test_nothing_begins_when_the_time_is_over(
        self, hosts: Hosts, study: measurement.Study, tmp_path: Path
    ) -> None:
        late = dataclasses.replace(study, deadline=time.monotonic())
        missing, said = self.measure(late, tmp_path / "cells.json")
        assert (missing, said, hosts.started) == ([cell.name for cell in FEW], [], [])

    def test_what_else_the_machine_does_is_seen(self) -> None:
        rows = ["cpu0 1 1 1 1 0 0 0 0 0 0", "cpu1 1 1 1 1 0 0 0 0 0 0", "intr 5"]
        before = "\n".join(["cpu  10 0 10 100 20 0 0 0 0 0", *rows])
        # Of 40 ticks of two processors 10 were idle, and 10 waiting for a disk.
        after = "\n".join(["cpu  25 0 15 110 30 0 0 0 7 0", *rows])
        assert measurement.busy_processors(before, after) == 1.0
        assert 0 <= measurement.look_around() <= (os.cpu_count() or 1)

    def test_other_results_are_a_problem(
        self, hosts: Hosts, study: measurement.Study, tmp_path: Path
    ) -> None:
        hosts.checksums = ["c", "d", "c"]
        path = tmp_path / "cells.json"
        assert self.measure(study, path)[0] == [cell.name for cell in FEW]
        assert "expected equal results" in gains.read(path)[FEW[0].name]["problem"]


class TestPage:
    page = pages.module_of(FOLDER)

    def text(self, folder: Path, *records: dict[str, Any]) -> str:
        (folder / self.page.DATA).write_text(gains.text_of(records))
        (folder / "dates.json").write_text(json.dumps({self.page.STUDY: "2026-11-23"}))
        return str(self.page.text(SMALL, folder))

    def test_losers_are_named_with_what_they_learned(self, tmp_path: Path) -> None:
        text = self.text(
            tmp_path, record(FEW[0].name, second=50), record(FEW[2].name, second=125, first=50)
        )
        assert f"| `{FEW[2].name}` | second run | 0.45 | 0.80x (0.80 .. 0.80) | native |" in text
        assert f"`{FEW[0].name}`" not in text
        # The square root of 2 and 0.8.
        assert "Reached: 1.26, and 1 of 2 cells below." in text
        assert "| all | 2 | 1.41x | 1.41x | 1.26x | 1.00x |" in text
        assert f"| collective: {FEW[0].collective} | 1 | 1.00x | 1.00x | 2.00x | 1.00x |" in text

    def test_where_nothing_is_below_the_page_says_so(self, tmp_path: Path) -> None:
        text = self.text(tmp_path, record(FEW[0].name))
        assert "No cell is below 0.95." in text
        assert "No first run took longer than that." in text
        assert "- no cell failed" in text

    def test_sizes_that_were_not_measured_are_counted(self, tmp_path: Path) -> None:
        text = self.text(tmp_path, *(record(cell.name) for cell in CELLS[1:]))
        missing = f"Declared cells that were not measured: 1 of {CELLS[0].size}."
        assert missing in text
        text = self.text(tmp_path, *(record(cell.name) for cell in CELLS))
        assert "All declared cells were measured." in text

    def test_first_runs_beyond_the_bound_are_named(self, tmp_path: Path) -> None:
        # Three stretches of 100 ms against 120 ms, then of 200 ms against 240 ms: 60 ms and 120 ms
        # longer, of which 50 ms are allowed.
        text = self.text(tmp_path, record(FEW[0].name, native=1e5, first=1.2e5))
        assert f"| `{FEW[0].name}` | 450 | 40 (10 .. 70) |" in text

    def test_each_mpi_and_its_hosts_have_a_row_for_starting_and_ending(
        self, tmp_path: Path
    ) -> None:
        one = record(FEW[0].name)
        one["init_us"]["first"] = [5000, 6000]
        one["finalize_us"]["second"] = [500, 1500]
        text = self.text(tmp_path, one, record(FEW[2].name))
        mpi, hosts, *_ = FEW[0].name.split("/")
        assert f"| {mpi} | {hosts} | first run | 4 (4 .. 4) | 0 (0 .. 0) |" in text
        assert f"| {mpi} | {hosts} | second run | 0 (0 .. 0) | -0.5 (-0.5 .. -0.5) |" in text
        assert text.count("| second run | 0 (0 .. 0) |") == len(
            {tuple(cell.name.split("/")[:2]) for cell in (FEW[0], FEW[2])}
        )

    def test_a_cell_that_failed_is_named_and_is_in_no_mean(self, tmp_path: Path) -> None:
        failed = {"cell": FEW[2].name, "build": "b", "seconds": 1.0, "problem": "no end"}
        text = self.text(tmp_path, record(FEW[0].name, second=50), failed)
        assert f"- `{FEW[2].name}`: no end" in text
        assert "| all | 1 | 1.00x | 1.00x | 2.00x | 1.00x |" in text
        assert self.page.line_of(failed, SMALL) == f"{FEW[2].name}: FAILED: no end"
        assert self.page.summary(SMALL, [failed]).startswith("no cell was measured")


# Bytes of the whole result if 100 are wanted, rounded up for three ranks; barriers have none.
ROUNDED = {"allreduce": 104, "bcast": 100, "reduce": 104, "scan": 104, "barrier": 0}
ROUNDED |= {"reduce_scatter_block": 120}


def loop_words(vendor: str) -> list[str]:
    """Return what starts three ranks of the loop; skip the test if that is not possible."""
    folder = installation.build_folder()
    path = None if folder is None else folder / "bin" / f"call_loop_{vendor}"
    launcher = shutil.which(f"mpirun.{vendor}")
    if path is None or not path.is_file() or launcher is None:
        pytest.skip(f"call_loop_{vendor} is not built or {vendor} is not installed")
    options = []
    if vendor == "openmpi":
        options = ["--oversubscribe", "--bind-to", "none", "--mca", "btl", "vader,self"]
        options += ["--mca", "mpi_yield_when_idle", "1"]
    return [launcher, *options, "-n", "3", str(path)]


def run_loop(
    vendor: str, *arguments: object, variables: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run three ranks of the loop, with more variables such as `NAME=value`."""
    *launcher, program = loop_words(vendor)
    return subprocess.run(
        [*launcher, "env", *variables, program, *map(str, arguments)],
        env=os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


@pytest.mark.mpi
@pytest.mark.parametrize("vendor", installation.vendors)
class TestLoop:
    def test_every_declared_collective_is_called(self, vendor: str) -> None:
        checksums = {}
        for collective in DECLARED["collectives"]:
            num_bytes = 0 if collective == "barrier" else 100
            done = run_loop(vendor, collective, num_bytes, 2, 3)
            assert done.returncode == 0, done.stderr
            cell = cells.Cell(vendor, 1, 3, "none", "block", collective, num_bytes)
            line = runs.parse(done.stdout, cell, {"stretches": 2})
            assert line["bytes"] == ROUNDED.get(collective, 102)
            assert re.match(r"Open MPI v|MPICH", line["library"])
            checksums[collective] = line["checksum"]
        assert checksums.pop("barrier") == "0"
        assert "0" not in checksums.values()

    def test_nothing_but_the_call_can_be_served(self, vendor: str, tmp_path: Path) -> None:
        library = installation.shim_library(vendor)
        if library is None:
            pytest.skip(f"libespalier-{vendor}.so is not built")
        variables = [f"LD_PRELOAD={library}", f"ESPALIER_STATISTICS={tmp_path}"]
        done = run_loop(vendor, "bcast", 8, 2, 3, variables=variables)
        assert done.returncode == 0, done.stderr
        calls = json.loads((tmp_path / "rank-0.json").read_text())["calls"]
        assert [(row["function"], row["count"]) for row in calls] == [("MPI_Bcast", 6)]

    def test_other_arguments_are_refused(self, vendor: str) -> None:
        done = run_loop(vendor, "allgathr", 8, 2, 3)
        assert done.returncode != 0
        assert "expected COLLECTIVE BYTES" in done.stderr
