# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - cases of a script that prints
"""However a program ends, it ends as without us."""

from __future__ import annotations

import json
import math

from behaviour_context import (
    CHOICES,
    FORCE,
    NUM_RANKS,
    Context,
    Outcome,
    calls,
    expect,
    expect_forced,
)


def same_ending(context: Context, how: str, num_ranks: int = NUM_RANKS) -> Outcome:
    """The program ends with the code it has without us."""
    program = context.program("mpi_shim_program")
    plain = context.launch(program, how, shim="", num_ranks=num_ranks)
    outcome = context.launch(
        program,
        how,
        num_ranks=num_ranks,
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(plain.code != 0, "an ending that fails", plain)
    expect(outcome.code == plain.code, f"exit code {plain.code}", outcome)
    return outcome


def case_exit_without_finalize(context: Context) -> None:
    """One rank: of several, the launcher may end some before they exit by themselves."""
    same_ending(context, "exit", num_ranks=1)
    reports = context.reports()
    expect(len(reports) == 1 and not reports[0]["finalized"], "statistics of rank 0", reports)
    expect(calls(reports[0])["MPI_Bcast"] == (1, "native"), "its calls", reports[0])


def case_finalize_at_exit(context: Context) -> None:
    """A handler of exit() that calls MPI_Finalize runs after the one of ours."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        "handler",
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect_forced(context, outcome, dict.fromkeys(CHOICES, 1))


def case_evidence_at_exit_counts_once(context: Context) -> None:
    """What was learned is not added to the memory again by a later MPI_Finalize."""
    memory = context.folder / "memory.json"
    outcome = context.launch(
        context.program("mpi_shim_program"),
        "handler",
        "60",
        ESPALIER_LEARN="50%",
        ESPALIER_MEMORY=str(memory),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    trials = json.loads(memory.read_text(encoding="utf-8"))["trials"]
    # What is counted n times is a multiple of n in each of 17 collectives.
    rounds = [one["num_rounds"] for one in trials]
    expect(len(rounds) == len(CHOICES) and math.gcd(*rounds) == 1, "no multiples", rounds)


def case_abort(context: Context) -> None:
    same_ending(context, "abort")
    reports = [report for report in context.reports() if report["rank"] == 0]
    expect(len(reports) == 1 and not reports[0]["finalized"], "statistics of rank 0", reports)


def case_call_after_finalize(context: Context) -> None:
    same_ending(context, "after")


def case_fork(context: Context) -> None:
    """A child that exits does not write over the report of its parent."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        "fork",
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect_forced(context, outcome, dict.fromkeys(CHOICES, 1))


def case_spawn(context: Context) -> None:
    """Merged communicators are native; spawned ranks write into a folder of their own."""
    launcher = [str(word) for word in context.config["launcher"]]
    # Ranks of different jobs reach each other by tcp only.
    context.config["launcher"] = [word.replace("vader", "tcp") for word in launcher]
    if context.launch(context.program("mpi_shim_program"), "spawn", shim="").code != 0:
        print("skipped: this MPI cannot spawn here")
        return
    outcome = context.launch(
        context.program("mpi_shim_program"),
        "spawn",
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    reports = context.reports()
    merged = [row for row in reports[0]["calls"] if row["num_ranks"] == NUM_RANKS + 1]
    expect(len(merged) == len(CHOICES), "calls on the merged communicator", reports[0])
    reasons = {(row["algorithm"], row["reason"]) for row in merged}
    expect(reasons == {("native", "ranks outside MPI_COMM_WORLD")}, "native for ever", reasons)
    folders = list(context.statistics.glob("spawned-*"))
    expect(len(folders) == 1, "a folder for the spawned", folders)
    expect(len(context.reports(folders[0])) == 1, "one rank was spawned", folders)
