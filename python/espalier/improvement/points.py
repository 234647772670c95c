# SPDX-License-Identifier: Apache-2.0
"""What to measure for a program: its own calls and sizes, and few candidates for each.

A model of the machine shortlists candidates; it does not decide. It sees neither the work of the
MPI library nor ranks that share processors, so that small messages, where these matter most and a
measurement costs least, get more candidates than large ones. It does not see either whether ranks
of a node pass messages through memory that they share, so that this is measured, too.

`budget` decides for which of the points the time suffices.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from espalier import _core
from espalier.catalog import catalog
from espalier.sampling.candidates import candidates_for, memory_variants, real_size
from espalier.sampling.manner import ORDERED, PLAIN, Manner
from espalier.sampling.setting import nodes_of
from espalier.tuning.modelled import predict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from espalier.improvement.stakes import Stake
    from espalier.sampling.setting import Setting

_SMALL_BYTES = 16 * 1024
_MANY, _FEW, _FEWEST = 12, 6, 3
# Of each algorithm, so that a shortlist is not one algorithm with different arguments.
_MOST_VARIANTS = 2
# Among how many variants those are looked for: many take equally long, as pipelines of one segment.
_VARIANTS_LOOKED_AT = 8
# Ranks whose programs are compared to find algorithms that are the same with so few ranks.
_RANKS_LOOKED_AT = 8
# For calls whose size only some ranks know, if the run does not tell it.
_UNKNOWN_SIZES = (1024, 32768, 1048576)
# How often calls are repeated until a point is decided, over all stages of the search: the native
# call, every candidate, and what the best ones are repeated besides; untimed repetitions included.
_NATIVE_CALLS, _CALLS, _CALLS_OF_BEST = 32, 8, 48
# So many launches prove results before they time: the native call in all of them, each candidate in
# the first, the best ones in the others. A proof is a call from each of these roots.
_PROOFS, _PROOFS_OF_BEST = 4, 5
_MOST_ROOTS = 8
_LEAST_SECONDS = 2.0
# How many times as long as the best prediction a native call may take; the rest of what the program
# spends in it is waiting for late ranks.
_SLOWEST_NATIVE = 20


@dataclasses.dataclass(frozen=True)
class Point:
    """A call and size with its shortlist, what is at stake, and how long it takes to decide it.

    `seconds` are predicted times of candidates, `native_seconds` that of the native call, and
    `seconds_at_stake` what the program spends in these calls, which it makes in this manner.
    """

    collective: str
    bytes: int
    seconds: Mapping[str, float]
    native_seconds: float
    seconds_at_stake: float
    num_roots: int = 1
    manner: Manner = PLAIN

    @property
    def needed_seconds(self) -> float:
        """Return about how much measuring it takes until the point is decided."""
        best = min(self.seconds.values(), default=0.0)
        more = self.num_roots - 1
        native = (_NATIVE_CALLS + _PROOFS * more) * self._with_work(self.native_seconds)
        candidates = (_CALLS + more) * sum(map(self._with_work, self.seconds.values()))
        again = (_CALLS_OF_BEST + _PROOFS_OF_BEST * more) * self._with_work(best)
        return _LEAST_SECONDS + native + candidates + again

    def _with_work(self, seconds: float) -> float:
        return seconds + (self.manner.work.seconds if self.manner.work is not None else 0.0)

    def shortened(self) -> Point:
        """Return the point with the fewest candidates that make sense."""
        return dataclasses.replace(self, seconds=_first(self.seconds, _FEWEST))


def points_of(stakes: Iterable[Stake], setting: Setting, *, lists_all: bool = False) -> list[Point]:
    """Return the points of all stakes, in their order; with all candidates if one says so."""
    sizes: dict[tuple[str, int], Stake] = {}
    for stake in stakes:
        for size in _sizes(stake):
            sizes.setdefault((stake.call, size), stake)
    ranked = {
        call: _ranked(call, sorted({size for other, size in sizes if other == call}), setting)
        for call in dict.fromkeys(call for call, _ in sizes)
    }
    nodes = nodes_of(setting)
    points = []
    for (call, size), stake in sizes.items():
        usable = _usable(ranked[call][size], stake.manner, setting.num_ranks)
        seconds = usable if lists_all else shortlist(usable, size)
        seconds = _with_memory(call, seconds, nodes)
        native = _native_seconds(stake, seconds)
        takes_turns = _has_root(call) and stake.manner.root is None
        roots = min(setting.num_ranks, _MOST_ROOTS) if takes_turns else 1
        points.append(Point(call, size, seconds, native, stake.seconds, roots, stake.manner))
    return points


def _usable(seconds: Mapping[str, float], manner: Manner, num_ranks: int) -> Mapping[str, float]:
    """Return the candidates that can serve calls of a manner: few keep operands in their order."""
    if manner.operator != ORDERED:
        return seconds
    return {name: time for name, time in seconds.items() if _core.order(name, num_ranks) != "any"}


def _with_memory(call: str, seconds: Mapping[str, float], nodes: Sequence[int]) -> dict[str, float]:
    """Return candidates, each followed by itself with the memory that ranks of a node share.

    Both have the same time, so that a point that is shortened keeps the fastest in both forms.
    """
    found: dict[str, float] = {}
    for name, time in seconds.items():
        found.update(dict.fromkeys([name, *memory_variants(call, [name], nodes)], time))
    return found


@functools.cache
def _has_root(call: str) -> bool:
    rooted = {row["name"] for row in _core.collectives() if row["rooted"]}
    return _core.collective_of(call) in rooted


def _native_seconds(stake: Stake, seconds: Mapping[str, float]) -> float:
    """Return about how long the native call takes in a loop of calls, in which nobody is late."""
    longest = _SLOWEST_NATIVE * min(seconds.values(), default=stake.seconds_per_call)
    return min(stake.seconds_per_call, longest)


def shortlist(seconds: Mapping[str, float], size: int) -> dict[str, float]:
    """Return the candidates worth measuring at a size, from predicted times, the fastest first."""
    return _first(seconds, _MANY if size <= _SMALL_BYTES else _FEW)


def _first(seconds: Mapping[str, float], count: int) -> dict[str, float]:
    names = sorted(seconds, key=lambda name: seconds[name])[:count]
    return {name: seconds[name] for name in names}


def _sizes(stake: Stake) -> list[int]:
    if stake.bytes == 0 and stake.call != "barrier":
        return [real_size(stake.call, size, stake.shape.num_ranks) for size in _UNKNOWN_SIZES]
    return [stake.point[1]]


def _ranked(call: str, sizes: Sequence[int], setting: Setting) -> Mapping[int, Mapping[str, float]]:
    """Return predicted times of the fastest variants of each algorithm, by size."""
    alike: dict[str, list[str]] = {}
    for name in candidates_for(call, setting.num_ranks, (), setting, is_measured=True):
        alike.setdefault(catalog.name_of(name), []).append(name)
    ranked: dict[int, dict[str, float]] = {size: {} for size in sizes}
    for variants in alike.values():
        for size, seconds in predict(setting, variants, sizes, _VARIANTS_LOOKED_AT).items():
            ranked[size].update(_different(seconds))
    return {size: _distinct(seconds, setting.num_ranks) for size, seconds in ranked.items()}


def _different(seconds: Mapping[str, float]) -> dict[str, float]:
    """Return the fastest variants of an algorithm, of equally fast ones the simplest."""
    by_time: dict[str, list[str]] = {}
    for name, time in seconds.items():
        by_time.setdefault(f"{time:.6e}", []).append(name)
    names = [min(equal, key=len) for equal in by_time.values()]
    return _first({name: seconds[name] for name in names}, _MOST_VARIANTS)


def _distinct(seconds: Mapping[str, float], num_ranks: int) -> dict[str, float]:
    """Return choices without those that do the same as one before them.

    With few ranks many trees are one, and a measurement would only tell their names apart.
    """
    step = max(1, num_ranks // _RANKS_LOOKED_AT)
    found: dict[tuple[str, ...], str] = {}
    for name in sorted(seconds, key=lambda name: (seconds[name], len(name))):
        ranks = range(0, num_ranks, step)
        programs = tuple(_core.program_text(name, num_ranks, 0, rank) for rank in ranks)
        found.setdefault(programs, name)
    return {name: seconds[name] for name in found.values()}
