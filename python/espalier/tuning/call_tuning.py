# SPDX-License-Identifier: Apache-2.0
"""The tuning of one call on a simulated machine: what is to be measured next, until all is known.

Candidates of a size are those that the replay model finds within a factor of its best, a few at
most; the native call is one more. Each is measured alone, so that one that takes too long to
simulate takes no other along; native calls have launches of their own.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from espalier.sampling.candidates import candidates_for, real_size
from espalier.sampling.samples import NATIVE, Request
from espalier.tuning import exact
from espalier.tuning.exact import WIDEST_STEP, Times
from espalier.tuning.modelled import predict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from espalier.sampling.samples import Point, Problem
    from espalier.sampling.setting import Setting
    from espalier.tuning.exact import Chosen

WRONG = "wrong result"


@dataclass(frozen=True)
class Shortlist:
    """Which candidates are worth simulating: so many at most, within this factor of the best."""

    setting: Setting
    patterns: tuple[str, ...] = ()
    most: int = 6
    factor: float = 1.5

    def of(self, call: str, sizes: Sequence[int]) -> dict[int, list[str]]:
        """Return the candidates for a call by size, those first that the model finds fastest.

        Where all of them are one algorithm with different arguments, the fastest of another one is
        the last: what the model does not see may be common to them.
        """
        candidates = candidates_for(call, self.setting.num_ranks, self.patterns, self.setting)
        if not candidates:
            return {size: [] for size in sizes}
        found = dict(predict(self.setting, candidates, sizes, self.most))
        alike = defaultdict(list)
        for size, seconds in found.items():
            if len(algorithms := {_algorithm(name) for name in seconds}) == 1:
                alike[algorithms.pop()].append(size)
        for algorithm, alike_sizes in alike.items():
            others = [name for name in candidates if _algorithm(name) != algorithm]
            if others:
                fastest = predict(self.setting, others, alike_sizes, 1)
                found.update({size: {**found[size], **fastest[size]} for size in alike_sizes})
        return {size: self._near_the_best(seconds) for size, seconds in found.items()}

    def _near_the_best(self, seconds: Mapping[str, float]) -> list[str]:
        best = min(seconds.values())
        return [name for name, time in seconds.items() if time <= self.factor * best]


@dataclass(frozen=True)
class Policy:
    """How a call is tuned.

    `min_gain` is the least gain for which native is left: 0.02 is 2 %. Without `keeps_native` it is
    never chosen, and not measured. Sizes with different choices are at most a factor `widest_step`
    apart in the end.
    """

    min_gain: float = 0.0
    keeps_native: bool = True
    widest_step: float = WIDEST_STEP


@dataclass(eq=False)
class CallTuning:
    """What is known of one call. Sizes are those that the call can have."""

    collective: str
    sizes: Sequence[int]
    shortlist: Shortlist
    policy: Policy = field(default_factory=Policy)
    _us: dict[int, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    # Why there is no time.
    _failures: dict[int, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    # Of each size that is worth knowing.
    _candidates: dict[int, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Bring sizes into a form that the call can have."""
        num_ranks = self.shortlist.setting.num_ranks
        self.sizes = sorted({real_size(self.collective, size, num_ranks) for size in self.sizes})

    def next_task(self) -> list[Request]:
        """Return what to measure now in one launch; nothing if all is known."""
        return (
            self._requests(self.sizes) or self._native_requests() or self._requests(self._between())
        )

    def take(self, point: Point) -> None:
        """Take a measured point."""
        times = {name: samples[0] for name, samples in point.samples_us.items()}
        self._us[point.asked_bytes].update(times)

    def exclude(self, problem: Problem) -> None:
        """Go on without a candidate, or the native call, that gave a wrong result."""
        self._failures[problem.asked_bytes][problem.algorithm] = f"{WRONG}: {problem.text}"

    def fail(self, request: Request, why: str) -> None:
        """Say that a point could not be measured."""
        self._failures[request.bytes][_name(request)] = why

    def chosen(self) -> list[Chosen]:
        """Return what to use at each size that is known so far."""
        row = [
            Times(size, self._us[size])
            for size in sorted(self._candidates)
            if self._us[size] and not self._missing(size) and self._is_native_known(size)
        ]
        return (
            exact.choose(
                self.collective,
                row,
                min_gain=self.policy.min_gain,
                keeps_native=self.policy.keeps_native,
            )
            if row
            else []
        )

    def failures(self) -> Iterator[tuple[int, str, str]]:
        """Yield sizes, what has no time there (a candidate or native), and why."""
        for size, failures in sorted(self._failures.items()):
            for name, why in failures.items():
                yield size, name, why

    def _between(self) -> list[int]:
        """Return sizes between those with different choices."""
        num_ranks = self.shortlist.setting.num_ranks
        between = exact.sizes_between(self.chosen(), self.policy.widest_step)
        return sorted({real_size(self.collective, size, num_ranks) for size in between})

    def _requests(self, sizes: Sequence[int]) -> list[Request]:
        # Listing them costs less for all sizes at once.
        unlisted = [size for size in sizes if size not in self._candidates]
        for size, listed in self.shortlist.of(self.collective, unlisted).items():
            names = dict.fromkeys([*listed, *self._chosen_around(size)])
            self._candidates[size] = list(names)
        return [
            Request(self.collective, size, (name,), has_native=False)
            for size in sizes
            for name in self._missing(size)
        ]

    def _native_requests(self) -> list[Request]:
        return [
            Request(self.collective, size, ())
            for size in sorted(self._candidates)
            if not self._is_native_known(size)
        ]

    def _missing(self, size: int) -> list[str]:
        known = {*self._us[size], *self._failures[size]}
        return [name for name in self._candidates[size] if name not in known]

    def _is_native_known(self, size: int) -> bool:
        known = {*self._us[size], *self._failures[size]}
        return NATIVE in known or not self.policy.keeps_native

    def _chosen_around(self, size: int) -> list[str]:
        """Return what is used at the sizes next to one: worth a try between them."""
        chosen = self.chosen()
        below = [one.algorithm for one in chosen if one.bytes < size][-1:]
        above = [one.algorithm for one in chosen if one.bytes > size][:1]
        return [name for name in below + above if name != NATIVE]


def _algorithm(candidate: str) -> str:
    return candidate.partition("[")[0]


def _name(request: Request) -> str:
    return NATIVE if request.has_native else request.algorithms[0]
