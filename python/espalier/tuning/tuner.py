# SPDX-License-Identifier: Apache-2.0
"""A whole tuning: from the user's launcher options to a profile, a report and kept measurements."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.base.interruption import Interrupted
from espalier.conditions import conditions, metadata
from espalier.errors import MpiError
from espalier.io.console import progress
from espalier.launch import programs
from espalier.launch.measuring import parse_launcher
from espalier.profiles import merging
from espalier.sampling.candidates import requests_for
from espalier.sampling.job import start_job
from espalier.store.database import SessionFacts, Store, key_of
from espalier.store.memory import Memory
from espalier.tuning import outcome
from espalier.tuning.search import Search
from espalier.tuning.session import IF_UNWRITTEN, begin_or_continue, say_how_to_continue

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from espalier.conditions.cautions import Caution
    from espalier.sampling.goal import Goal
    from espalier.sampling.samples import Request


@dataclass(frozen=True)
class Job:
    """Where to tune and where results go."""

    words: tuple[str, ...]
    output: Path
    store: Path
    is_resumed: bool = False
    vendor: str | None = None
    repeat: str = ""


def tune(job: Job, goal: Goal) -> dict[str, Any]:
    """Tune, write the profile, and return the document of the report.

    Raises:
        Interrupted: after Ctrl-C or a signal, once something was measured.
    """
    goal.check()
    start = time.monotonic()
    command = parse_launcher(job.words)
    vendor = job.vendor or programs.vendor_of(command)
    merging.check(job.output, vendor)
    started = start_job(command, vendor)
    header = started.header
    # One number a rank: for finding candidates, not for keeping.
    nodes = header.pop("node_of_rank", ())
    requests = requests_for(goal, header["num_ranks"], nodes)
    cautions = conditions.of_machine()
    with Store(job.store) as store, progress("tuning", 100, goal.seconds, goal.seconds) as bar:
        memory = Memory(store, _session(store, job, goal, header, requests))
        search = Search(started.measurer, goal, memory, bar)
        cause: BaseException | None = None
        try:
            search.run(requests)
        except (KeyboardInterrupt, SystemExit, MpiError) as error:
            bar.close()
            if not search.verdicts():
                say_how_to_continue(job.repeat, store.path)
                raise
            cause = error
        about = {
            "command": job.repeat,
            "complete": cause is None,
            "seconds": time.monotonic() - start,
        }
        cautions += outcome.cautions_of(search, header, memory.problems)
        document = _conclude(job, goal, search, header, cautions, about)
        if cause is None and memory.store is not None:
            store.complete_session(memory.session)
    if cause is not None:
        say_how_to_continue(job.repeat, store.path)
        raise Interrupted(document, cause)
    return document


def _session(
    store: Store, job: Job, goal: Goal, header: dict[str, Any], requests: Sequence[Request]
) -> int:
    facts = SessionFacts(
        key=_key(job, goal, header, requests),
        command=job.repeat,
        mpi=header["mpi"],
        job=header,
        method={"confidence": goal.confidence, "seed": goal.seed, "seconds": goal.seconds},
    )
    return begin_or_continue(store, facts, is_resumed=job.is_resumed)


def _key(job: Job, goal: Goal, header: dict[str, Any], requests: Sequence[Request]) -> str:
    """Return what has to be equal for measurements to belong together."""
    machine = metadata.machine()
    facts = [
        job.words,
        header["num_ranks"],
        header["num_nodes"],
        header["mpi"],
        [machine["hostname"], machine["cpu"], machine["kernel"]],
        [goal.confidence, goal.seed],
        [[request.collective, request.bytes, request.algorithms] for request in requests],
    ]
    return key_of(facts)


def _conclude(
    job: Job,
    goal: Goal,
    search: Search,
    header: dict[str, Any],
    cautions: list[Caution],
    about: dict[str, Any],
) -> dict[str, Any]:
    verdicts = search.verdicts()
    profile = outcome.make_profile(verdicts, header, goal, about)
    is_worth_it = about["complete"] or any(not verdict.is_native for verdict in verdicts)
    about = {**about, "profile": str(job.output) if is_worth_it else None}
    if is_worth_it:
        about["changes"] = merging.add(job.output, profile, IF_UNWRITTEN)
    return outcome.make_document(profile, verdicts, header, cautions, about)
