# SPDX-License-Identifier: Apache-2.0
"""Choosing from exact times: there is nothing to be unsure of, the fastest is chosen.

Of candidates that are equally fast, to a thousandth, the one is chosen that makes fewer rules.
Where the choice changes between two sizes it is looked at again between them, until they are near
enough: usually at most a factor of two apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.base.units import time_text
from espalier.sampling.samples import NATIVE
from espalier.tuning import selection
from espalier.tuning.rules import Telling

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Times this close are equal.
TOLERANCE = 0.001
# Sizes further apart than this are refined where the choice changes between them, as a rule.
WIDEST_STEP = 2.0
_MOST_CANDIDATES = 3


@dataclass(frozen=True)
class Times:
    """Exact times at one size in microseconds; native is among them unless it could not be run."""

    bytes: int
    us: Mapping[str, float]

    @property
    def native_us(self) -> float | None:
        """Return the time of the native call, None if it is not known."""
        return self.us.get(NATIVE)

    @property
    def candidates(self) -> dict[str, float]:
        """Return the times of the others, the fastest first."""
        others = [name for name in self.us if name != NATIVE]
        return {name: self.us[name] for name in sorted(others, key=lambda name: self.us[name])}


@dataclass(frozen=True)
class Chosen:
    """What to use for one call and size."""

    collective: str
    bytes: int
    algorithm: str
    times: Times

    @property
    def ratio(self) -> float | None:
        """Return native / chosen, None where native is not known."""
        native = self.times.native_us
        return None if native is None else native / self.times.us[self.algorithm]


def choose(
    collective: str, row: Sequence[Times], *, min_gain: float, keeps_native: bool
) -> list[Chosen]:
    """Return what to use at each size, of times sorted by size.

    Args:
        collective: Of the times.
        row: One entry a size.
        min_gain: Least gain for which native is left: 0.02 is 2 %.
        keeps_native: Whether native may be chosen where there are candidates.
    """
    if _core.has_known_size(collective):
        allowed = [_allowed(times, min_gain, keeps_native=keeps_native) for times in row]
        names = [name or NATIVE for name in selection.longest_runs(allowed)]
    else:
        names = [_best_at_all(row, min_gain, keeps_native=keeps_native)] * len(row)
    return [
        Chosen(collective, times.bytes, name, times)
        for times, name in zip(row, names, strict=True)
        if name in times.us
    ]


def sizes_between(chosen: Sequence[Chosen], widest_step: float = WIDEST_STEP) -> list[int]:
    """Return sizes to look at: between neighbours with different choices and too far apart."""
    return [
        math.isqrt(low.bytes * high.bytes)
        for low, high in pairwise(chosen)
        if low.algorithm != high.algorithm
        and low.bytes > 0
        and high.bytes > widest_step * low.bytes
    ]


def _allowed(times: Times, min_gain: float, *, keeps_native: bool) -> list[str]:
    candidates = times.candidates
    if not candidates:
        return [NATIVE]
    best = next(iter(candidates.values()))
    native = times.native_us
    if keeps_native and native is not None and native < best * (1 + max(min_gain, TOLERANCE)):
        return [NATIVE]
    return [name for name, time in candidates.items() if time <= best * (1 + TOLERANCE)]


def _best_at_all(row: Sequence[Times], min_gain: float, *, keeps_native: bool) -> str:
    """Return the candidate for all sizes; native unless it is nowhere slower than that."""
    common = [name for name in row[0].candidates if all(name in times.us for times in row)]
    if keeps_native:
        common = [name for name in common if _is_never_slower(row, name, min_gain)]
    if not common:
        return NATIVE
    return min(common, key=lambda name: sum(math.log(times.us[name]) for times in row))


def _is_never_slower(row: Sequence[Times], name: str, min_gain: float) -> bool:
    gains = [times.native_us / times.us[name] for times in row if times.native_us is not None]
    never = all(gain >= 1 + min_gain - TOLERANCE for gain in gains)
    return never and (not gains or max(gains) > 1 + TOLERANCE)


def _reason(group: list[Chosen]) -> str:
    where = "" if len(group) == 1 else f" at {len(group)} sizes"
    if group[0].algorithm == NATIVE:
        return f"nothing else is faster{where} (simulated, exact)"
    ratios = [one.ratio for one in group if one.ratio is not None]
    if not ratios:
        times = time_text(group[0].times.us[group[0].algorithm] * 1e-6)
        return f"fastest{where} ({times} at {group[0].bytes} B); native was not simulated"
    low, high = f"{min(ratios):.2f}x", f"{max(ratios):.2f}x"
    ratio = low if low == high else f"{low} to {high}"
    return f"{ratio} the speed of native{where} (simulated, exact)"


def _evidence(one: Chosen) -> dict[str, Any]:
    native = one.times.native_us
    names = list(one.times.candidates)[:_MOST_CANDIDATES]
    if one.algorithm != NATIVE and one.algorithm not in names:
        names.append(one.algorithm)
    return {
        "bytes": one.bytes,
        "num_samples": 1,
        **({} if native is None else {"native": _times(native)}),
        "candidates": {name: _compared(one.times.us[name], native) for name in names},
    }


def _compared(us: float, native_us: float | None) -> dict[str, float]:
    return {**_times(us), **({} if native_us is None else _ratios(native_us / us))}


def _times(value: float) -> dict[str, float]:
    return dict.fromkeys(("median_us", "low_us", "high_us"), round(value, 3))


def _ratios(value: float) -> dict[str, float]:
    return dict.fromkeys(("ratio", "ratio_low", "ratio_high"), round(value, 4))


SIMULATED: Telling[Chosen] = Telling(_reason, _evidence)
