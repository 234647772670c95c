# SPDX-License-Identifier: Apache-2.0
"""What stands for us in a place: a tuned profile, one of the model, and all that was measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from espalier import _core, profiles
from espalier.models.predictors import Setting
from espalier.peers.cells import BEST, MODEL, PROFILE, Outcome
from espalier.tuning.samples import NATIVE
from espalier.tuning.search import candidates_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from espalier.peers.experiment import Run
    from espalier.profiles import Profile, Shape
    from espalier.tuning.samples import Point

PREFIX = "profile/"

_Key = tuple[str, int]


@dataclass
class Ours:
    """Files by name (`profile`, `model`), and candidates that are measured, or were by tuning.

    Both of these by call and bytes; if there is no file `model`, the first candidate is its choice.
    """

    profiles: Mapping[str, Path] = field(default_factory=dict)
    candidates: Mapping[_Key, Sequence[str]] = field(default_factory=dict)
    tuned: Mapping[_Key, Mapping[str, float]] = field(default_factory=dict)
    shape: Shape | None = None
    _read: dict[str, Profile] = field(default_factory=dict)

    def algorithms(self, collective: str, num_bytes: int) -> tuple[str, ...]:
        """Return what to measure in a point."""
        candidates = self.candidates.get((collective, num_bytes), ())
        return (*(PREFIX + name for name in self.profiles), *candidates)

    def _decided(self, name: str, point: Point) -> str:
        """Return what a profile chooses; the store does not keep what the program said."""
        if self.shape is None or name not in self.profiles:
            return point.decided.get(PREFIX + name, "")
        if name not in self._read:
            self._read[name] = profiles.read(self.profiles[name])
        return self._read[name].decide(point.collective, self.shape, [point.bytes])[0]["algorithm"]

    def outcomes(self, point: Point) -> dict[str, Outcome]:
        """Return ours in a point: by profile, by model, and the best of all that was measured."""
        found = {
            name.removeprefix(PREFIX): Outcome(
                times[0], self._decided(name.removeprefix(PREFIX), point)
            )
            for name, times in point.samples_us.items()
            if name.startswith(PREFIX)
        }
        key = point.collective, point.bytes
        times = {
            name: samples[0]
            for name, samples in point.samples_us.items()
            if name != NATIVE and not name.startswith(PREFIX)
        }
        if MODEL not in found and (first := next(iter(self.candidates.get(key, ())), "")) in times:
            found[MODEL] = Outcome(times[first], first)
        times |= self.tuned.get(key, {})
        for outcome in found.values():
            if outcome.us is not None and outcome.choice != NATIVE:
                times[outcome.choice] = min(outcome.us, times.get(outcome.choice, outcome.us))
        if times:
            choice = min(times, key=lambda name: times[name])
            found[BEST] = Outcome(times[choice], choice)
        return {name: found[name] for name in (PROFILE, MODEL, BEST) if name in found}


def model_shortlist(run: Run, collective: str, num_bytes: int, count: int) -> list[str]:
    """Return the algorithms that the model says are fastest, best first."""
    place = run.place
    setting = Setting(run.machine, place.placement, place.num_ranks)
    candidates = candidates_for(collective, place.num_ranks, (), setting)
    ranked = _core.best_sharing(
        candidates, place.num_ranks, 0, run.machine, place.placement, float(num_bytes), count
    )
    return [entry["choice"] for entry in ranked[:count]]
