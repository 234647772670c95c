# SPDX-License-Identifier: Apache-2.0
"""A whole comparison: from the user's command to the document that reports are made from."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from espalier import __version__
from espalier.base import intervals
from espalier.compare import analysis
from espalier.compare.experiment import (
    ESPALIER,
    PLAIN,
    Results,
    experiment,
    is_first_block_too_long,
    num_runs,
)
from espalier.conditions import conditions, metadata
from espalier.conditions.cautions import Caution, to_json
from espalier.io.console import document, progress
from espalier.launch.options import HYDRA, OPENMPI

if TYPE_CHECKING:
    from espalier.compare.experiment import Design, Run
    from espalier.launch.command import LaunchCommand
    from espalier.launch.preload import Target

_NOISY_RUNS = 0.05
_NOTICEABLE = 0.02
_HOST_OPTIONS = {
    OPENMPI.name: {"H", "host", "hostfile", "machinefile", "default-hostfile", "N", "npernode"},
    HYDRA.name: {"f", "hosts", "host", "hostfile", "machinefile", "ppn"},
}


@dataclass(frozen=True)
class Question:
    """What to compare, and the command that does it again."""

    target: Target
    design: Design
    repeat: str


@dataclass
class Answer:
    """What is known, and what ended the comparison early, if anything did."""

    document: dict[str, Any]
    cause: BaseException | None
    exit_code: int


def compare(question: Question) -> Answer:
    """Run the experiment and judge it. An interruption leaves a document of what was finished.

    Raises:
        FailedRunError: the program fails without Espalier, or shows no MPI calls.
    """
    start = time.monotonic()
    cautions = conditions.of_machine()
    results = Results()
    cause: BaseException | None = None
    design = question.design
    with progress("comparing", num_runs(design.repetitions), most_seconds=design.seconds) as bar:
        is_first = True

        def on_run(what: str) -> None:
            nonlocal is_first
            if not results.runs and is_first_block_too_long(design, results.warm_up_seconds):
                bar.exceed(num_runs(1))
            bar.advance(0.0 if is_first else 1.0, what)
            is_first = False

        try:
            experiment(question.target, design, on_run, results)
        except (KeyboardInterrupt, SystemExit) as error:
            if not results.runs:
                raise
            results.is_interrupted = True
            cause = error
    cautions += _cautions(question, results)
    found = make_document(question, results, cautions, time.monotonic() - start)
    return Answer(found, cause, results.failure.exit_code if results.failure else 0)


def make_document(
    question: Question, results: Results, cautions: list[Caution], seconds: float
) -> dict[str, Any]:
    """Return the `espalier-comparison` document."""
    blocks = results.blocks()
    design = question.design
    known = next((run.statistics for run in results.runs if run.statistics), None)
    unknown_mpi = {"vendor": question.target.vendor, "version": question.target.vendor}
    return document(
        "espalier-comparison",
        1,
        command=question.target.command.text(),
        repeat=question.repeat,
        profile=None if design.profile is None else str(design.profile),
        force=design.force,
        created=metadata.now(),
        espalier=__version__,
        machine=metadata.machine(),
        mpi=known["mpi"] if known else unknown_mpi,
        method={
            "confidence": design.confidence,
            "repetitions": design.repetitions,
            "seed": design.seed,
            "interval": "signed-rank interval of paired ratios",
            "code_version": metadata.code_version(),
            "environment": metadata.environment(),
        },
        num_ranks=known["num_ranks"] if known else None,
        num_blocks=len(blocks),
        seconds=round(seconds, 1),
        complete=len(blocks) == design.repetitions,
        failure=None if results.failure is None else asdict(results.failure),
        runs=[_run(run) for run in results.runs],
        mappings=_mappings(blocks),
        **_judged(blocks, design.confidence),
        warnings=to_json(cautions),
    )


def _judged(blocks: list[dict[str, Any]], confidence: float) -> dict[str, Any]:
    """Return what complete blocks say; nothing if there are none."""
    if not blocks:
        nothing = dict.fromkeys(("wall", "preloading", "program", "served_share"))
        return {**nothing, "collectives": []}
    return {
        "wall": analysis.wall_time(blocks, confidence).to_json(),
        "preloading": analysis.preloading(blocks, confidence).to_json(),
        "program": analysis.program_time(blocks, confidence).to_json(),
        "served_share": analysis.served_share(blocks),
        "collectives": analysis.collectives(blocks, confidence),
    }


def _run(run: Run) -> dict[str, Any]:
    return {
        "kind": run.kind,
        "block": run.block,
        "seconds": run.seconds,
        "program_seconds": run.statistics["seconds"] if run.statistics else None,
    }


def _cautions(question: Question, results: Results) -> list[Caution]:
    blocks = results.blocks()
    found = _of_placement(question.target.command)
    if results.failure is not None:
        kind = {"espalier": "with Espalier", "native": "preloaded, all calls native"}
        where = kind.get(results.failure.kind, "without Espalier")
        found.append(
            Caution(
                "failure",
                f"run {where} in block {results.failure.block + 1} failed: {results.failure.text}",
                results.failure.advice or _advice(results.failure.kind),
            )
        )
    if not blocks:
        return found
    found += _of_count(question, results, len(blocks))
    found += _of_runs(blocks, question.design.confidence)
    return found


def _mappings(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what became of topologies in the last run with Espalier."""
    return list(blocks[-1][ESPALIER].statistics["mappings"]) if blocks else []


