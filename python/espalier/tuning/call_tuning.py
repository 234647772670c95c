# SPDX-License-Identifier: Apache-2.0
"""The tuning of one call on a simulated machine: what is to be measured next, until all is known.

Candidates of a size are those that the replay model finds within a factor of its best, a few at
most. A size at which the native call fails, or takes too long to simulate, is measured again with
the native call of another library as the reference, which is then not counted as native.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from espalier.models.profile import predict
from espalier.tuning import exact
from espalier.tuning.exact import Times
from espalier.tuning.samples import NATIVE, Request
from espalier.tuning.search import candidates_for, real_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.models.predictors import Setting
    from espalier.tuning.exact import Chosen
    from espalier.tuning.samples import Point, Problem

# Whose native call is the reference where that of the peer cannot be.
REFERENCES = ("mpich", "mvapich2")


@dataclass(frozen=True)
class Shortlist:
    """Which candidates are worth simulating: so many at most, within this factor of the best."""

    setting: Setting
    patterns: tuple[str, ...] = ()
    most: int = 6
    factor: float = 1.5

    def of(self, call: str, num_bytes: int) -> list[str]:
        """Return the candidates for a call, those first that the model finds fastest."""
        candidates = candidates_for(call, self.setting.num_ranks, self.patterns, self.setting)
        if not candidates:
            return []
        seconds = predict(self.setting, candidates, num_bytes, self.most)
        best = min(seconds.values())
        return [name for name, time in seconds.items() if time <= self.factor * best]


@dataclass(frozen=True)
class Task:
    """Points to measure in one launch, under the algorithms of one library."""

    peer: str
    requests: list[Request]


@dataclass
class CallTuning:
    """What is known of one call. Sizes are those that the call can have."""

    collective: str
    sizes: Sequence[int]
    shortlist: Shortlist
    peer: str
    min_gain: float = 0.0
    keeps_native: bool = True
    _times: dict[int, Times] = field(default_factory=dict)
    _lists: dict[int, list[str]] = field(default_factory=dict)
    _failures: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    _wrong: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    def __post_init__(self) -> None:
        """Bring sizes into a form that the call can have."""
        num_ranks = self.shortlist.setting.num_ranks
        self.sizes = sorted({real_size(self.collective, size, num_ranks) for size in self.sizes})

    @property
    def references(self) -> list[str]:
        """Return whose native calls are tried as the reference, that of the peer first."""
        return [self.peer, *(name for name in REFERENCES if name != self.peer)]

    def next_task(self) -> Task | None:
        """Return what to measure now, None if all is known."""
        missing = [size for size in self._wanted() if size not in self._times]
        for number, peer in enumerate(self.references):
            now = [size for size in missing if len(self._failures[size]) == number]
            if now:
                return Task(peer, [self._request(size) for size in now])
        return None

    def take(self, point: Point, peer: str) -> None:
        """Take a measured point; native counts only under the peer."""
        us = {name: times[0] for name, times in point.samples_us.items()}
        if peer != self.peer:
            del us[NATIVE]
        self._times[point.asked_bytes] = Times(point.asked_bytes, us)

    def exclude(self, problem: Problem) -> None:
        """Go on without a candidate that gave a wrong result."""
        self._wrong[problem.asked_bytes].add(problem.algorithm)

    def fail(self, size: int, why: str) -> None:
        """Say that a size could not be measured under the reference it was tried with."""
        self._failures[size].append(why)

    def chosen(self) -> list[Chosen]:
        """Return what to use at each size that is known so far."""
        row = [self._times[size] for size in sorted(self._times)]
        return (
            exact.choose(
                self.collective, row, min_gain=self.min_gain, keeps_native=self.keeps_native
            )
            if row
            else []
        )

    def left_out(self) -> dict[int, str]:
        """Return sizes that could not be measured at all, and why."""
        return {
            size: failures[-1]
            for size, failures in sorted(self._failures.items())
            if failures and size not in self._times
        }

    def without_native(self) -> dict[int, str]:
        """Return sizes at which the native call could not be measured, and why."""
        return {
            size: failures[0]
            for size, failures in sorted(self._failures.items())
            if failures and size in self._times
        }

    def _wanted(self) -> list[int]:
        """Return all sizes worth knowing by what is known; more once those are known."""
        first = [size for size in self.sizes if size not in self._times]
        if any(len(self._failures[size]) < len(self.references) for size in first):
            return first
        num_ranks = self.shortlist.setting.num_ranks
        between = exact.sizes_between(self.chosen())
        return sorted({real_size(self.collective, size, num_ranks) for size in between})

    def _request(self, size: int) -> Request:
        if size not in self._lists:
            listed = self.shortlist.of(self.collective, size)
            self._lists[size] = list(dict.fromkeys([*listed, *self._chosen_around(size)]))
        names = [name for name in self._lists[size] if name not in self._wrong[size]]
        return Request(self.collective, size, tuple(names))

    def _chosen_around(self, size: int) -> list[str]:
        """Return what is used at the sizes next to one: worth a try between them."""
        chosen = self.chosen()
        below = [one.algorithm for one in chosen if one.bytes < size][-1:]
        above = [one.algorithm for one in chosen if one.bytes > size][:1]
        return [name for name in below + above if name != NATIVE]
