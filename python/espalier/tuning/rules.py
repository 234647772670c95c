# SPDX-License-Identifier: Apache-2.0
"""From selections at measured sizes to rules for all sizes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from espalier import _core
from espalier.sampling.samples import NATIVE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from espalier.base.intervals import Interval
    from espalier.profiles.profiles import Shape
    from espalier.tuning.selection import Estimate, Selection

# Below this, time does not depend on the size any more, so a rule may start at 0.
_LATENCY_BYTES = 64
# Candidates in the evidence of a size; the program reads the whole file when it starts.
_MOST_CANDIDATES = 3


class SelectionLike(Protocol):
    """What was decided for one call and size."""

    @property
    def collective(self) -> str:
        """Return the call."""

    @property
    def bytes(self) -> int:
        """Return the size of the result."""

    @property
    def algorithm(self) -> str:
        """Return what to use: native or a choice."""


_Selection = TypeVar("_Selection", bound=SelectionLike)


@dataclass(frozen=True)
class Telling(Generic[_Selection]):
    """What rules say of the selections behind them."""

    # Why neighbours with the same algorithm have it.
    reason: Callable[[list[_Selection]], str]
    # None where there is nothing to show.
    evidence: Callable[[_Selection], dict[str, Any] | None]
    # Whether the first and the last rule of a call go on beyond the sizes that were looked at;
    # native is kept there otherwise.
    goes_on: bool = False


def make_rules(
    selections: Sequence[_Selection], shape: Shape, telling: Telling[_Selection]
) -> list[dict[str, Any]]:
    """Return the rules of a profile for a shape.

    Neighbours with the same selection share a rule. Between two rules the boundary is the geometric
    mean of the sizes that were measured; beyond the first and last size a rule reaches as far as
    half a step, and native is kept where nothing was measured. Calls whose size not all ranks know
    have one rule.
    """
    rules: list[dict[str, Any]] = []
    for collective, row in groupby(sorted(selections, key=_order), key=lambda one: one.collective):
        about = {"collective": collective, **shape.to_json()}
        make = _rules_of if _core.has_known_size(collective) else _one_rule
        rules += [{**about, **rule} for rule in make(list(row), telling)]
    return rules


def _order(selection: SelectionLike) -> tuple[str, int]:
    return selection.collective, selection.bytes


def _rules_of(row: list[_Selection], telling: Telling[_Selection]) -> list[dict[str, Any]]:
    sizes = [selection.bytes for selection in row]
    edges: list[int | None] = [*_edges(sizes)]
    if telling.goes_on:
        edges[0], edges[-1] = 0, None
    rules = []
    if edges[0]:
        rules.append(_unmeasured(0, edges[0] - 1))
    position = 0
    for _, members in groupby(row, key=lambda selection: selection.algorithm):
        group = list(members)
        first, position = position, position + len(group)
        end = edges[position]
        rules.append(
            {
                "min_bytes": edges[first],
                "max_bytes": None if end is None else end - 1,
                "algorithm": group[0].algorithm,
                "reason": telling.reason(group),
                "evidence": _evidence_of(group, telling),
            }
        )
    if edges[-1] is not None:
        rules.append(_unmeasured(edges[-1], None))
    return rules


def _evidence_of(group: list[_Selection], telling: Telling[_Selection]) -> list[dict[str, Any]]:
    return [shown for shown in map(telling.evidence, group) if shown is not None]


def _one_rule(row: list[_Selection], telling: Telling[_Selection]) -> list[dict[str, Any]]:
    """Return the rule of a call whose size not all ranks know: an algorithm has to win at all."""
    if len({selection.algorithm for selection in row}) == 1:
        algorithm, reason = row[0].algorithm, telling.reason(row)
    else:
        algorithm = NATIVE
        reason = f"no algorithm is faster at all {len(row)} sizes, and ranks do not know the size"
    return [
        {
            "min_bytes": 0,
            "max_bytes": None,
            "algorithm": algorithm,
            "reason": reason,
            "evidence": _evidence_of(row, telling),
        }
    ]


def _edges(sizes: list[int]) -> list[int]:
    """Return where the range of each size starts, and where that of the last one ends."""
    between = [math.isqrt(low * high) + 1 for low, high in pairwise(sizes)]
    half_step = math.sqrt(sizes[1] / sizes[0]) if len(sizes) > 1 and sizes[0] > 0 else math.sqrt(2)
    first = 0 if sizes[0] <= _LATENCY_BYTES else math.ceil(sizes[0] / half_step)
    half_step = math.sqrt(sizes[-1] / sizes[-2]) if len(sizes) > 1 and sizes[-2] > 0 else half_step
    return [first, *between, int(sizes[-1] * half_step) + 1]


def _unmeasured(first: int, last: int | None) -> dict[str, Any]:
    return {
        "min_bytes": first,
        "max_bytes": last,
        "algorithm": NATIVE,
        "reason": "no size near was measured",
        "evidence": [],
    }


def _reason(group: list[Selection]) -> str:
    """Return why, and how calls were made: rules do not tell apart in which way they are."""
    manners = list(dict.fromkeys(one.manner for one in group if one.manner))
    told = f"; measured with: {'; '.join(manners)}" if manners else ""
    return _gain(group) + told


def _gain(group: list[Selection]) -> str:
    if len(group) == 1:
        return group[0].reason
    name = group[0].algorithm
    if name == NATIVE:
        return f"nothing is significantly faster at {len(group)} sizes"
    ratios = [selection.estimates[name].ratio for selection in group]
    low, high = min(one.value for one in ratios), max(one.value for one in ratios)
    confidence = 100 * min(one.confidence for one in ratios)
    return (
        f"{low:.2f}x to {high:.2f}x faster than native at {len(group)} sizes"
        f" (all {confidence:.3g} % intervals above {min(one.low for one in ratios):.2f})"
    )


def _evidence(selection: Selection) -> dict[str, Any]:
    names = list(selection.estimates)[:_MOST_CANDIDATES]
    if selection.best is not None and selection.best not in names:
        names.append(selection.best)
    counts = [one.time_us.count for one in selection.estimates.values()]
    return {
        "bytes": selection.bytes,
        "num_samples": max([selection.native_us.count, *counts]),
        "confirmed": selection.is_confirmed,
        "native": _times(selection.native_us),
        "candidates": {name: _candidate(selection.estimates[name]) for name in names},
    }


def _candidate(one: Estimate) -> dict[str, float]:
    return {
        **_times(one.time_us),
        "ratio": round(one.ratio.value, 4),
        "ratio_low": round(one.ratio.low, 4),
        "ratio_high": round(one.ratio.high, 4),
    }


def _times(interval: Interval) -> dict[str, float]:
    return {
        "median_us": round(interval.value, 3),
        "low_us": round(interval.low, 3),
        "high_us": round(interval.high, 3),
    }


MEASURED: Telling[Selection] = Telling(_reason, _evidence)
