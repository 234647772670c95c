# SPDX-License-Identifier: Apache-2.0
"""Profiles for a place: tuned in simulation, and made by the model; kept beside the store."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.io.console import say
from espalier.machines import machines, priced
from espalier.peers.cells import MODEL, PROFILE
from espalier.peers.contenders import Ours, model_shortlist
from espalier.peers.record import fingerprint
from espalier.profiles import profiles
from espalier.profiles.profiles import Shape
from espalier.sampling.setting import Setting
from espalier.sampling.simulation import SimulatedJob
from espalier.sampling.simulation_time import usual_seconds
from espalier.tuning import simulated_tuner
from espalier.tuning.call_tuning import Policy
from espalier.tuning.modelled import Question, model_profile
from espalier.tuning.session import Files
from espalier.tuning.simulated_goal import SimulatedGoal
from espalier.tuning.simulators import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from espalier.machines.machines import Machine
    from espalier.peers.experiment import Run

_VENDOR = "smpi"
_IF_UNWRITTEN = "free space there, then repeat the command: results are kept"


@dataclass(frozen=True)
class Choosing:
    """What stands for us.

    `profile` is used instead of a tuned one; without it, and with `tunes` false, there is none.
    `num_candidates` of the model's shortlist are measured in each point besides.
    """

    store: Path
    under: str
    # At a time; 0: what is usual for the number of ranks.
    simulators: int = 0
    profile: Path | None = None
    tunes: bool = True
    num_candidates: int = 0
    command: str = ""

    def num_simulators(self, run: Run) -> int:
        """Return how many simulators of a place run at a time."""
        return self.simulators or simulated_tuner.usual_num_simulators(run.num_ranks)

    def notes(self) -> list[str]:
        """Return how ours were chosen."""
        if self.profile is not None:
            how = f"the profile is {self.profile} everywhere"
        elif self.tunes:
            how = "the profile of a place was tuned in simulation there (espalier tune simulate)"
        else:
            how = "no profile was tuned"
        return [
            how,
            "the model's profile has rules for the sizes of the tables and of tuning",
            "scan and exscan: the simulator has one linear algorithm for all peers",
        ]

    def work(self, run: Run) -> float:
        """Return about how long ours() simulates for a profile; 0 if there is one, or none is."""
        if self.profile is not None or not self.tunes:
            return 0.0
        work = _Work(self, run, None)
        return 0.0 if work.tuned_path().is_file() else work.tuning_work()

    def ours(self, run: Run, until: float | None = None) -> Ours:
        """Return what stands for us in a place; it is tuned if that was not done yet.

        When time.monotonic() is past `until`, tuning ends with what it has, and nothing is
        modelled: there is no time to simulate it.
        """
        work = _Work(self, run, until)
        tuned = self.profile
        if tuned is None and self.tunes:
            tuned = work.tuned()
        files = {} if tuned is None else {PROFILE: tuned}
        if until is None or time.monotonic() < until:
            files[MODEL] = work.modelled()
        shape = Shape(run.num_ranks, work.num_nodes)
        times = {} if tuned is None else _evidence(tuned, shape)
        return Ours(files, shape, work.candidates(), times)


class _Work:
    """The work for one run."""

    def __init__(self, choosing: Choosing, run: Run, until: float | None) -> None:
        self._choosing = choosing
        self._until = until
        self._run = run
        self._machine: Machine = machines.parse(run.machine)
        self._setting = Setting(run.machine, run.place.placement, run.num_ranks)
        job = SimulatedJob(run.machine, run.place.placement, run.num_ranks, choosing.under)
        self.num_nodes = simulated_tuner.num_nodes(self._machine, job)
        self._job = job

    def tuned(self) -> Path:
        """Return the profile that tuning in simulation gives; it is made unless it is there."""
        run, choosing = self._run, self._choosing
        path = self.tuned_path()
        if path.is_file():
            return path
        calls, sizes_of = run.simulated(), self._tuned_sizes()
        say(f"tuning for {run.place.label}")
        goal = SimulatedGoal(
            job=self._job,
            machine=priced.described(self._machine, run.place.placement),
            setting=self._setting,
            collectives=tuple(calls),
            sizes=run.tuned_sizes,
            most_candidates=run.tuned_candidates,
            policy=Policy(widest_step=run.refined_to),
            sizes_of=sizes_of,
            ours_only=frozenset(name for name in calls if not run.tunes_native(name)),
        )
        left = None if self._until is None else max(1.0, self._until - time.monotonic())
        limits = Limits(choosing.num_simulators(run), run.seconds_per_point, left)
        incomplete = path.with_suffix(".incomplete")
        # Whoever repeats the comparison continues this, too.
        command = choosing.command
        files = Files(incomplete, choosing.store, None, repeat=command, to_continue=command)
        found = simulated_tuner.tune(goal, files, limits, self._machine)
        return incomplete.replace(path) if found["complete"] else incomplete

    def tuned_path(self) -> Path:
        """Return where the profile of tuned() is, once it is made."""
        return self._path("tuned", sorted(self._tuned_sizes().items()))

    def tuning_work(self) -> float:
        """Return about how long tuned() simulates."""
        run = self._run
        return sum(
            min(run.seconds_per_point, usual_seconds(name, size, run.num_ranks))
            * (run.tuned_candidates + run.tunes_native(name))
            for name, sizes in self._tuned_sizes().items()
            for size in sizes
        )

    def _tuned_sizes(self) -> dict[str, tuple[int, ...]]:
        return {name: self._run.tuned_at(name) for name in self._run.simulated()}

    def modelled(self) -> Path:
        """Return the profile that the model gives."""
        run = self._run
        sizes = sorted({*run.tuned_sizes, *(size for row in run.sizes.values() for size in row)})
        path = self._path("model", sizes)
        if path.is_file():
            return path
        question = Question(
            setting=self._setting,
            num_nodes=self.num_nodes,
            collectives=tuple(run.simulated()),
            sizes=tuple(sizes),
        )
        about = {
            "command": self._choosing.command,
            "machine": priced.described(self._machine, run.place.placement),
            "mpi": {"vendor": _VENDOR, "version": "predicted by a model, not measured"},
        }
        profiles.write(path, model_profile(question, about), _IF_UNWRITTEN)
        return path

    def candidates(self) -> Mapping[tuple[str, int], Sequence[str]]:
        """Return what is measured besides profiles, by call and bytes."""
        count = self._choosing.num_candidates
        if count == 0:
            return {}
        return {
            (collective, size): listed
            for collective in self._run.simulated()
            for size, listed in model_shortlist(self._run, collective, count).items()
        }

    def _path(self, kind: str, question: Sequence[Any]) -> Path:
        run = self._run
        parts: list[Any] = [
            *(fingerprint(), _core_fingerprint(), self._choosing.under, run.seconds_per_point),
            *(run.machine, run.place.placement, run.num_ranks),
            *(run.tuned_candidates, run.refined_to, run.simulated(), question),
        ]
        digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
        folder = self._choosing.store.with_suffix(".profiles")
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{kind}-{digest}.json"


def _core_fingerprint() -> str:
    return hashlib.sha256(Path(str(_core.__file__)).read_bytes()).hexdigest()[:16]


def _evidence(path: Path, shape: Shape) -> dict[tuple[str, int], dict[str, float]]:
    """Return the times that tuning measured with a shape, by call and bytes."""
    found: dict[tuple[str, int], dict[str, float]] = {}
    for rule in profiles.read(path).rules:
        if Shape(rule["num_ranks"], rule["num_nodes"]) != shape:
            continue
        for evidence in rule.get("evidence", ()):
            found.setdefault((rule["collective"], evidence["bytes"]), {}).update(
                {name: times["median_us"] for name, times in evidence["candidates"].items()}
            )
    return found
