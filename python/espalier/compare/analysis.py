# SPDX-License-Identifier: Apache-2.0
"""From runs to ratios, intervals and verdicts. Pure functions of finished runs."""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from espalier.base import intervals
from espalier.compare.experiment import ESPALIER, NATIVE, PLAIN
from espalier.launch.runs import seconds_in_calls, whole_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from espalier.base.intervals import Interval
    from espalier.compare.experiment import Run

    Block = Mapping[str, Run]

FASTER, SLOWER = "faster", "slower"
UNDECIDED = "no significant difference"
TOO_FEW = "too few repetitions"
# Both kinds of runs made the native call: what differs is noise, or what is around the call.
SAME = "same call"
_CLASS = ("function", "num_ranks", "min_bytes", "max_bytes")


@dataclass(frozen=True)
class Comparison:
    """Times before and after, in seconds, and before / after from pairs."""

    before: Interval
    after: Interval
    ratio: Interval
    verdict: str

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        return {
            "before_seconds": _interval(self.before),
            "after_seconds": _interval(self.after),
            "ratio": _interval(self.ratio),
            "verdict": self.verdict,
        }


def compare_pairs(before: Sequence[float], after: Sequence[float], confidence: float) -> Comparison:
    """Compare times of pairs of runs."""
    ratio = intervals.signed_rank_ratio(before, after, confidence)
    return Comparison(
        intervals.median_interval(before, confidence),
        intervals.median_interval(after, confidence),
        ratio,
        verdict_of(ratio, confidence),
    )


def verdict_of(ratio: Interval, confidence: float) -> str:
    """Return what a ratio before / after says."""
    if ratio.confidence < confidence:
        return TOO_FEW
    if ratio.low > 1.0:
        return FASTER
    if ratio.high < 1.0:
        return SLOWER
    return UNDECIDED


def wall_time(blocks: Sequence[Block], confidence: float) -> Comparison:
    """Compare whole runs: plain against Espalier."""
    return _between(blocks, PLAIN, ESPALIER, confidence)


def preloading(blocks: Sequence[Block], confidence: float) -> Comparison:
    """Compare whole runs: plain against preloaded with every call native."""
    return _between(blocks, PLAIN, NATIVE, confidence)


def program_time(blocks: Sequence[Block], confidence: float) -> Comparison:
    """Compare the time between MPI_Init and MPI_Finalize: native against Espalier."""
    return compare_pairs(
        [_statistics(block[NATIVE])["seconds"] for block in blocks],
        [_statistics(block[ESPALIER])["seconds"] for block in blocks],
        confidence,
    )


def served_share(blocks: Sequence[Block]) -> float:
    """Return which share of the native program's time goes into calls that Espalier serves.

    It is 1 if several threads make calls at once, which take longer than the program.
    """
    shares = []
    for block in blocks:
        run = _statistics(block[NATIVE])
        seconds = whole_seconds(run)
        shares.append(seconds_in_calls(run) / seconds if seconds > 0 else 0.0)
    return statistics.median(shares)


def collectives(blocks: Sequence[Block], confidence: float) -> list[dict[str, Any]]:
    """Return classes of calls, the costliest first: times a rank, native and ours, and choices.

    A class is a function on communicators of one size with results of similar size.
    """
    keys = {key for block in blocks for kind in (NATIVE, ESPALIER) for key in _classes(block[kind])}
    rows = [_row(key, blocks, confidence) for key in keys]
    return sorted(rows, key=lambda row: row["native_seconds"], reverse=True)


def _row(key: tuple[Any, ...], blocks: Sequence[Block], confidence: float) -> dict[str, Any]:
    latest = next(
        (found for block in reversed(blocks) if (found := _classes(block[ESPALIER]).get(key))), []
    )
    compared = _Times.of(blocks, lambda run: _class_seconds(run).get(key, 0.0))
    ranks = max([1, *(call["reporting_ranks"] for call in latest)])
    return {
        **dict(zip(_CLASS, key, strict=True)),
        "calls": sum(call["count"] for call in latest) // ranks,
        "bytes": sum(call["bytes"] for call in latest) // ranks,
        "native_seconds": statistics.median(compared.before),
        "espalier_seconds": statistics.median(compared.after),
        "comparison": compared.judged(latest, confidence),
        "nodes": _nodes(key, blocks, latest, confidence),
        "chosen": [
            {"algorithm": call["algorithm"], "reason": call["reason"], "native": call["native"]}
            for call in sorted(latest, key=lambda call: call["count"], reverse=True)
        ],
    }


def _nodes(
    key: tuple[Any, ...],
    blocks: Sequence[Block],
    latest: Sequence[Mapping[str, Any]],
    confidence: float,
) -> list[dict[str, Any]]:
    """Return the same for the communicators of a class by their number of nodes, if it is known."""
    rows = []
    numbers = {part["num_nodes"] for call in latest for part in call["communicators"]}
    for number in sorted(numbers - {0}):
        calls = [call for call in latest if _seconds_on([call], number) is not None]

        def seconds(run: Run, number: int = number) -> float:
            return _seconds_on(_classes(run).get(key, []), number) or 0.0

        compared = _Times.of(blocks, seconds)
        rows.append({"num_nodes": number, "comparison": compared.judged(calls, confidence)})
    return rows


def _seconds_on(calls: Iterable[Mapping[str, Any]], num_nodes: int) -> float | None:
    """Return the time of calls on communicators of so many nodes; None if there are none."""
    found = [
        part["seconds"]
        for call in calls
        for part in call["communicators"]
        if part["num_nodes"] == num_nodes
    ]
    return sum(found) if found else None


@dataclass(frozen=True)
class _Times:
    """Seconds of the same calls in each block, native and ours."""

    before: Sequence[float]
    after: Sequence[float]

    @classmethod
    def of(cls, blocks: Sequence[Block], seconds: Callable[[Run], float]) -> _Times:
        return cls(
            [seconds(block[NATIVE]) for block in blocks],
            [seconds(block[ESPALIER]) for block in blocks],
        )

    def judged(
        self, calls: Sequence[Mapping[str, Any]], confidence: float
    ) -> dict[str, Any] | None:
        """Compare them; `calls` are the latest with Espalier. None if no block has both."""
        pairs = [(b, a) for b, a in zip(self.before, self.after, strict=True) if b > 0 and a > 0]
        if not pairs:
            return None
        before, after = zip(*pairs, strict=True)
        compared = compare_pairs(before, after, confidence)
        if all(call["native"] for call in calls):
            compared = replace(compared, verdict=SAME)
        return compared.to_json()


def _between(blocks: Sequence[Block], before: str, after: str, confidence: float) -> Comparison:
    return compare_pairs(
        [block[before].seconds for block in blocks],
        [block[after].seconds for block in blocks],
        confidence,
    )


def _statistics(run: Run) -> dict[str, Any]:
    if run.statistics is None:
        raise ValueError(f"a {run.kind} run has no statistics")
    return run.statistics


def _classes(run: Run) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    classes: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for call in _statistics(run)["calls"]:
        classes.setdefault(tuple(call[name] for name in _CLASS), []).append(call)
    return classes


def _class_seconds(run: Run) -> dict[tuple[Any, ...], float]:
    """Return the time of each class, mean over all ranks of the program."""
    ranks = max(1, _statistics(run)["num_files"])
    return {
        key: sum(call["seconds"] for call in calls) / ranks for key, calls in _classes(run).items()
    }


def _interval(interval: Interval) -> dict[str, Any]:
    return asdict(interval)
