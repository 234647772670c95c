# SPDX-License-Identifier: Apache-2.0
"""The round trips of all pairs of ranks."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from espalier.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from espalier.probing.samples import Result, Samples

    Times = npt.NDArray[np.float64]

# A time this much longer than the best way round over a third rank is an accident, not a distance.
_DETOUR_MARGIN = 1.25
_LARGEST_SHARE_OF_HOLES = 0.5


@dataclass(frozen=True)
class Matrix:
    """Round trips in microseconds, (num_ranks, num_ranks); nan where nothing was measured.

    Row: who sends first. The diagonal is nan. `bytes` is None if nothing at all was measured.
    """

    bytes: int | None
    rtt_us: Times

    @property
    def num_ranks(self) -> int:
        """Return the number of ranks."""
        return len(self.rtt_us)

    @property
    def is_empty(self) -> bool:
        """Return whether no pair was measured."""
        return bool(np.isnan(self.rtt_us).all())

    @property
    def fastest_us(self) -> Times:
        """Return the faster direction of each pair: disturbances only ever add to a time."""
        return np.fmin(self.rtt_us, self.rtt_us.T)

    @property
    def num_unmeasured(self) -> int:
        """Return of how many pairs neither direction was measured."""
        upper = np.triu_indices(self.num_ranks, 1)
        return int(np.isnan(self.fastest_us[upper]).sum())


def of_values(
    rows: Sequence[Sequence[float | None]] | Times, num_bytes: int | None = None
) -> Matrix:
    """Return a matrix of plain values; None or nan for what was not measured.

    Raises:
        ArgumentError: it is not square, or a time is not above zero.
    """
    lengths = {len(row) for row in rows}
    if lengths and lengths != {len(rows)}:
        raise ArgumentError(
            f"expected a square matrix of round trips, got {len(rows)} rows of"
            f" {', '.join(map(str, sorted(lengths)))} times"
        )
    values = np.array(
        [[np.nan if value is None else value for value in row] for row in rows], dtype=np.float64
    ).reshape(len(rows), len(rows))
    np.fill_diagonal(values, np.nan)
    wrong = np.argwhere(~np.isnan(values) & ~((values > 0) & np.isfinite(values)))
    if len(wrong):
        row, column = wrong[0]
        raise ArgumentError(
            f"expected round trips above 0 us, got {values[row, column]:g} from rank {row} to rank"
            f" {column} ({len(wrong)} such times)",
            "leave out what was not measured, or measure larger messages",
        )
    return Matrix(num_bytes if not np.isnan(values).all() else None, values)


def of_samples(samples: Samples) -> Matrix:
    """Return the matrix of the latency tests, of the size that most pairs were measured with.

    Times are medians. Where a pair was measured alone and together with others, alone counts.
    """
    results = list(samples.of_test("latency"))
    size = _commonest_size(results)
    alone: dict[tuple[int, int], list[float]] = defaultdict(list)
    together: dict[tuple[int, int], list[float]] = defaultdict(list)
    for result in results:
        if result.bytes == size:
            times = alone if len(result.pairs) == 1 else together
            for pair, median in zip(result.pairs, result.median_us, strict=True):
                times[pair].append(median)
    p = samples.header.num_ranks
    values = np.full((p, p), np.nan)
    for (sender, receiver), medians in (together | alone).items():
        values[sender, receiver] = statistics.median(medians)
    return of_values(values, size)


def _commonest_size(results: list[Result]) -> int | None:
    pairs = {(result.bytes, pair) for result in results for pair in result.pairs}
    counts = Counter(size for size, _ in pairs)
    return min(counts, key=lambda size: (-counts[size], size)) if counts else None


def between(fastest_us: Times, object_of_rank: Sequence[int]) -> Times:
    """Return the median times between objects, (num_objects, num_objects).

    nan where nothing was measured, and on the diagonal. Of an even number, the lower median.
    """
    objects = np.asarray(object_of_rank)
    number = int(objects.max()) + 1
    row, column = np.nonzero(~np.isnan(fastest_us) & np.not_equal.outer(objects, objects))
    keys = objects[row] * number + objects[column]
    values = fastest_us[row, column]
    order = np.lexsort((values, keys))
    found, first, counts = np.unique(keys[order], return_index=True, return_counts=True)
    times = np.full(number * number, np.nan)
    times[found] = values[order][first + (counts - 1) // 2]
    return times.reshape(number, number)


def completed(fastest_us: Times) -> Times:
    """Return symmetric times without holes and without accidents, for grouping.

    In a tree of levels no pair is farther apart than the longer leg of a way round over any third
    rank. What was not measured gets the shortest way round, and so does a time that is a quarter
    longer than it. The diagonal is 0.

    Raises:
        ArgumentError: a rank has no measured pair, or the pairs do not connect all ranks.
    """
    times = np.where(np.isnan(fastest_us), np.inf, fastest_us)
    np.fill_diagonal(times, 0.0)
    while True:
        detours = _detours(times)
        is_hole = np.isinf(times)
        if not is_hole.any():
            break
        filled = np.where(is_hole, detours, times)
        if np.array_equal(filled, times):
            row, column = np.argwhere(is_hole)[0]
            raise ArgumentError(
                f"expected round trips that connect all ranks, got none between rank {row} and"
                f" rank {column}, direct or over others"
            )
        times = filled
    return np.where(times > _DETOUR_MARGIN * detours, detours, times)


def completed_if_enough(fastest_us: Times) -> Times | None:
    """Return the same, None if less than half was measured, or the ranks are not connected.

    A time that was filled in says nothing new, but would count in tests.
    """
    above = fastest_us[np.triu_indices(len(fastest_us), 1)]
    if np.isnan(above).mean() > _LARGEST_SHARE_OF_HOLES:
        return None
    try:
        return completed(fastest_us)
    except ArgumentError:
        return None


def _detours(times: Times) -> Times:
    """Return the shortest longer leg over all third ranks."""
    p = len(times)
    legs = times.copy()
    np.fill_diagonal(legs, np.inf)
    found = np.full_like(times, np.inf)
    for third in range(p):
        np.minimum(found, np.maximum.outer(legs[:, third], legs[third]), out=found)
    np.fill_diagonal(found, 0.0)
    return found
