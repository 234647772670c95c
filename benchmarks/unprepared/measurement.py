# SPDX-License-Identifier: Apache-2.0
"""Measuring cells on emulated hosts, and keeping each as soon as it is measured."""

from __future__ import annotations

import itertools
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gains
import runs

from espalier.clusters import EmulatedCluster
from espalier.errors import EnvironmentFault, Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from cells import Cell

_STATISTICS = Path("/proc/stat")
_SECONDS_OF_A_LOOK = 0.2


@dataclass(frozen=True)
class Study:
    """What is declared, what runs, where it may leave files, and when no cell is begun any more.

    `folder` is emptied before each turn. `deadline` is a time of `time.monotonic()`.
    """

    declared: Mapping[str, Any]
    programs: Mapping[str, runs.Program]
    folder: Path
    deadline: float

    def current(
        self, known: Mapping[str, gains.Record], cells: Sequence[Cell]
    ) -> list[gains.Record]:
        """Return the records of some cells that are of what runs now."""
        found = [(cell, known[cell.name]) for cell in cells if cell.name in known]
        return [record for cell, record in found if record["build"] == self._build(cell)]

    def measure_all(self, cells: Sequence[Cell]) -> Iterator[dict[str, Any]]:
        """Measure cells until the deadline, and yield a record of each."""
        for shape, group in itertools.groupby(cells, key=lambda cell: cell.cluster):
            left = list(group)
            while left and not self._is_late():
                with EmulatedCluster(shape[0], shape[1], rate=shape[2]) as cluster:
                    while left and not self._is_late():
                        record = self._measure(cluster, left.pop(0))
                        yield record
                        if "problem" in record:
                            break  # what hangs ends with its hosts

    def _is_late(self) -> bool:
        return time.monotonic() >= self.deadline

    def _build(self, cell: Cell) -> str:
        turns = self.declared["runs"]["turns"]
        return self.programs[cell.mpi].fingerprint(self.declared["loop"], turns)

    def _measure(self, cluster: EmulatedCluster, cell: Cell) -> dict[str, Any]:
        record: dict[str, Any] = {
            "cell": cell.name,
            "build": self._build(cell),
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "busy_processors": look_around(),
        }
        start = time.monotonic()
        try:
            record |= self._turns(cluster, cell)
        except Error as error:
            record["problem"] = str(error)
        return record | {"seconds": round(time.monotonic() - start, 1)}

    def _turns(self, cluster: EmulatedCluster, cell: Cell) -> dict[str, Any]:
        found: dict[str, Any] = {kind: [] for kind in (gains.NATIVE, *gains.LEARNING)}
        found |= {name: {kind: [] for kind in found} for name in gains.EDGES}
        found["learned"] = []
        checksums = set()
        for turn in range(self.declared["runs"]["turns"]):
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            lessons = self.folder / "lessons.json"
            learned = []
            for kind in gains.order_of_turn(turn):
                line = self._run(cluster, cell, None if kind == gains.NATIVE else lessons)
                found[kind].append(line["stretch_us"])
                for name in gains.EDGES:
                    found[name][kind].append(line[name])
                found |= {name: line[name] for name in ("bytes", "library")}
                checksums.add(line["checksum"])
                if kind != gains.NATIVE:
                    learned.append(runs.learned(lessons, cell))
            found["learned"].append(learned)
        if len(checksums) > 1:
            raise EnvironmentFault(
                f"expected equal results of all runs, got checksums {', '.join(sorted(checksums))}"
            )
        return found

    def _run(self, cluster: EmulatedCluster, cell: Cell, lessons: Path | None) -> dict[str, Any]:
        loop = self.declared["loop"]
        words = self.programs[cell.mpi].words(cell, loop, lessons)
        output = runs.run(cluster, cell, words, self.declared["runs"]["limit_seconds"])
        return runs.parse(output, cell, loop)


def look_around() -> float:
    """Return how many processors other programs keep busy now."""
    before = _STATISTICS.read_text(encoding="ascii")
    time.sleep(_SECONDS_OF_A_LOOK)
    return busy_processors(before, _STATISTICS.read_text(encoding="ascii"))


def busy_processors(before: str, after: str) -> float:
    """Return how many processors were busy on average between two texts of /proc/stat."""
    lines = [text.splitlines() for text in (before, after)]
    first, last = ([int(word) for word in rows[0].split()[1:9]] for rows in lines)
    spent = [end - start for start, end in zip(first, last, strict=True)]
    idle = spent[3] + spent[4]  # with nothing to do, or waiting for a disk
    num_processors = sum(line.startswith("cpu") for line in lines[0]) - 1
    return round(num_processors * (1 - idle / max(1, sum(spent))), 2)


def measure(
    study: Study,
    cells: Sequence[Cell],
    results: Path,
    say: Callable[[gains.Record], None],
    *,
    again: bool = False,
) -> list[Cell]:
    """Measure the cells that a file does not have, and keep each in it at once.

    Args:
        study: How they are measured.
        cells: Which; those on the same hosts one after the other.
        results: The file.
        say: Called with each record, when it is kept.
        again: Measure also what the file has.

    Returns:
        The cells that are missing afterwards, because the time was over or they failed.
    """
    known = gains.read(results)
    left = cells if again else _missing(study, known, cells)
    results.parent.mkdir(parents=True, exist_ok=True)
    if again:
        known = {name: known[name] for name in known.keys() - {cell.name for cell in cells}}
    for record in study.measure_all(left):
        known[record["cell"]] = record
        part = results.with_name(results.name + ".part")
        part.write_text(gains.text_of(known.values()), encoding="utf-8")
        part.replace(results)
        say(record)
    return _missing(study, known, cells)


def _missing(study: Study, known: Mapping[str, gains.Record], cells: Sequence[Cell]) -> list[Cell]:
    there = {record["cell"] for record in gains.succeeded(study.current(known, cells))}
    return [cell for cell in cells if cell.name not in there]
