# SPDX-License-Identifier: Apache-2.0
"""`espalier tune --machine ...`: tuning in simulation."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.cli.options import SIMULATED_VENDOR, check_vendor
from espalier.errors import ArgumentError
from espalier.machines import machines, priced
from espalier.sampling.setting import Setting
from espalier.sampling.simulation import DEFAULT_PEER, SimulatedJob
from espalier.tuning import simulated_tuner
from espalier.tuning.call_tuning import Policy
from espalier.tuning.session import Files
from espalier.tuning.simulated_goal import SimulatedGoal
from espalier.tuning.simulated_tuner import usual_num_simulators
from espalier.tuning.simulators import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

DEFAULT_SHORTLIST = 6
DEFAULT_POINT_LIMIT = "120s"


def check_not_simulated(given: Mapping[str, bool]) -> None:
    """Raise ArgumentError for an option of simulation that was given without a machine."""
    for option, is_given in given.items():
        if is_given:
            raise ArgumentError(
                f"expected --machine with {option}, found none",
                f"leave out {option}: it is for tuning in simulation only",
            )


@dataclass(frozen=True)
class Simulated:
    """The options of a tuning in simulation; see `espalier tune --help`."""

    machine: str
    placement: str | None
    num_ranks: int | None
    peer: str
    vendor: str
    most_candidates: int
    ours_only: bool
    num_simulators: int | None
    point_limit: str
    collectives: tuple[str, ...]
    sizes: tuple[int, ...]
    patterns: tuple[str, ...]
    min_gain: float
    seconds: float | None
    seconds_per_point: float
    output: Path
    store: Path
    is_resumed: bool

    def run(self, words: Sequence[str]) -> dict[str, Any]:
        """Tune and return the document; `words` are the options that all tunings have.

        Raises:
            Interrupted: after Ctrl-C or a signal, once something was measured.
        """
        check_vendor(self.vendor)
        found = priced.load(self.machine)
        setting = Setting(found.text, *machines.setting(found, self.placement, self.num_ranks))
        goal = SimulatedGoal(
            job=SimulatedJob(found.short_text, setting.placement, setting.num_ranks, self.peer),
            machine=priced.described(found, setting.placement),
            setting=setting,
            collectives=self.collectives,
            sizes=self.sizes,
            patterns=self.patterns,
            most_candidates=self.most_candidates,
            policy=Policy(self.min_gain, keeps_native=not self.ours_only),
            vendor=self.vendor,
        )
        files = Files(
            output=self.output,
            store=self.store,
            is_resumed=self.is_resumed,
            repeat=shlex.join(["espalier", "tune", *words, *self._words(setting)]),
            to_continue=shlex.join(["espalier", "tune", "--resume", *words, *self._words(setting)]),
        )
        limits = Limits(
            num_simulators=self.num_simulators or usual_num_simulators(setting.num_ranks),
            seconds_per_point=self.seconds_per_point,
            seconds=self.seconds,
        )
        return simulated_tuner.tune(goal, files, limits, found)

    def _words(self, setting: Setting) -> list[str]:
        words = ["--machine", self.machine, "--placement", setting.placement]
        words += ["--ranks", str(setting.num_ranks)]
        options = {
            "--peer": (self.peer, DEFAULT_PEER),
            "--for": (self.vendor, SIMULATED_VENDOR),
            "--shortlist": (str(self.most_candidates), str(DEFAULT_SHORTLIST)),
            "--point-limit": (self.point_limit, DEFAULT_POINT_LIMIT),
        }
        words += [
            word
            for name, (value, usual) in options.items()
            if value != usual
            for word in (name, value)
        ]
        return words + (["--ours-only"] if self.ours_only else [])
