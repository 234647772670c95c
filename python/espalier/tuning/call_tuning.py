# SPDX-License-Identifier: Apache-2.0
"""The tuning of one call on a simulated machine: what is to be measured next, until all is known.

Candidates of a size are those that the replay model finds within a factor of its best, a few at
most; the native call is one more. Each is measured alone, so that one that takes too long to
simulate takes no other along; native calls have launches of their own.

If a good one is enough, the fastest two of each algorithm are measured first, by the model's order.
Others follow, two at a time, as long as one can be expected to be better by more than is asked for:
at its predicted time, corrected by the prediction of its algorithm that was most too high. What a
model of a machine gets wrong it gets wrong for all variants of an algorithm alike.
"""

from __future__ import annotations

import math
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
_OF_EACH_ALGORITHM, _AT_A_TIME = 2, 2


@dataclass(frozen=True)
class Shortlist:
    """Which candidates are worth simulating: so many at most, within this factor of the best."""

    setting: Setting
    patterns: tuple[str, ...] = ()
    most: int = 6
    factor: float = 1.5

    def of(self, call: str, sizes: Sequence[int]) -> dict[int, list[str]]:
        """Return the candidates for a call by size, those first that the model finds fastest."""
        return {size: list(seconds) for size, seconds in self.predicted(call, sizes).items()}

    def predicted(self, call: str, sizes: Sequence[int]) -> dict[int, dict[str, float]]:
        """Return the same with the times that the model predicts, in seconds.

        Where all of them are one algorithm with different arguments, the fastest of another one is
        the last: what the model does not see may be common to them.
        """
        candidates = candidates_for(
            call, self.setting.num_ranks, self.patterns, self.setting, is_measured=True
        )
        if not candidates:
            return {size: {} for size in sizes}
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

    def _near_the_best(self, seconds: Mapping[str, float]) -> dict[str, float]:
        best = min(seconds.values())
        return {name: time for name, time in seconds.items() if time <= self.factor * best}


@dataclass(frozen=True)
class Policy:
    """How a call is tuned.

    `min_gain` is the least gain for which native is left: 0.02 is 2 %. Without `keeps_native` it is
    never chosen, and not measured. Sizes with different choices are at most a factor `widest_step`
    apart in the end. Candidates that may be better by less than `good_enough` are left out; None
    leaves none out.
    """

    min_gain: float = 0.0
    keeps_native: bool = True
    widest_step: float = WIDEST_STEP
    good_enough: float | None = None


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
    # Seconds of those that the shortlist names.
    _predicted: dict[int, dict[str, float]] = field(default_factory=dict)

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
            if self._us[size] and not self._worth_measuring(size) and self._is_native_known(size)
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
        for size, predicted in self.shortlist.predicted(self.collective, unlisted).items():
            self._predicted[size] = predicted
            names = dict.fromkeys([*predicted, *self._chosen_around(size)])
            self._candidates[size] = list(names)
        return [
            Request(self.collective, size, (name,), has_native=False)
            for size in sizes
            for name in self._worth_measuring(size)
        ]

    def _native_requests(self) -> list[Request]:
        return [
            Request(self.collective, size, ())
            for size in sorted(self._candidates)
            if not self._is_native_known(size)
        ]

    def _worth_measuring(self, size: int) -> list[str]:
        """Return the candidates that are to be measured next, of those that were not yet."""
        missing = self._missing(size)
        if self.policy.good_enough is None or not missing:
            return missing
        if not self._us[size]:
            return _first_of_each(missing)
        return self._hopeful(size, missing)[:_AT_A_TIME]

    def _hopeful(self, size: int, missing: Sequence[str]) -> list[str]:
        """Return the candidates that may be better by more than is good enough."""
        predicted = self._predicted[size]
        known = {name: us * 1e-6 for name, us in self._us[size].items() if name != NATIVE}
        corrections: dict[str, float] = {}
        for name, seconds in known.items():
            if name in predicted:
                algorithm = _algorithm(name)
                correction = seconds / predicted[name]
                corrections[algorithm] = min(correction, corrections.get(algorithm, correction))
        goal = min(known.values(), default=math.inf) / (1 + (self.policy.good_enough or 0.0))
        # Of what the model was not asked about, or of whose algorithm nothing could be measured,
        # nothing is expected: it is tried.
        expected = {
            name: predicted.get(name, 0.0) * corrections.get(_algorithm(name), 0.0)
            for name in missing
        }
        return sorted(
            (name for name in missing if expected[name] < goal), key=lambda name: expected[name]
        )

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


def _first_of_each(names: Sequence[str]) -> list[str]:
    """Return the first two names of each algorithm."""
    count: dict[str, int] = defaultdict(int)
    found = []
    for name in names:
        count[_algorithm(name)] += 1
        if count[_algorithm(name)] <= _OF_EACH_ALGORITHM:
            found.append(name)
    return found


def _algorithm(candidate: str) -> str:
    return candidate.partition("[")[0]


def _name(request: Request) -> str:
    return NATIVE if request.has_native else request.algorithms[0]
