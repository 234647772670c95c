#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201
"""How much of nonblocking collectives is hidden behind work, on emulated hosts.

Usage: study.py [--calls NAME ...] [--data FOLDER] [--simulated | --learned]. It measures the calls
of experiments.toml, or those that are named; without names, the records are kept in FOLDER, for the
page that benchmarks/pages.py writes. --learned measures runs that are only preloaded and learn from
each other. Needs root.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
sys.path[:0] = [str(FOLDER), *(str(FOLDER.parent / name) for name in ("reproduce", "unprepared"))]
sys.path.insert(0, str(ROOT / "python"))

import page  # noqa: E402
import runs  # noqa: E402
from measurement import look_around  # noqa: E402
from simulated_times import note_date  # noqa: E402

from espalier import installation  # noqa: E402
from espalier.clusters import EmulatedCluster, SimulatedCluster  # noqa: E402
from espalier.errors import EnvironmentFault, Error, FormatError, NotBuiltError  # noqa: E402
from espalier.launch.command import parse_command  # noqa: E402
from espalier.launch.environment import with_environment  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from espalier.launch.command import LaunchCommand

DATA = ROOT / "docs" / "benchmarks" / "data"
_THREAD = {"ESPALIER_PROGRESS": "thread"}


@dataclass(frozen=True)
class Cell:
    """A call, and how it is tested while its ranks work."""

    mpi: str
    call: str
    num_bytes: int
    num_tests: int
    placement: str = "block"


@dataclass(frozen=True)
class Bench:
    """The program on emulated hosts."""

    cluster: EmulatedCluster
    declared: Mapping[str, Any]
    program: LaunchCommand
    library: Path

    @classmethod
    def on(cls, cluster: EmulatedCluster, declared: Mapping[str, Any]) -> Bench:
        """Return what `make bench-overlap` builds.

        Raises:
            NotBuiltError: the program or the library is missing.
            MpiError: the launcher is.
        """
        mpi = declared["mpi"]
        library, folder = installation.shim_library(mpi), installation.build_folder()
        path = None if folder is None else folder / "bin" / f"overlap_{mpi}"
        if library is None or path is None or not path.is_file():
            raise NotBuiltError(
                f"expected overlap_{mpi} and libespalier-{mpi}.so in {folder}, found not both",
                "run make bench-overlap",
            )
        return cls(cluster, declared, parse_command([f"mpirun.{mpi}", str(path)]), library)

    def run(
        self,
        cell: Cell,
        work_us: int,
        variables: Mapping[str, str] | None = None,
        num_rounds: int | None = None,
    ) -> dict[str, Any]:
        """Return what a run printed.

        Args:
            cell: What is called.
            work_us: Microseconds of work beside each call.
            variables: For ours; None for the MPI library alone.
            num_rounds: None for those that are declared.

        Raises:
            EnvironmentFault: it failed, or took too long.
            FormatError: it printed something else.
        """
        rounds = num_rounds or self.declared["loop"]["rounds"]
        numbers = (cell.num_bytes, work_us, cell.num_tests, rounds)
        num_ranks = self.declared["cluster"]["hosts"] * self.declared["cluster"]["ranks_per_host"]
        started = replace(
            self.program,
            options=("-n", str(num_ranks)),
            program=(*self.program.program, cell.call, *map(str, numbers)),
        )
        words = started.words()
        if variables is not None:
            preload = {"LD_PRELOAD": runs.preloaded(self.library)}
            words = with_environment(started, {**preload, **variables}).words
        output = runs.run(self.cluster, cell, words, self.declared["runs"]["limit_seconds"])
        try:
            found: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
        except (IndexError, ValueError) as error:
            raise FormatError(f"expected a line of JSON, got '{output[-80:]}'") from error
        return found


def forced(cell: Cell, algorithm: str, *, has_thread: bool = False) -> dict[str, str]:
    """Return the variables with which an algorithm of ours serves the call."""
    variables = {"ESPALIER_LEARN": "off", "ESPALIER_FORCE": f"{cell.call}={algorithm}"}
    return variables | (_THREAD if has_thread else {})


def beside(found: Mapping[str, Any]) -> float:
    """Return the microseconds of a call beside work, in the middle round of a run."""
    return float(statistics.median(found["beside_us"]))


def fastest(bench: Bench, cell: Cell, work_us: int, algorithms: Sequence[str]) -> str:
    """Return the algorithm with which a call beside work takes least time, in a run of each."""
    times = {name: beside(bench.run(cell, work_us, forced(cell, name))) for name in algorithms}
    return min(times, key=lambda name: times[name])


def time_alone(bench: Bench, cell: Cell) -> int:
    """Return the microseconds of a native call without work."""
    return round(statistics.median(bench.run(cell, 0)["alone_us"]))


def measure(bench: Bench, cell: Cell, algorithms: Sequence[str]) -> page.Record:
    """Return the times of a cell: of the native call, of ours, and of ours with a thread.

    Raises:
        EnvironmentFault: a run failed, or has other results.
    """
    busy = look_around()
    work_us = time_alone(bench, cell)
    algorithm = fastest(bench, cell, work_us, algorithms)
    variants = {
        page.NATIVE: None,
        page.OURS: forced(cell, algorithm),
        page.THREAD: forced(cell, algorithm, has_thread=True),
    }
    record: page.Record = {
        "call": cell.call,
        "bytes": cell.num_bytes,
        "tests": cell.num_tests,
        "work_us": work_us,
        "algorithm": algorithm,
        "busy_processors": busy,
        "us": {name: {"alone": [], "beside": []} for name in variants},
    }
    checksums = set()
    for turn in range(bench.declared["runs"]["turns"]):
        names = list(variants)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            found = bench.run(cell, work_us, variants[name])
            record["library"] = found["library"]
            checksums.add(found["checksum"])
            record["us"][name]["alone"].append(statistics.median(found["alone_us"]))
            record["us"][name]["beside"].append(beside(found))
    if len(checksums) > 1:
        raise EnvironmentFault(f"expected equal results, got checksums {sorted(checksums)}")
    return record


def learn(bench: Bench, cell: Cell) -> page.Record:
    """Return the times of runs that learn from each other, in turns with native ones.

    Raises:
        EnvironmentFault: a run failed, or has other results.
    """
    declared = bench.declared["learned"]
    record: page.Record = {"call": cell.call, "bytes": cell.num_bytes, "tests": cell.num_tests}
    record |= {"busy_processors": look_around(), "work_us": time_alone(bench, cell)}
    record["us"] = {page.NATIVE: [], page.OURS: []}
    checksums = set()
    with tempfile.TemporaryDirectory() as folder:
        memory = Path(folder) / "memory.json"
        # The barrier before each call stays the same: ranks leave others at other times.
        learning = {"ESPALIER_LEARN": "on", "ESPALIER_FORCE": "barrier=native"}
        variants = {page.NATIVE: None, page.OURS: {**learning, "ESPALIER_MEMORY": str(memory)}}
        for turn in range(declared["runs"]):
            for name in sorted(variants, reverse=turn % 2 == 0):
                found = bench.run(cell, record["work_us"], variants[name], declared["rounds"])
                checksums.add(found["checksum"])
                record["us"][name].append(beside(found))
        record["algorithm"] = algorithm_in(memory, cell.call)
    if len(checksums) > 1:
        raise EnvironmentFault(f"expected equal results, got checksums {sorted(checksums)}")
    return record


def algorithm_in(memory: Path, call: str) -> str | None:
    """Return what was learned of a call; None if it is not decided."""
    if not memory.exists():
        return None
    rules = json.loads(memory.read_text(encoding="utf-8"))["rules"]
    return next((rule["algorithm"] for rule in rules if rule["collective"] == call), None)


def cells_to_learn(declared: Mapping[str, Any], names: Sequence[str]) -> Iterator[Cell]:
    """Yield the declared cells of some calls of which a program is to learn."""
    for name, sizes in declared["learned"]["calls"].items():
        if name in names:
            for size in sizes:
                yield Cell(declared["mpi"], name, size, num_tests=0)


def cells_of(declared: Mapping[str, Any], names: Sequence[str]) -> Iterator[Cell]:
    """Yield the declared cells of some calls."""
    for name in names:
        for size in declared["calls"][name]["sizes"]:
            for num_tests in declared["loop"]["tests"]:
                yield Cell(declared["mpi"], name, size, num_tests)


def simulated_times(declared: Mapping[str, Any], cell: Cell) -> list[page.Record]:
    """Return what each way takes on the simulated machine: the library's, and ours.

    Raises:
        EnvironmentFault: the program failed.
    """
    place = declared["simulated"]
    program = ROOT / "build" / "release" / "bin" / "overlap_smpi"
    algorithms = declared["calls"][cell.call]["algorithms"]
    words = [str(program), cell.call, str(cell.num_bytes), str(cell.num_tests), *algorithms]
    with SimulatedCluster(place["machine"], place["ranks"]) as there:
        done = there.run(words, timeout_seconds=600)
    if done.returncode != 0:
        raise EnvironmentFault(f"expected {program.name} to succeed, it wrote {done.stderr}")
    times = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    named = {"call": cell.call, "bytes": cell.num_bytes, "tests": cell.num_tests}
    ways = dict.fromkeys(one["way"] for one in times)
    return [
        {**named, **min((o for o in times if o["way"] == way), key=lambda o: o["beside_us"])}
        for way in ways
    ]


def simulate(declared: Mapping[str, Any]) -> int:
    """Time all calls on the simulated machine, and keep the times."""
    records = []
    for cell in cells_of(declared, declared["simulated"]["calls"]):
        records += simulated_times(declared, cell)
    (DATA / page.SIMULATED_DATA).write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    note_date(DATA, page.SIMULATED)
    return 0


def keep(records: Sequence[page.Record], data: Path | None, study: str) -> None:
    """Write all records, so that nothing is lost where the study ends too early."""
    if data is not None:
        text = json.dumps(records, indent=1) + "\n"
        (data / page.FILES[study]).write_text(text, encoding="utf-8")
        note_date(data, study)


def main() -> int:
    """Measure and keep. Exit code 1 if a cell failed."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description="Measure nonblocking calls beside work.")
    parser.add_argument("--calls", nargs="+", choices=list(declared["calls"]), metavar="NAME")
    parser.add_argument("--data", type=Path, help="docs/benchmarks/data, unless calls are named")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--simulated", action="store_true", help="on the simulated machine alone")
    place.add_argument("--learned", action="store_true", help="runs that are only preloaded")
    options = parser.parse_args()
    if options.simulated:
        return simulate(declared)
    data = DATA if options.data is None and options.calls is None else options.data
    names = options.calls or list(declared["calls"])
    study = page.LEARNED if options.learned else page.STUDY
    records: list[page.Record] = []
    failed = 0
    hosts = declared["cluster"]
    try:
        with EmulatedCluster(hosts["hosts"], hosts["ranks_per_host"], rate=hosts["rate"]) as there:
            bench = Bench.on(there, declared)
            cells = cells_to_learn if options.learned else cells_of
            for cell in cells(declared, names):
                try:
                    record = (
                        learn(bench, cell)
                        if options.learned
                        else measure(bench, cell, declared["calls"][cell.call]["algorithms"])
                    )
                except EnvironmentFault as error:
                    failed += 1
                    print(f"{cell.call} {cell.num_bytes} B: FAILED: {error}", flush=True)
                    continue
                records.append(record)
                line = page.line_of_learned if options.learned else page.line_of
                print(line(record), flush=True)
                keep(records, data, study)
    except Error as error:
        print(f"study.py: {error}", file=sys.stderr)
        return error.exit_code
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
