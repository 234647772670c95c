# SPDX-License-Identifier: Apache-2.0
"""Algorithms of the MPI library that the user or a rule names."""

from __future__ import annotations

from typing import Any

from behaviour_context import NUM_RANKS, RULE, Context, expect

BINOMIAL = "bcast/native[algorithm=binomial]"
UNKNOWN = "no algorithm 'carrier_pigeon' for MPI_Bcast, it has "


def rows_of(context: Context) -> list[dict[str, Any]]:
    """What each rank counted of MPI_Bcast."""
    rows = [row for report in context.reports() for row in report["calls"]]
    found = [row for row in rows if row["function"] == "MPI_Bcast"]
    expect(len(found) == NUM_RANKS, "a row for each rank", found)
    return found


def launch(context: Context, **environment: str) -> list[str]:
    """Run the program; return the lines that Espalier printed."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_STATISTICS=str(context.statistics),
        **environment,
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    return outcome.lines


def case_native_algorithm_forced(context: Context) -> None:
    """It runs, nothing is said, and statistics name it."""
    lines = launch(context, ESPALIER_FORCE="bcast=native[algorithm=binomial]")
    expect(not lines, "silence", lines)
    for row in rows_of(context):
        expect(row["algorithm"] == BINOMIAL, BINOMIAL, row)
        expect(row["reason"] == "forced by ESPALIER_FORCE", "the reason", row)


def case_native_algorithm_of_a_rule(context: Context) -> None:
    """A rule of a profile names it as it names ours."""
    path = context.profile(rules=[{**RULE, "algorithm": BINOMIAL}])
    lines = launch(context, ESPALIER_PROFILE=path)
    expect(not lines, "silence", lines)
    for row in rows_of(context):
        expect(row["algorithm"] == BINOMIAL, BINOMIAL, row)
        expect(row["reason"] == "profile rule 0: measured", "the reason", row)


def refused(context: Context, force: str, part: str, **environment: str) -> None:
    """One line says why, and the ordinary native call runs."""
    lines = launch(context, ESPALIER_FORCE=f"bcast={force}", **environment)
    expect(len(lines) == 1, "one line", lines)
    expect(part in lines[0] and lines[0].endswith("; using the native call"), part, lines[0])
    for row in rows_of(context):
        expect(row["algorithm"] == "native", "native", row)
        expect("cannot be told here" in row["reason"], "the reason", row)


def case_native_algorithm_unknown(context: Context) -> None:
    refused(context, "native[algorithm=carrier_pigeon]", UNKNOWN)


def case_native_algorithm_not_permitted(context: Context) -> None:
    """The user's own variables are left as they are."""
    if context.vendor == "openmpi":
        name, value = "OMPI_MCA_coll_tuned_use_dynamic_rules", "0"
        part = "only if OMPI_MCA_coll_tuned_use_dynamic_rules=1 is set before MPI_Init"
    else:
        name, value = "MPIR_CVAR_DEVICE_COLLECTIVES", "all"
        part = "MPIR_CVAR_DEVICE_COLLECTIVES=all leaves collectives to the device of MPICH"
    refused(context, "native[algorithm=binomial]", part, **{name: value})


def case_native_algorithm_of_another_component(context: Context) -> None:
    """Where coll/tuned does not serve collectives its variables are of no use."""
    if context.vendor == "openmpi":
        part = "the component coll/han of Open MPI comes before coll/tuned"
        refused(context, "native[algorithm=binomial]", part, OMPI_MCA_coll_han_priority="90")


def case_native_algorithm_without_parameter(context: Context) -> None:
    """Parameters that the library has no variables for are not ignored."""
    if context.vendor == "mpich":
        part = "no variable for segment of MPIR_CVAR_BCAST_INTRA_ALGORITHM"
        refused(context, "native[algorithm=binomial,segment=1024]", part)


def case_native_algorithm_with_threads(context: Context) -> None:
    """Variables are those of a process, and threads of it would not agree on them."""
    outcome = context.launch(
        context.program("mpi_shim_threads"), ESPALIER_FORCE="bcast=native[algorithm=binomial]"
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    part = "with MPI_THREAD_MULTIPLE several threads would change the same variables"
    expect(len(outcome.lines) == 1 and part in outcome.lines[0], part, outcome.lines)