def _advice(kind: str) -> str:
    if kind == ESPALIER:
        return (
            "repeat without --mapping, if it was given: a program that permits another order of"
            " ranks (MPI_Cart_create, reorder = 1) may not go by it; if it fails still, please"
            " report it"
        )
    return "if it never fails without Espalier, please report it"


def _of_placement(command: LaunchCommand) -> list[Caution]:
    named = {word.lstrip("-") for word in command.options if word.startswith("-")}
    if named & _HOST_OPTIONS.get(command.family.name, set()) or command.num_ranks is None:
        return []
    processors = len(os.sched_getaffinity(0))
    header = {"max_ranks_per_node": command.num_ranks, "min_cpus_per_node": processors}
    return conditions.of_job(header)


def _of_count(question: Question, results: Results, num_blocks: int) -> list[Caution]:
    found = []
    least = question.design.least_blocks
    if num_blocks < least:
        reached = intervals.most_confidence(num_blocks)
        found.append(
            Caution(
                "repetitions",
                f"{num_blocks} blocks allow intervals of {100 * reached:.3g} % at most, so nothing"
                " is called significant",
                f"use at least {least} repetitions",
            )
        )
    if results.is_out_of_time:
        found.append(
            Caution(
                "time",
                f"the time sufficed for {num_blocks} of {question.design.repetitions} blocks",
                "give more with --time-budget",
            )
        )
    return found


def _of_runs(blocks: list[dict[str, Any]], confidence: float) -> list[Caution]:
    found = []
    noise = intervals.spread([block[PLAIN].seconds for block in blocks])
    if noise > _NOISY_RUNS:
        found.append(
            Caution(
                "noise",
                f"plain runs differ by {100 * noise:.0f} % (interquartile range)",
                "stop what else runs, use more repetitions, or a longer input",
            )
        )
    cost = analysis.preloading(blocks, confidence)
    if cost.verdict == analysis.SLOWER and cost.ratio.value < 1 - _NOTICEABLE:
        found.append(
            Caution(
                "preloading",
                f"preloading alone costs {100 * (1 / cost.ratio.value - 1):.1f} %",
                "please report it",
            )
        )
    last = blocks[-1][ESPALIER].statistics
    if last["calls"] and not last["mappings"] and all(call["native"] for call in last["calls"]):
        found.append(
            Caution(
                "native",
                "every call was left to the MPI library, so no difference can come from another"
                " algorithm",
                "tune for the ranks and sizes of this program; the reasons are in the table",
            )
        )
    noisy = [
        row
        for row in analysis.collectives(blocks, confidence)
        if row["comparison"]
        and row["comparison"]["verdict"] == analysis.SAME
        and not row["comparison"]["ratio"]["low"] <= 1.0 <= row["comparison"]["ratio"]["high"]
    ]
    if noisy:
        found.append(
            Caution(
                "same",
                f"{len(noisy)} classes made the same native call in both kinds of runs, and their"
                " times still differ: intervals are too narrow for how this machine varies",
                "trust no small difference here; repeat when nothing else runs",
            )
        )
    found += [Caution("program", text, "see 'espalier explain'") for text in last["warnings"]]
    return found
