#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Replay collectives among as many threads in fewer and larger processes (figure 5.1).

Usage: layout_study.py TIMES.csv. It needs nothing but the Python core and takes a minute.
benchmarks/pages.py writes the page about the times.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

import put_times as puts  # noqa: E402
from simulated_times import note_date  # noqa: E402

from espalier import _core  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from put_times import PutTime

PART = "layouts"

# Among processes of one thread, and with a representative of each process: it hears or tells its
# threads one by one, and packs for them.
_OF_THREADS = "{operation}/{name}"
_OF_PROCESSES = {
    "bcast": "bcast/orthogonal[rows={processes},inner=flat,across={name}]",
    "reduce": "reduce/orthogonal[rows={processes},inner=flat,across={name}]",
    "allgather": "allgather/hierarchical[rows={processes},up=flat,across={name},down=flat]",
    "alltoall": "alltoall/hierarchical[rows={processes},lane={name}]",
}


def processes_of(layout: str) -> int:
    """Return the processes of a layout, "256x4" for 256 of 4 threads."""
    return int(layout.partition("x")[0])


def choice_of(operation: str, name: str, num_processes: int, num_ranks: int) -> str:
    """Return a schedule for all threads, with the named algorithm among processes."""
    is_flat = num_processes == num_ranks
    text = _OF_THREADS if is_flat else _OF_PROCESSES[operation]
    return text.format(operation=operation, name=name, processes=num_processes)


def layout_times(given: Mapping[str, Any]) -> Iterator[PutTime]:
    """Return the fastest schedule for each layout and size."""
    num_ranks = given["ranks"]
    for operation, sizes in given["sizes"].items():
        for size in sizes:
            num_bytes = float(size * (num_ranks if operation in puts.HAS_PARTS else 1))
            for layout, machine in given["machines"].items():
                found = [
                    (
                        1e6
                        * _core.replay(
                            choice_of(operation, name, processes_of(layout), num_ranks),
                            *(num_ranks, 0, machine, "block", num_bytes),
                        )["seconds"],
                        f"{operation}/{name}",
                    )
                    for name in given["algorithms"][operation]
                ]
                us, name = min(found)
                yield puts.PutTime(PART, operation, num_ranks, size, layout, name, us)


def main() -> None:
    """Parse the command line, and replay everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("times", type=Path)
    path = parser.parse_args().times
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    puts.write_times(layout_times(declared["layouts"]), path)
    note_date(path.parent, path.stem)


if __name__ == "__main__":
    main()
