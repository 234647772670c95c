# SPDX-License-Identifier: Apache-2.0
"""Programs in C and Fortran run with forced algorithms, on all kinds of communicators."""

from __future__ import annotations

import json

from behaviour_context import (
    CHOICES,
    FORCE,
    NUM_RANKS,
    Context,
    calls,
    expect,
    expect_forced,
)

FORTRAN_CALLS = {
    "allgather": 2,
    "allgatherv": 1,
    "allreduce": 2,
    "alltoall": 2,
    "barrier": 1,
    "bcast": 2,
    "reduce": 1,
}


def fortran(context: Context, program: str) -> None:
    """Every call of a Fortran program is caught."""
    outcome = context.launch(
        context.program(program),
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect_forced(context, outcome, FORTRAN_CALLS)
    for report in context.reports():
        (row,) = [row for row in report["calls"] if row["function"] == "MPI_Allreduce"]
        found = [(one["operator"], one.get("in_place", False)) for one in row["manners"]]
        expected = [("sum", False), ("max", True)]
        expect(found == expected, f"MPI_IN_PLACE of Fortran: {expected}", row)


def case_fortran_mpif(context: Context) -> None:
    fortran(context, "fortran_mpif")


def case_fortran_use_mpi(context: Context) -> None:
    fortran(context, "fortran_use_mpi")


def case_fortran_use_mpi_f08(context: Context) -> None:
    fortran(context, "fortran_use_mpi_f08")


def case_fortran_large(context: Context) -> None:
    """Procedures with counts of a larger kind are caught, and counted under the same names."""
    outcome = context.launch(
        context.program("fortran_large"),
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    for report in context.reports():
        names = ("allgather", "allgatherv", "allreduce", "alltoall", "bcast")
        expected = {f"MPI_{call.capitalize()}": (1, CHOICES[call]) for call in names}
        expected["MPI_Iallreduce"] = (1, CHOICES["allreduce"])
        expect(calls(report) == expected, f"{expected}", report["calls"])


def case_order_at_run_time(context: Context) -> None:
    """A communicator of espalier_order_create is one of the program, served in every collective."""
    outcome = context.launch(
        context.program("mpi_order_create"),
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    # The program makes these calls on reordered communicators only.
    names = ("allgather", "gather", "reduce", "scatter")
    expected = {f"MPI_{call.capitalize()}": CHOICES[call] for call in names}
    for report in context.reports():
        served = {
            row["function"]: row["algorithm"]
            for row in report["calls"]
            if row["function"] in expected
        }
        expect(served == expected, f"{expected}", report["calls"])


def case_large_counts(context: Context) -> None:
    """A rule of a profile holds for a call with large counts, which is counted with the others."""
    outcome = context.launch(
        context.program("mpi_shim_large_calls"),
        ESPALIER_PROFILE=context.profile(),
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    for report in context.reports():
        expect(calls(report)["MPI_Bcast"] == (3, "bcast/flat"), "three calls", report["calls"])
        expect(calls(report)["MPI_Ibcast"] == (2, "bcast/flat"), "two calls", report["calls"])


def case_c(context: Context) -> None:
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect_forced(context, outcome, dict.fromkeys(CHOICES, 1))
    expect(not outcome.lines, "silence", outcome.stderr)


def case_own_communicators(context: Context) -> None:
    """Each communicator of the user's but MPI_COMM_WORLD is made ready once, when he makes it."""
    outcome = context.launch(
        context.program("mpi_shim_communicators"),
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    for rank, count in enumerate((46, 26, 45)):
        ran = json.loads((context.statistics / f"rank-{rank}.json").read_text())
        made = ran["own_communicators"]
        # Of 40 short-lived ones half have the even ranks only, and the odd rank is alone.
        expect(made["count"] == count, f"{count} communicators made ready", made)
        expect(0 < made["seconds"] < ran["seconds"], f"a part of {ran['seconds']} seconds", made)


def case_many_communicators(context: Context) -> None:
    """Each of 1,300 communicators is served, none is left to the MPI library."""
    outcome = context.launch(
        context.program("mpi_shim_irregular"),
        "many_communicators",
        num_ranks=2,
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    for report in context.reports():
        expected = {"MPI_Allreduce": (1300, CHOICES["allreduce"])}
        expect(calls(report) == expected, f"{expected}", report["calls"])


def case_preloaded_launcher(context: Context) -> None:
    """LD_PRELOAD in the environment of the launcher itself, as in `LD_PRELOAD=... mpirun ...`."""
    libraries = [str(context.config["shim"]), *map(str, context.config["helpers"])]
    command = [str(word) for word in context.config["launcher"]]
    outcome = context.execute(
        [*command, "-n", str(NUM_RANKS), context.program("mpi_shim_program")],
        LD_PRELOAD=":".join(libraries),
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect_forced(context, outcome, dict.fromkeys(CHOICES, 1))


def case_settings_of_rank_0(context: Context) -> None:
    """Ranks with other settings in their environment follow rank 0."""
    program = context.program("mpi_shim_program")
    script = (
        'case "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" in 0) ;; *) export ESPALIER_OFF=1 '
        "ESPALIER_FORCE=bcast=flat; unset ESPALIER_STATISTICS;; esac; exec " + program
    )
    outcome = context.launch(
        "sh",
        "-c",
        script,
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect_forced(context, outcome, dict.fromkeys(CHOICES, 1))


def case_leaks(context: Context) -> None:
    """Open MPI can say which handles were not freed."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_FORCE=FORCE,
        OMPI_MCA_mpi_show_handle_leaks="1",
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(not outcome.stderr.strip(), "no word about handles", outcome.stderr)


def case_persistent(context: Context) -> None:
    """Starts of persistent collectives are counted, with what they run, and nothing is left."""
    neighbors = ("neighbor_allgather", "neighbor_alltoall", "neighbor_alltoallw")
    outcome = context.launch(
        context.program("mpi_shim_persistent"),
        ESPALIER_FORCE=";".join([FORCE, *(f"{call}=direct" for call in neighbors)]),
        ESPALIER_STATISTICS=str(context.statistics),
        OMPI_MCA_mpi_show_handle_leaks="1",
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(not outcome.stderr.strip(), "no word about handles", outcome.stderr)
    for report in context.reports():
        for function, choice in (
            ("MPI_Allreduce_init", CHOICES["allreduce"]),
            ("MPI_Neighbor_alltoall_init", "neighbor_alltoall/direct"),
        ):
            rows = [row for row in report["calls"] if row["function"] == function]
            on_all = [row for row in rows if row["num_ranks"] == NUM_RANKS]
            expect(sum(row["count"] for row in on_all) == 450, "two of 200 starts, one of 50", rows)
            choices = {row["algorithm"] for row in on_all}
            expect(choices == {choice}, "served as the blocking call", choices)
            alone = [row for row in rows if row["num_ranks"] == 1]
            expect(all(row["reason"] == "one rank" for row in alone), "native on one rank", alone)
            expect(sum(row["count"] for row in alone) in (0, 200), "native starts, too", alone)


def case_operators(context: Context) -> None:
    """Operators that do not commute run only where their order is kept; statistics say why."""
    outcome = context.launch(
        context.program("mpi_shim_reductions"),
        "no_gaps",
        # The in-place reduce of MPICH 4.0 crashes for some sizes.
        ESPALIER_FORCE="allreduce=ring;reduce=chain;scan=linear",
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    for report in context.reports():
        rows = {
            (row["function"], row["algorithm"], row["reason"])
            for row in report["calls"]
            if row["num_ranks"] == NUM_RANKS and row["max_bytes"] > 0
        }
        for row in (
            ("MPI_Allreduce", "allreduce/ring", "forced by ESPALIER_FORCE"),
            (
                "MPI_Allreduce",
                "native",
                "the choice swaps operands, the operator does not commute",
            ),
            ("MPI_Scan", "scan/linear", "forced by ESPALIER_FORCE"),
        ):
            expect(row in rows, f"{row}", sorted(rows))
        natives = {row for row in rows if row[0] == "MPI_Scan" and row[1] == "native"}
        expect(not natives, "any operator in rank order", natives)


def case_blocks_of_unknown_size(context: Context) -> None:
    """Algorithms that forward blocks cannot serve calls in which nobody knows their sizes."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        num_ranks=4,  # rank 2 stands between rank 3 and the root
        ESPALIER_FORCE="gatherv=binomial;alltoallv=bruck",
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    for report in context.reports():
        found = calls(report)
        expect(found["MPI_Gatherv"] == (1, "native"), "native gatherv", report)
        expect(found["MPI_Alltoallv"] == (1, "native"), "native alltoallv", report)
    lines = " ".join(outcome.lines)
    expect("keeps blocks of others" in lines, "a warning for gatherv", outcome.lines)
    expect("needs blocks of one size" in lines, "a warning for alltoallv", outcome.lines)


def case_planned_native(context: Context) -> None:
    """What a program plans as native is native, and what planning asks of all ranks is no call."""
    outcome = context.launch(
        context.program("mpi_shim_planned_native"),
        ESPALIER_FORCE=FORCE,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect("allreduce/native, 0 wrong" in outcome.stdout, "allreduce/native, 0 wrong", outcome)
    for report in context.reports():
        expect(report["calls"] == [], "no call of the program", report["calls"])
