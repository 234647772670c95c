# SPDX-License-Identifier: Apache-2.0
"""What the times of a cell say: gains, what first runs lost, and means over many cells.

A record holds what was measured of a cell: for each kind of run a list of turns, and for each turn
the microseconds of the stretches of calls. Under the names of EDGES it holds those of starting and
ending MPI, also by kind and turn. A record with a `problem` holds no times.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from espalier.base.intervals import Interval, median_interval, paired_ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    Record = Mapping[str, Any]

NATIVE = "native"
# With learning on, one after the other, and with one file of lessons.
LEARNING = ("first", "second", "third")
SECOND_RUN, THIRD_RUN = "second run", "third run"
# From MPI_Init to the end of the first barrier; MPI_Finalize.
EDGES = ("init_us", "finalize_us")


def order_of_turn(turn: int) -> list[str]:
    """Return the kinds of the runs of a turn; the native run takes another place in each."""
    place = turn % (len(LEARNING) + 1)
    return [*LEARNING[:place], NATIVE, *LEARNING[place:]]


def measures(loop: Mapping[str, int]) -> list[str]:
    """Return the names of the gains of a cell, in the order of gains_of()."""
    first = f"first {loop['calls_per_stretch']} calls"
    return [first, f"after {loop['settled_calls']} calls", SECOND_RUN, THIRD_RUN]


def _compared(loop: Mapping[str, int]) -> dict[str, tuple[str, slice]]:
    """Return for each measure the kind of run and the stretches that it compares with native."""
    settled = loop["settled_calls"] // loop["calls_per_stretch"]
    first, after, *later = measures(loop)
    whole = {name: (kind, slice(None)) for name, kind in zip(later, LEARNING[1:], strict=True)}
    return {first: ("first", slice(0, 1)), after: ("first", slice(settled, None)), **whole}


def gains_of(record: Record, loop: Mapping[str, int]) -> dict[str, Interval]:
    """Return native / ours by measure: medians over the turns, each ratio of runs of one turn.

    Args:
        record: What was measured, without a problem.
        loop: As experiments.toml declares it.
    """
    return {
        name: paired_ratio(
            [sum(stretches[part]) for stretches in record[NATIVE]],
            [sum(stretches[part]) for stretches in record[kind]],
        )
        for name, (kind, part) in _compared(loop).items()
    }


def native_seconds(record: Record, measure: str, loop: Mapping[str, int]) -> float:
    """Return the native time, the median over turns, of the calls that a measure compares."""
    _, part = _compared(loop)[measure]
    return 1e-6 * median_interval([sum(row[part]) for row in record[NATIVE]]).value


def excess_of(record: Record, bound: Mapping[str, float]) -> Interval:
    """Return by how many seconds whole loops of first runs exceed native + bound; below 0 if not.

    Args:
        record: What was measured, without a problem.
        bound: What learning may cost: `seconds`, or this `share` of the time if that is more.
    """
    values = []
    for native, first in zip(record[NATIVE], record["first"], strict=True):
        seconds = 1e-6 * sum(first)
        allowed = max(bound["seconds"], bound["share"] * seconds)
        values.append(seconds - 1e-6 * sum(native) - allowed)
    return median_interval(values)


def added_at_edge(records: Iterable[Record], edge: str, kind: str) -> Interval:
    """Return how many seconds starting or ending takes longer than natively, in the median.

    Args:
        records: What was measured, without problems.
        edge: One of EDGES.
        kind: Of the runs that are compared with the native run of their turn.
    """
    return median_interval(
        [
            1e-6 * (ours - native)
            for record in records
            for ours, native in zip(record[edge][kind], record[edge][NATIVE], strict=True)
        ]
    )


def native_spread(record: Record) -> float:
    """Return the slowest native run / the fastest: what the machine does to the same program."""
    totals = [sum(stretches) for stretches in record[NATIVE]]
    return max(totals) / min(totals)


def geometric_mean(ratios: Iterable[float]) -> float:
    """Return the geometric mean of at least one ratio."""
    return math.exp(math.fsum(logarithms := [math.log(one) for one in ratios]) / len(logarithms))


def means(records: Sequence[Record], loop: Mapping[str, int]) -> list[float]:
    """Return the geometric mean of each measure over records without problems."""
    found = [gains_of(record, loop) for record in records]
    return [geometric_mean(gains[name].value for gains in found) for name in measures(loop)]


def below(
    records: Sequence[Record], loop: Mapping[str, int], limit: float
) -> list[tuple[Record, str, Interval]]:
    """Return each gain below a limit with its record and measure, the lowest first."""
    found = [
        (record, name, gain)
        for record in records
        for name, gain in gains_of(record, loop).items()
        if gain.value < limit
    ]
    return sorted(found, key=lambda one: one[2].value)


def succeeded(records: Iterable[Record]) -> list[Record]:
    """Return the records without problems."""
    return [record for record in records if "problem" not in record]


def factors_of(record: Record) -> dict[str, str]:
    """Return the parts of the name of a cell by what they are."""
    names = ("MPI", "hosts", "links", "placement", "collective", "size")
    return dict(zip(names, record["cell"].split("/"), strict=True))


def read(path: Path) -> dict[str, Record]:
    """Return the records of a file by the names of their cells; none if there is no file."""
    if not path.exists():
        return {}
    records = json.loads(path.read_text(encoding="utf-8"))
    return {record["cell"]: record for record in records}


def text_of(records: Iterable[Record]) -> str:
    """Return records as JSON, one on a line."""
    lines = ",\n".join(json.dumps(record, sort_keys=True) for record in records)
    return f"[\n{lines}\n]\n"
