# SPDX-License-Identifier: Apache-2.0
"""Searches carried out on times that are kept: what they ask for, and what they choose."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.sampling.samples import NATIVE, Point
from espalier.sampling.setting import Setting
from espalier.tuning.call_tuning import CallTuning, Policy, Shortlist
from espalier.tuning.simulated_goal import GUIDED_FACTOR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Row = Mapping[str, Any]


@dataclass(frozen=True)
class KeptShortlist(Shortlist):
    """A shortlist of all predictions that are kept, within a factor of the best."""

    kept: Mapping[str, float] = dataclasses.field(default_factory=dict)

    def predicted(self, _: str, sizes: Sequence[int]) -> dict[int, dict[str, float]]:
        """Return the fastest ones by the model."""
        names = sorted(self.kept, key=lambda name: self.kept[name])
        best = min(self.kept.values())
        near = {name: self.kept[name] for name in names if self.kept[name] <= self.factor * best}
        return {size: dict(near) for size in sizes}


@dataclass(frozen=True)
class Searched:
    """What a search found, and what it took beside timing everything."""

    row: Row
    algorithm: str
    us: float
    num_timed: int
    timed_us: float

    @property
    def regret(self) -> float:
        """Return how many times as long the choice takes as the best of all, native among it."""
        return self.us / min([self.row["native_us"], *self.row["us"].values()])

    @property
    def share_of_candidates(self) -> float:
        """Return how many candidates were timed, of all."""
        return self.num_timed / len(self.row["us"])

    @property
    def share_of_time(self) -> float:
        """Return the time of the calls that were timed, of all; native calls are among both."""
        native = self.row["native_us"]
        return (native + self.timed_us) / (native + sum(self.row["us"].values()))


def estimated(row: Row, model: str = "predicted") -> Searched:
    """Return the choice of the model, for which nothing is timed; `mistaken` is another one."""
    predicted = row[model]
    name = min(predicted, key=lambda one: predicted[one])
    return Searched(row, name, row["us"][name], 0, -row["native_us"])


def searched(
    row: Row, declared: Mapping[str, Any], good_enough: float, model: str = "predicted"
) -> Searched:
    """Return what `espalier tune simulate --good-enough` finds."""
    platform = next(one for one in declared["platform"] if one["name"] == row["platform"])
    setting = Setting(platform["machine"], row["placement"], platform["ranks"])
    shortlist = KeptShortlist(setting, factor=GUIDED_FACTOR, kept=row[model])
    policy = Policy(good_enough=good_enough, widest_step=float("inf"))
    tuning = CallTuning(row["collective"], (row["bytes"],), shortlist, policy)
    timed: list[str] = []
    while tasks := tuning.next_task():
        for task in tasks:
            name = next(iter(task.algorithms), NATIVE)
            us = row["native_us"] if name == NATIVE else row["us"][name]
            timed += [] if name == NATIVE else [name]
            tuning.take(Point(row["collective"], task.bytes, task.bytes, 1, {name: (us,)}))
    (chosen,) = tuning.chosen()
    return Searched(
        row,
        chosen.algorithm,
        chosen.times.us[chosen.algorithm],
        len(timed),
        sum(row["us"][name] for name in timed),
    )
