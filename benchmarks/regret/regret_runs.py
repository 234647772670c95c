# SPDX-License-Identifier: Apache-2.0
"""Running the loops of a cell in the simulator."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regret_curves import parse_loop

from espalier.launch.preload import Settings
from espalier.simulate import running
from espalier.simulate.programs import find_program
from espalier.simulate.setting import make_setting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from regret_cells import Cell, Place
    from regret_curves import Loop

    from espalier.simulate.running import Finished

LOOP = Path(__file__).resolve().parent / "loop.c"
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Ran:
    """A loop that was run: when its calls were over, what MPI_Init took, what was counted."""

    loop: Loop
    init_seconds: float
    charged_seconds: float


def run_loop(
    place: Place, words: tuple[str, int, int], settings: Settings, timeout_seconds: float = 3600
) -> Ran:
    """Run a loop: of which collective, of how many bytes of a rank, how often.

    Raises:
        Error: it failed, or took longer than it may.
    """
    program = find_program([str(LOOP), *map(str, words)], (), ())
    setting = make_setting(place.machine, place.placement, place.num_ranks, place.peer, [])
    with tempfile.TemporaryFile() as output:
        how = running.Run(settings, output=output.fileno(), timeout_seconds=timeout_seconds)
        finished = running.run(program, setting, how)
        output.seek(0)
        init_seconds, loop = parse_loop(output.read().decode())
    return Ran(loop, init_seconds, _charged_seconds(finished))


def _charged_seconds(finished: Finished) -> float:
    """Return what learning says it lost, on the rank that says most."""
    learned = (rank.get("learning", {}) for rank in finished.statistics)
    return max((float(one.get("lost_seconds", 0.0)) for one in learned), default=0.0)


def run_cell(cell: Cell, choice: str) -> tuple[dict[str, Ran], str]:
    """Run all loops of a cell.

    Args:
        cell: the call.
        choice: the best one known; empty if none is.

    Returns:
        The loops by name, and what was learned.
    """
    plain, long, later = (
        (cell.collective, cell.own_bytes, number)
        for number in (cell.plain_calls, cell.num_calls, cell.later_calls)
    )
    ran = {"native": run_loop(cell.place, plain, running.NATIVE)}
    if choice:
        forced = f"{cell.collective}={choice.partition('/')[2]}"
        ran["best"] = run_loop(cell.place, plain, Settings(force=forced, maps=False))
    with tempfile.TemporaryDirectory(prefix="espalier-regret-") as folder:
        memory = Path(folder) / "memory.json"
        told = Settings(maps=False, learns=True, memory=str(memory))
        ran["learning"] = run_loop(cell.place, long, told)
        learned = learned_in(memory, cell)
        if learned != UNDECIDED:
            ran["again"] = run_loop(cell.place, later, told)
    return ran, learned


def learned_in(memory: Path, cell: Cell) -> str:
    """Return the algorithm that a file remembers for a cell, `native` among them."""
    document: Mapping[str, Any] = json.loads(memory.read_text()) if memory.exists() else {}
    for rule in document.get("rules", ()):
        most = rule["max_bytes"]
        is_in = rule["min_bytes"] <= cell.num_bytes and (most is None or cell.num_bytes <= most)
        if rule["collective"] == cell.collective and is_in:
            return str(rule["algorithm"])
    return UNDECIDED
