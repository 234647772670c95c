# SPDX-License-Identifier: Apache-2.0
"""Ours beside the defaults of the MPI that is here, on the real machine or on emulated hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.base.intervals import median_interval
from espalier.conditions import metadata
from espalier.errors import ArgumentError
from espalier.io.console import progress
from espalier.launch.measuring import parse_launcher
from espalier.machines import machines
from espalier.peers import outcome
from espalier.peers.bounds import bound_us
from espalier.peers.cells import BEST, MODEL, PROFILE, Cell, Outcome, PlatformCell
from espalier.peers.contenders import PREFIX, model_shortlist
from espalier.peers.experiment import Run
from espalier.sampling.job import start_job
from espalier.sampling.measurement import Effort
from espalier.sampling.samples import Point, Problem, Request
from espalier.tuning import selection

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from espalier.sampling.job import Job

_MEASURED = "measured, of the slowest rank after a barrier, medians with intervals"
_FEWEST, _MOST, _PRECISION = 20, 300, 0.005


@dataclass(frozen=True)
class Question:
    """What to compare: by a profile, by the model of a machine, or by both."""

    words: tuple[str, ...]
    command: str
    collectives: tuple[str, ...]
    sizes: tuple[int, ...]
    profile: Path | None
    machine: str | None
    placement: str | None
    num_candidates: int
    seconds: float
    confidence: float = 0.95
    seed: int = 1
    vendor: str | None = None


def compare(question: Question) -> dict[str, Any]:
    """Measure and return the document.

    Raises:
        ArgumentError: there is nothing to compare with, or one rank only.
        MpiError: the launcher or the program failed.
    """
    if question.profile is None and question.machine is None:
        raise ArgumentError(
            "expected a profile or a machine to choose by, got none of them",
            "make one with 'espalier tune' or 'espalier probe', and name it by --profile or"
            " --machine",
        )
    job = start_job(parse_launcher(question.words), question.vendor)
    run = _run(question, job.header["num_ranks"])
    requests = [
        Request(collective, size, algorithms)
        for collective in question.collectives
        for size, algorithms in _algorithms(question, run, collective).items()
    ]
    profiles = {} if question.profile is None else {PROFILE: question.profile}
    points: list[Point] = []
    problems: list[Problem] = []
    effort = _effort(question, len(requests))
    work = {(one.collective, one.bytes): effort.usual_seconds(one) for one in requests}
    total = sum(work.values())
    with progress("comparing", total, total, question.seconds) as bar:

        def take(result: Point | Problem) -> None:
            if isinstance(result, Point):
                points.append(result)
                bar.advance(work[result.place], f"{result.collective} {result.bytes} B")
            else:
                problems.append(result)

        job.measurer.run(requests, effort, take, profiles)
    cells = [_cell(question, run, job.vendor, point) for point in points]
    return _document(question, run, cells, problems, job)


def _run(question: Question, num_ranks: int) -> Run:
    if question.machine is None:
        text, placement = "", "as launched"
    else:
        found = machines.load(question.machine)
        text = found.text
        placement, num_ranks = machines.setting(found, question.placement, num_ranks)
    sizes = dict.fromkeys(question.collectives, question.sizes)
    return Run(PlatformCell("here", placement, num_ranks), text, sizes)


def _algorithms(question: Question, run: Run, collective: str) -> dict[int, tuple[str, ...]]:
    """Return what is measured at each size of a call."""
    by_profile = () if question.profile is None else (PREFIX + PROFILE,)
    if not run.machine:
        return {size: by_profile for _, size in run.points(collective)}
    shortlist = model_shortlist(run, collective, question.num_candidates)
    return {size: (*by_profile, *listed) for size, listed in shortlist.items()}


def _effort(question: Question, num_points: int) -> Effort:
    return Effort(
        seconds=question.seconds,
        seconds_per_point=4 * question.seconds / max(1, num_points),
        min_repetitions=_FEWEST,
        max_repetitions=_MOST,
        precision=_PRECISION,
        seed=question.seed,
    )


def _cell(question: Question, run: Run, vendor: str, point: Point) -> Cell:
    estimates = selection.estimate(point, question.confidence)
    found = {
        name: Outcome(
            estimate.time_us.value,
            point.decided.get(name, name),
            low_us=estimate.time_us.low,
            high_us=estimate.time_us.high,
            ratio_low=estimate.ratio.low,
            ratio_high=estimate.ratio.high,
        )
        for name, estimate in estimates.items()
    }
    ours: dict[str, Outcome] = {}
    if PREFIX + PROFILE in found:
        ours[PROFILE] = found[PREFIX + PROFILE]
    first = next((name for name in point.candidates if name != PREFIX + PROFILE), None)
    if first is not None:
        ours[MODEL] = found[first]
    if found:
        ours[BEST] = min(found.values(), key=lambda one: one.us or 0)
    native = median_interval(point.native_us, question.confidence)
    return Cell(
        run.place,
        point.collective,
        point.asked_bytes,
        point.bytes,
        ours,
        {vendor: Outcome(native.value, "native", low_us=native.low, high_us=native.high)},
        bound_us(run, point.collective, point.bytes) if run.machine else None,
    )


def _document(
    question: Question,
    run: Run,
    cells: Sequence[Cell],
    problems: Sequence[Problem],
    job: Job,
) -> dict[str, Any]:
    header = job.header
    host = metadata.machine()
    machine = run.machine and machines.load(str(question.machine)).short_text
    return outcome.make(
        cells,
        facts={
            "created": metadata.now(),
            "code_version": metadata.code_version(),
            "command": question.command,
            "complete": len(cells) == sum(len(run.points(name)) for name in run.sizes),
            "simulated": False,
            "times": f"{_MEASURED}, {100 * question.confidence:g} %",
            "peers": {job.vendor: header["mpi"]["version"]},
            "under": header["mpi"]["version"],
            "notes": [
                f"{host['hostname']}: {host['cpu']}, {host['num_cores']} processors",
                f"{header['num_ranks']} ranks on {header['num_nodes']} node(s)",
            ],
        },
        platforms=[{"name": "here", "machine": machine}] if machine else [],
        wrong=[
            {
                "place": run.place.label,
                "collective": problem.collective,
                "bytes": problem.asked_bytes,
                "algorithm": problem.algorithm,
                "reason": problem.reason,
                "text": problem.text,
            }
            for problem in problems
        ],
    )
