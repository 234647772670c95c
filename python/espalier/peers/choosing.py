# SPDX-License-Identifier: Apache-2.0
"""Profiles for a place: tuned in simulation, and made by the model; kept beside the store."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier import _core, machines, profiles
from espalier.console import json_text, say
from espalier.models import priced
from espalier.models.predictors import Setting
from espalier.models.profile import Question, model_profile
from espalier.output_files import write_whole
from espalier.peers.cells import MODEL, PROFILE
from espalier.peers.contenders import Ours, model_shortlist
from espalier.peers.record import fingerprint
from espalier.profiles import Shape
from espalier.tuning import simulated_tuner
from espalier.tuning.simulated_tuner import SimulatedFiles, SimulatedGoal
from espalier.tuning.simulation import SimulatedJob
from espalier.tuning.simulators import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from espalier.machines import Machine
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
    num_simulators: int
    profile: Path | None = None
    tunes: bool = True
    num_candidates: int = 0
    command: str = ""

    def notes(self) -> list[str]:
        """Return how ours were chosen."""
        if self.profile is not None:
            how = f"the profile is {self.profile} everywhere"
        elif self.tunes:
            how = "the profile of a place was tuned in simulation there (espalier tune --machine)"
        else:
            how = "no profile was tuned"
        return [
            how,
            "the model's profile has rules for the sizes of the tables and of tuning",
            "scan and exscan: the simulator has one linear algorithm for all peers",
        ]

    def ours(self, run: Run, until: float | None = None) -> Ours:
        """Return what stands for us in a place; it is tuned if that was not done yet.

        Tuning ends when time.monotonic() is past `until`, with what it has.
        """
        place = _Place(self, run, until)
        tuned = self.profile
        if tuned is None and self.tunes:
            tuned = place.tuned()
        files = {MODEL: place.modelled()}
        if tuned is not None:
            files = {PROFILE: tuned, **files}
        times = {} if tuned is None else _evidence(tuned)
        return Ours(files, place.candidates(), times, Shape(run.num_ranks, place.num_nodes))


class _Place:
    """The work for one run."""

    def __init__(self, choosing: Choosing, run: Run, until: float | None) -> None:
        self._choosing = choosing
        self._until = until
        self._is_complete = True
        self._run = run
        self._machine: Machine = machines.parse(run.machine)
        self._setting = Setting(run.machine, run.place.placement, run.num_ranks)
        job = SimulatedJob(run.machine, run.place.placement, run.num_ranks, choosing.under)
        self.num_nodes = simulated_tuner.num_nodes(self._machine, job)
        self._job = job

    def tuned(self) -> Path:
        """Return the profile that tuning in simulation gives."""
        run = self._run
        groups: dict[tuple[int, ...], list[str]] = {}
        for collective in run.simulated():
            groups.setdefault(run.tuned_at(collective), []).append(collective)
        path = self._path("tuned", [*map(list, groups.items())], run.seconds_per_point)
        if path.is_file():
            return path
        say(f"tuning for {run.place.label}")
        parts = [self._tune(path, sizes, names) for sizes, names in groups.items()]
        if not self._is_complete:
            path = path.with_suffix(".incomplete")
        whole = {**parts[0], "rules": [rule for part in parts for rule in part["rules"]]}
        write_whole(path, json_text(whole), "profile", _IF_UNWRITTEN)
        return path

    def _tune(self, path: Path, sizes: tuple[int, ...], collectives: list[str]) -> dict[str, Any]:
        """Return the profile for some calls."""
        run, choosing = self._run, self._choosing
        part = path.with_suffix(".part")
        goal = SimulatedGoal(
            job=self._job,
            machine=priced.described(self._machine, run.place.placement),
            setting=self._setting,
            collectives=tuple(collectives),
            sizes=sizes,
            most_candidates=run.tuned_candidates,
        )
        left = None if self._until is None else max(1.0, self._until - time.monotonic())
        limits = Limits(choosing.num_simulators, run.seconds_per_point, left)
        files = SimulatedFiles(part, choosing.store, is_resumed=True, repeat=choosing.command)
        try:
            found = simulated_tuner.tune(goal, files, limits, self._machine)
            self._is_complete = self._is_complete and found["complete"]
            return profiles.read(part).document
        finally:
            part.unlink(missing_ok=True)

    def modelled(self) -> Path:
        """Return the profile that the model gives."""
        run = self._run
        sizes = sorted({*run.tuned_sizes, *(size for row in run.sizes.values() for size in row)})
        path = self._path("model", sizes, 0)
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
        write_whole(path, json_text(model_profile(question, about)), "profile", _IF_UNWRITTEN)
        return path

    def candidates(self) -> Mapping[tuple[str, int], Sequence[str]]:
        """Return what is measured besides profiles, by call and bytes."""
        count = self._choosing.num_candidates
        if count == 0:
            return {}
        return {
            (collective, size): model_shortlist(self._run, collective, size, count)
            for collective in self._run.simulated()
            for _, size in self._run.points(collective)
        }

    def _path(self, kind: str, sizes: Sequence[Any], seconds: float) -> Path:
        run = self._run
        parts: list[Any] = [
            *(fingerprint(), _core_fingerprint(), self._choosing.under, seconds),
            *(run.machine, run.place.placement, run.num_ranks, run.tuned_candidates),
            *(sorted(run.simulated()), sorted(sizes)),
        ]
        digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
        folder = self._choosing.store.with_suffix(".profiles")
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{kind}-{digest}.json"


def _core_fingerprint() -> str:
    return hashlib.sha256(Path(str(_core.__file__)).read_bytes()).hexdigest()[:16]


def _evidence(path: Path) -> dict[tuple[str, int], dict[str, float]]:
    """Return the times that tuning measured, by call and bytes."""
    found: dict[tuple[str, int], dict[str, float]] = {}
    for rule in profiles.read(path).rules:
        for evidence in rule.get("evidence", ()):
            found.setdefault((rule["collective"], evidence["bytes"]), {}).update(
                {name: times["median_us"] for name, times in evidence["candidates"].items()}
            )
    return found
