# SPDX-License-Identifier: Apache-2.0
"""All cells by the replay model."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

from distributions import block_bytes

from espalier import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

    from declared import Battery, Cell
    from results import Results, Times

OURS = "catalog"


def accepted(battery: Battery, num_ranks: int) -> list[str]:
    """Return the algorithms that take part with so many ranks."""
    return [
        name for name in battery.algorithms if not _core.refuses(f"allgather/{name}", num_ranks)
    ]


def replay_cell(battery: Battery, cell: Cell, choices: dict[str, str]) -> Times:
    """Return the times of choices by what they are called."""
    blocks = block_bytes(battery.distribution, cell.num_ranks, cell.size)
    placement = battery.system.placement(cell.mapping, cell.num_ranks)
    equal = battery.distribution == "regular"
    times: Times = {}
    for name, choice in choices.items():
        found = _core.replay(
            choice,
            cell.num_ranks,
            0,
            battery.system.machine,
            placement,
            sum(blocks),
            block_bytes=() if equal else blocks,
        )["finished_seconds"]
        times[name] = (1e6 * min(found), 1e6 * statistics.fmean(found), 1e6 * max(found))
    return times


def replay_battery(battery: Battery, results: Results) -> None:
    """Replay the algorithms of the study in all cells that are not there yet."""
    for cell in battery.cells():
        if cell in results.times:
            continue
        start = time.process_time()
        choices = {name: f"allgather/{name}" for name in accepted(battery, cell.num_ranks)}
        times = replay_cell(battery, cell, choices)
        results.add(cell, times, time.process_time() - start)


def rivals(battery: Battery, cell: Cell) -> list[str]:
    """Return all that is worth trying there but the study's algorithms."""
    known = {f"allgather/{name}" for name in battery.algorithms}
    offered = _core.machine_variants(
        "allgather",
        cell.num_ranks,
        battery.system.machine,
        battery.system.placement(cell.mapping, cell.num_ranks),
    )
    return [
        name
        for name in offered
        if name not in known and not _core.call_refuses(battery.collective, name, cell.num_ranks)
    ]


def best_of_catalog(battery: Battery, results: Results) -> None:
    """Find what the model would choose from the rest of the catalog, in some cells."""
    for cell in battery.catalog_cells():
        if cell in results.times:
            continue
        start = time.process_time()
        choice = _chosen(battery, cell, rivals(battery, cell))
        times = replay_cell(battery, cell, {OURS: choice})
        results.add(cell, times, time.process_time() - start, note=choice)


def _chosen(battery: Battery, cell: Cell, candidates: Sequence[str]) -> str:
    blocks = block_bytes(battery.distribution, cell.num_ranks, cell.size)
    return _core.best(
        list(candidates),
        cell.num_ranks,
        0,
        battery.system.machine,
        battery.system.placement(cell.mapping, cell.num_ranks),
        sum(blocks),
        block_bytes=() if battery.distribution == "regular" else blocks,
    )[0]["choice"]
