# SPDX-License-Identifier: Apache-2.0
"""Results in the store of measurements, found again unless the code or the question changed."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from espalier import installation
from espalier.sampling.samples import Point, Problem, name_of
from espalier.sampling.simulation import PEERS
from espalier.store.database import SessionFacts, key_of

if TYPE_CHECKING:
    from pathlib import Path

    from espalier.sampling.pool import Failure, Task
    from espalier.store.database import Store

STAGE = "peers"
_FAILED = "failed"


def fingerprint() -> str:
    """Return a text that changes when the measuring program or our part of the simulator does."""
    folder = installation.build_folder()
    files = [
        installation.measurement_program("smpi"),
        None if folder is None else folder / "lib/libespalier-smpi-platform.so",
        None if folder is None else folder / "lib/libespalier-smpi-setup.so",
    ]
    digest = hashlib.sha256()
    for path in files:
        digest.update(b"" if path is None or not path.is_file() else path.read_bytes())
    return digest.hexdigest()[:16]


def _content(path: Path) -> str:
    """Return what a profile decides, which is not when it was made."""
    rules = json.loads(path.read_text(encoding="utf-8"))["rules"]
    kept = [{name: rule[name] for name in rule if name != "evidence"} for rule in rules]
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:16]


class RunRecord:
    """What tasks found, one session each."""

    def __init__(self, store: Store, command: str) -> None:
        """Keep the store, and the command that sessions are said to be of."""
        self._store = store
        self._command = command
        self._code = fingerprint()
        self._sessions: dict[str, int] = {}

    def recall(self, task: Task) -> tuple[list[Point], list[Problem]]:
        """Return what is known of a task, and begin or continue its session."""
        key = self._key(task)
        known = self._store.latest_session(key)
        self._sessions[task.name] = (
            self._store.begin_session(self._facts(task, key)) if known is None else known
        )
        if known is None:
            return [], []
        asked = {name_of(request) for request in task.requests}
        return (
            [one for one in self._store.points(known, STAGE) if name_of(one) in asked],
            [one for one in self._store.problems(known) if name_of(one) in asked],
        )

    def keep(self, task: Task, result: Point | Problem) -> None:
        """Keep a result at once."""
        session = self._sessions[task.name]
        if isinstance(result, Point):
            self._store.add_point(session, STAGE, result)
        else:
            self._store.add_problem(session, STAGE, result)

    def keep_failure(self, task: Task, failure: Failure) -> None:
        """Keep why a point has no times."""
        problem = Problem(*name_of(failure.request), _FAILED, failure.reason)
        self._store.add_problem(self._sessions[task.name], STAGE, problem)

    def _key(self, task: Task) -> str:
        parts: dict[str, Any] = {
            "code": self._code,
            "machine": task.job.machine,
            "placement": task.job.placement,
            "num_ranks": task.job.num_ranks,
            "peer": task.job.peer,
            "settings": task.job.settings,
            "profiles": {name: _content(path) for name, path in task.profiles.items()},
            "seconds_per_point": task.seconds_per_point,
        }
        return f"peers {key_of(parts)}"

    def _facts(self, task: Task, key: str) -> SessionFacts:
        job = task.job
        return SessionFacts(
            key=key,
            command=self._command,
            mpi={"vendor": "smpi", "version": PEERS[job.peer], "simulated": True},
            job={
                "machine": job.machine,
                "placement": job.placement,
                "num_ranks": job.num_ranks,
                "peer": job.peer,
            },
            method={"simulated": True, "stage": task.name},
        )


def is_failure(problem: Problem) -> bool:
    """Return whether a problem says that a point has no times."""
    return problem.reason == _FAILED
