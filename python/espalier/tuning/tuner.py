# SPDX-License-Identifier: Apache-2.0
"""A whole tuning: from the user's launcher options to a profile, a report and kept measurements."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.conditions import conditions, metadata
from espalier.errors import MpiError
from espalier.io.console import progress, say
from espalier.launch import programs
from espalier.launch.measuring import parse_launcher
from espalier.profiles import merging
from espalier.sampling.candidates import requests_for
from espalier.sampling.goal import MEASURE
from espalier.sampling.job import start_job
from espalier.sampling.native_algorithms import offered, with_native_algorithms
from espalier.sampling.setting import difference
from espalier.store.database import SessionFacts, Store, key_of
from espalier.tuning import outcome
from espalier.tuning.call_tuning import Shortlist
from espalier.tuning.search import Search
from espalier.tuning.session import IF_UNWRITTEN, Files, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from espalier.conditions.cautions import Caution
    from espalier.sampling.goal import Goal
    from espalier.sampling.job import Job as StartedJob
    from espalier.sampling.samples import Request
    from espalier.sampling.setting import Setting


# Of what a model knows, so many candidates at most are measured, and none that it finds more than
# this factor slower than its best: it is not that wrong.
_MOST_CANDIDATES, _SLOWEST = 12, 3.0
# What is measured until then is worth a report.
_ENDS = (KeyboardInterrupt, SystemExit, MpiError)


@dataclass(frozen=True)
class Job:
    """The launcher with its options, and where results go."""

    words: tuple[str, ...]
    files: Files
    vendor: str | None = None


def tune(
    job: Job, goal: Goal, setting_of: Callable[[int], Setting | None] = lambda _: None
) -> dict[str, Any]:
    """Tune, write the profile, and return the document of the report.

    Args:
        job: With what, and where to.
        goal: What, and how thoroughly.
        setting_of: Where so many ranks lie on a machine that a model knows; None if none does.

    Raises:
        Interrupted: after Ctrl-C or a signal, once something was measured.
    """
    goal.check()
    command = parse_launcher(job.words)
    vendor = job.vendor or programs.vendor_of(command)
    merging.check(job.files.output, vendor)
    started = start_job(command, vendor)
    num_ranks = started.header["num_ranks"]
    setting = setting_of(num_ranks)
    if setting is not None and goal.effort == MEASURE:
        _tell_difference(setting, started.header)
    # One number a rank: for finding candidates, not for keeping.
    nodes = started.header.pop("node_of_rank", ())
    started.header["placement"] = _core.placement_of(nodes)
    requests = requests_for(goal, num_ranks, nodes)
    if setting is not None and goal.effort == MEASURE:
        requests = shortlisted(requests, goal, setting)
    if not goal.patterns:
        menus = offered(started.vendor, num_ranks, started.command)
        requests = with_native_algorithms(requests, menus)
    requests.sort(key=lambda request: request.bytes)
    return tune_requests(job, goal, started, requests)


def _tell_difference(setting: Setting, header: dict[str, Any]) -> None:
    lies_elsewhere = difference(setting, header)
    if lies_elsewhere:
        say(
            f"note: {lies_elsewhere}; the candidates are those that are fast as ranks lie on the"
            " machine: give one that was probed with these ranks, or leave --model out"
        )


def shortlisted(requests: Sequence[Request], goal: Goal, setting: Setting) -> list[Request]:
    """Return the requests with the candidates that a model finds fast, the fastest first."""
    shortlist = Shortlist(setting, goal.patterns, _MOST_CANDIDATES, _SLOWEST)
    sizes: dict[str, list[int]] = {}
    for one in requests:
        sizes.setdefault(one.collective, []).append(one.bytes)
    found = {call: shortlist.of(call, row) for call, row in sizes.items()}
    return [replace(one, algorithms=tuple(found[one.collective][one.bytes])) for one in requests]


def tune_requests(
    job: Job, goal: Goal, started: StartedJob, requests: Sequence[Request]
) -> dict[str, Any]:
    """Tune these points, the first ones first, with ranks that were started; else as tune().

    `goal` says how long and how sure; calls and sizes are those of the requests.
    """
    start = time.monotonic()
    header = started.header
    cautions = conditions.of_machine()
    facts = _facts(job, goal, header, requests)
    with (
        Store(job.files.store) as store,
        progress("tuning", 100, goal.seconds, goal.seconds) as bar,
    ):
        session = Session(store, job.files, facts)
        search = Search(started.measurer, goal, session.memory, bar)
        is_complete = session.carry_out(
            lambda: search.run(requests), bar, lambda: bool(search.selections()), _ENDS
        )
        about = {
            "command": job.files.repeat,
            "complete": is_complete,
            "seconds": time.monotonic() - start,
        }
        cautions += outcome.cautions_of(search, header, session.memory.problems)
        document = _conclude(job, goal, search, header, cautions, about)
        if is_complete:
            session.complete()
    return session.conclude(document, is_complete=is_complete)


def _facts(
    job: Job, goal: Goal, header: dict[str, Any], requests: Sequence[Request]
) -> SessionFacts:
    return SessionFacts(
        key=_key(job, goal, header, requests),
        command=job.files.repeat,
        mpi=header["mpi"],
        job=header,
        method={"confidence": goal.confidence, "seed": goal.seed, "seconds": goal.seconds},
    )


def _key(job: Job, goal: Goal, header: dict[str, Any], requests: Sequence[Request]) -> str:
    """Return what has to be equal for measurements to belong together.

    The name of the host is not: the next allocation has other hosts of the same kind.
    """
    machine = metadata.machine()
    facts = [
        job.words,
        header["num_ranks"],
        header["num_nodes"],
        header.get("placement", ""),
        header["mpi"],
        [machine["cpu"], machine["kernel"]],
        [goal.confidence, goal.seed, goal.effort, goal.good_enough],
        [
            [request.collective, request.bytes, request.algorithms, request.manner.members()]
            for request in requests
        ],
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
    selections = search.selections()
    profile = outcome.make_profile(selections, header, goal, about)
    is_worth_it = about["complete"] or any(not selection.is_native for selection in selections)
    about = {**about, "profile": str(job.files.output) if is_worth_it else None}
    if is_worth_it:
        about["changes"] = merging.add(job.files.output, profile, IF_UNWRITTEN)
    return outcome.make_document(profile, selections, header, cautions, about)
