# SPDX-License-Identifier: Apache-2.0
"""A profile from the replay model alone: nothing is run; 128 ranks take seconds.

At each size the candidate is used that the model finds fastest, with the root of rooted calls at
rank 0; of those that are equally fast, the one that makes fewer rules. Calls whose size not all
ranks know get the candidate whose times, over all sizes, have the least geometric mean.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

from espalier import __version__, _core
from espalier.base.background import each_in_background
from espalier.base.units import time_text
from espalier.errors import ArgumentError
from espalier.io.console import document
from espalier.profiles import profiles
from espalier.profiles.profiles import Shape
from espalier.sampling.candidates import candidates_for, real_size
from espalier.sampling.setting import class_of_placement
from espalier.tuning import selection
from espalier.tuning.rules import Telling, make_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from espalier.sampling.setting import Setting

# Doubling sizes, so that a rule changes within a factor of 1.5 of where the model would.
SIZES = tuple(2**exponent for exponent in range(3, 23))
# Times this close are equal: the last digits of a sum.
_EQUAL = 1e-6
# Shorter times, in seconds, count as this one: messages of no bytes can cost nothing.
_LEAST_SECONDS = 1e-12


@dataclass(frozen=True)
class Question:
    """For what a profile is wanted."""

    setting: Setting
    num_nodes: int
    collectives: tuple[str, ...]
    sizes: tuple[int, ...] = SIZES
    patterns: tuple[str, ...] = ()

    @property
    def shape(self) -> Shape:
        """Return the communicators that the rules are for."""
        setting = self.setting
        return Shape(setting.num_ranks, self.num_nodes, class_of_placement(setting))

    def check(self) -> None:
        """Raise ArgumentError for what no profile can be made for."""
        for name in self.collectives:
            if name not in _core.calls():
                raise ArgumentError(
                    f"expected a collective of {', '.join(_core.calls())}, got '{name}'"
                )
        if self.setting.num_ranks < 2:
            raise ArgumentError(
                f"expected at least 2 ranks, got {self.setting.num_ranks}",
                "ask for more with --ranks",
            )


@dataclass(frozen=True)
class Forecast:
    """What the model says of the candidates for one call and size."""

    collective: str
    bytes: int
    seconds: Mapping[str, float]

    @property
    def fastest(self) -> list[str]:
        """Return the candidates that nothing is faster than."""
        best = min(self.seconds.values())
        return [name for name, time in self.seconds.items() if time <= best * (1 + _EQUAL)]


@dataclass(frozen=True)
class _Chosen:
    collective: str
    bytes: int
    algorithm: str
    seconds: float


def model_profile(
    question: Question, about: Mapping[str, Any], on_forecast: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Return a profile document.

    Args:
        question: For what.
        about: Its `command`, `machine` and `mpi`.
        on_forecast: Is called when a size of a call is done.

    Raises:
        ArgumentError: there is nothing to choose from.
    """
    question.check()
    chosen = [
        one
        for _, row in groupby(forecasts(question, on_forecast), key=lambda one: one.collective)
        for one in _choose(list(row))
    ]
    telling = Telling(_reason, lambda _: None, goes_on=True)
    return document(
        profiles.schema,
        profiles.version,
        espalier=__version__,
        **about,
        method={
            "model": "replay",
            "sizes": list(question.sizes),
            "measured": False,
        },
        rules=make_rules(chosen, question.shape, telling),
    )


def forecasts(question: Question, on_forecast: Callable[[], None] = lambda: None) -> list[Forecast]:
    """Return what the model says, sorted by call, then by size.

    Raises:
        ArgumentError: there are no candidates.
    """
    num_ranks = question.setting.num_ranks
    wanted = [
        _Wanted(call, tuple(candidates), tuple(sorted(sizes)))
        for call in sorted(question.collectives)
        if (candidates := candidates_for(call, num_ranks, question.patterns, question.setting))
        if (sizes := {real_size(call, size, num_ranks) for size in question.sizes})
    ]
    if not wanted:
        raise ArgumentError(
            f"expected algorithms for {num_ranks} ranks among {', '.join(question.patterns)},"
            " got none",
            "'espalier list' prints all algorithms",
        )

    def look(calls: list[_Wanted]) -> list[Forecast]:
        first = calls[0]
        sizes = sorted({size for call in calls for size in call.sizes})
        found = predict(question.setting, first.candidates, sizes, first.num_exact)
        row = [Forecast(one.call, size, found[size]) for one in calls for size in one.sizes]
        for _ in row:
            on_forecast()
        return row

    alike: dict[tuple[tuple[str, ...], int], list[_Wanted]] = {}
    for one in wanted:
        alike.setdefault((one.candidates, one.num_exact), []).append(one)
    rows = each_in_background(look, alike.values())
    return sorted(chain.from_iterable(rows), key=lambda one: (one.collective, one.bytes))


@dataclass(frozen=True)
class _Wanted:
    """A call; others that differ only in how blocks are given have the same candidates."""

    call: str
    candidates: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def num_exact(self) -> int:
        """Return how many times are wanted: all where one candidate has to serve all sizes."""
        return 3 if _core.has_known_size(self.call) else len(self.candidates)


def predict(
    setting: Setting, candidates: Sequence[str], sizes: Sequence[int], num_best: int
) -> dict[int, Mapping[str, float]]:
    """Return the `num_best` fastest candidates at each size, the fastest first, in seconds.

    Sizes asked for together cost less than one after the other. What was found is remembered.
    """
    known = _known(setting, tuple(candidates), num_best)
    if missing := sorted(set(sizes) - known.keys()):
        rankings = _core.best_sharing(
            list(candidates),
            setting.num_ranks,
            0,
            setting.machine,
            setting.placement,
            missing,
            num_best,
        )
        for size, ranking in zip(missing, rankings, strict=True):
            known[size] = {one["choice"]: one["seconds"] for one in ranking[:num_best]}
    return {size: known[size] for size in sizes}


@functools.cache
def _known(
    _setting: Setting, _candidates: tuple[str, ...], _num_best: int
) -> dict[int, Mapping[str, float]]:
    """Return what predict() remembers by size."""
    return {}


def _choose(row: list[Forecast]) -> list[_Chosen]:
    if _core.has_known_size(row[0].collective):
        names = selection.longest_runs([one.fastest for one in row])
    else:
        names = [_best_at_all(row)] * len(row)
    return [
        _Chosen(one.collective, one.bytes, name, one.seconds[name])
        for one, name in zip(row, names, strict=True)
        if name is not None
    ]


def _best_at_all(row: list[Forecast]) -> str:
    common = [name for name in row[0].seconds if all(name in one.seconds for one in row)]
    return min(common, key=lambda name: sum(_log(one.seconds[name]) for one in row))


def _log(seconds: float) -> float:
    return math.log(max(seconds, _LEAST_SECONDS))


def _reason(group: list[_Chosen]) -> str:
    first, last = group[0], group[-1]
    times = time_text(first.seconds)
    if len(group) > 1:
        times += f" to {time_text(last.seconds)}"
    sizes = "at one size" if len(group) == 1 else f"at {len(group)} sizes"
    return f"fastest by the replay model {sizes}: {times}; not measured"
