# SPDX-License-Identifier: Apache-2.0
"""What stands for us in a place: a tuned profile, one of the model, and all that was measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from espalier.peers.cells import BEST, OURS, Outcome
from espalier.profiles import profiles
from espalier.sampling.candidates import candidates_for
from espalier.sampling.samples import NATIVE
from espalier.sampling.setting import Setting
from espalier.tuning.modelled import predict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from espalier.peers.experiment import Run
    from espalier.profiles.profiles import Profile, Shape

PREFIX = "profile/"

_Key = tuple[str, int]


@dataclass
class Ours:
    """Files by name (`profile`, `model`), and candidates that are measured, or were by tuning.

    Both of these by call and bytes, the times of tuning in microseconds.
    """

    profiles: Mapping[str, Path]
    shape: Shape
    candidates: Mapping[_Key, Sequence[str]] = field(default_factory=dict)
    tuned: Mapping[_Key, Mapping[str, float]] = field(default_factory=dict)
    _read: dict[str, Profile] = field(default_factory=dict)

    def algorithms(self, collective: str, num_bytes: int) -> list[str]:
        """Return what to measure in a point: of profiles that choose the same only one."""
        profiles_ = self._measured(collective, num_bytes).values()
        return list(dict.fromkeys([*profiles_, *self.candidates.get((collective, num_bytes), ())]))

    def outcomes(
        self,
        collective: str,
        num_bytes: int,
        us: Mapping[str, float],
        failures: Mapping[str, str],
    ) -> dict[str, Outcome]:
        """Return ours in a point: by profile, by model, and the best of all that was measured.

        Args:
            collective: The call.
            num_bytes: Of the whole result.
            us: Times by algorithm.
            failures: Why algorithms have none.
        """
        found = {}
        for name, algorithm in self._measured(collective, num_bytes).items():
            choice = self._decided(name, collective, num_bytes)
            found[name] = Outcome(us.get(algorithm), choice, failures.get(algorithm, ""))
        times = {name: time for name, time in us.items() if not name.startswith(PREFIX)}
        times |= self.tuned.get((collective, num_bytes), {})
        for outcome in found.values():
            if outcome.us is not None and outcome.choice != NATIVE:
                times[outcome.choice] = min(outcome.us, times.get(outcome.choice, outcome.us))
        if times:
            choice = min(times, key=lambda name: times[name])
            found[BEST] = Outcome(times[choice], choice)
        return {name: found[name] for name in OURS if name in found}

    def _measured(self, collective: str, num_bytes: int) -> dict[str, str]:
        """Return for each profile what is measured: itself, or one before that chooses the same."""
        by_choice: dict[str, str] = {}
        return {
            name: by_choice.setdefault(self._decided(name, collective, num_bytes), PREFIX + name)
            for name in self.profiles
        }

    def _decided(self, name: str, collective: str, num_bytes: int) -> str:
        if name not in self._read:
            self._read[name] = profiles.read(self.profiles[name])
        return self._read[name].decide(collective, self.shape, [num_bytes])[0]["algorithm"]


def model_shortlist(run: Run, collective: str, count: int) -> dict[int, list[str]]:
    """Return the algorithms that the model says are fastest, best first, by the call's size."""
    place = run.place
    setting = Setting(run.machine, place.placement, place.num_ranks)
    candidates = candidates_for(collective, place.num_ranks, (), setting)
    sizes = [size for _, size in run.points(collective)]
    found = predict(setting, candidates, sizes, count)
    return {size: list(seconds) for size, seconds in found.items()}
