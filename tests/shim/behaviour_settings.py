# SPDX-License-Identifier: Apache-2.0
"""Profiles and settings that can be used, and what is said of those that cannot."""

from __future__ import annotations

from behaviour_context import (
    CHOICES,
    NUM_RANKS,
    RULE,
    Context,
    calls,
    expect,
)


def unusable_profile(context: Context, path: str, part: str) -> None:
    """One clear line, native calls, exit code of the program."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_PROFILE=path,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    expect(part in outcome.lines[0], part, outcome.lines[0])
    for report in context.reports():
        expect(calls(report)["MPI_Bcast"] == (1, "native"), "native calls", report)
        expect(len(report["warnings"]) == 1, "the warning in the report", report)


def case_profile_missing(context: Context) -> None:
    unusable_profile(context, str(context.folder / "none.json"), "No such file or directory")


def case_profile_corrupt(context: Context) -> None:
    unusable_profile(context, context.write_profile('{"schema": "espa'), "expected JSON")


def case_profile_newer(context: Context) -> None:
    unusable_profile(context, context.profile(version=2), "version: expected at most 1")


def case_profile_foreign(context: Context) -> None:
    path = context.profile(mpi={"vendor": "another"})
    unusable_profile(context, path, "got one tuned with 'another'")


def case_profile_unknown_algorithm(context: Context) -> None:
    path = context.profile(rules=[{**RULE, "algorithm": "bcast/carrier_pigeon"}])
    unusable_profile(context, path, "carrier_pigeon")


def case_profile(context: Context) -> None:
    """Rules are followed, and the report says which."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_PROFILE=context.profile(),
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(not outcome.lines, "silence", outcome.stderr)
    for report in context.reports():
        found = {row["function"]: (row["algorithm"], row["reason"]) for row in report["calls"]}
        expected = ("bcast/flat", "profile rule 0: measured")
        expect(found["MPI_Bcast"] == expected, f"{expected}", found)
        expect(found["MPI_Allgather"][0] == "native", "native without a rule", found)


def case_profile_borrowed(context: Context) -> None:
    """A profile for another shape is used, and the report says so."""
    path = context.profile(rules=[{**RULE, "num_ranks": 2 * NUM_RANKS, "num_nodes": 2}])
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_PROFILE=path,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expected = f"profile rule 0, borrowed from {2 * NUM_RANKS} ranks on 2 nodes: measured"
    for report in context.reports():
        reasons = {row["reason"] for row in report["calls"] if row["function"] == "MPI_Bcast"}
        expect(reasons == {expected}, expected, reasons)


def case_profile_far(context: Context) -> None:
    """A profile for a much larger shape is not used, and one line says so."""
    path = context.profile(rules=[{**RULE, "num_ranks": 800, "num_nodes": 40}])
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_PROFILE=path,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    complaint = f"expected rules for {NUM_RANKS} ranks on 1 node or at most a factor of 2 from it"
    expect(complaint in outcome.lines[0], complaint, outcome.lines[0])
    expected = (
        f"no rule of the profile is near enough to {NUM_RANKS} ranks on 1 node; "
        "the nearest is for 800 ranks on 40 nodes"
    )
    for report in context.reports():
        reasons = {row["reason"] for row in report["calls"] if row["function"] == "MPI_Bcast"}
        expect(reasons == {expected}, expected, reasons)


def forced_badly(context: Context, force: str, part: str) -> None:
    """One line from rank 0, native calls."""
    outcome = context.launch(context.program("mpi_shim_program"), ESPALIER_FORCE=force)
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.stderr)
    expect(part in outcome.lines[0], part, outcome.lines[0])


def case_force_unknown(context: Context) -> None:
    forced_badly(context, "bcast=carrier_pigeon", "expected an algorithm for bcast")


def case_force_refused(context: Context) -> None:
    forced_badly(context, "allgather=recursive_doubling", "does not accept 3 ranks")


def case_off(context: Context) -> None:
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_OFF="1",
        ESPALIER_FORCE="nonsense",
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(not outcome.lines, "silence", outcome.stderr)
    expect(not context.statistics.exists(), "no statistics", context.statistics)


def case_verbose(context: Context) -> None:
    outcome = context.launch(
        context.program("mpi_shim_program"), ESPALIER_VERBOSE="1", ESPALIER_FORCE="bcast=flat"
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    first = outcome.lines[0]
    expect("no profile, bcast forced to bcast/flat" in first, "the settings", first)
    expect("MPI" in first and "0.1.0" in first, "versions", first)
    table = " ".join(outcome.lines[1:])
    expected = 2 + len(CHOICES)
    expect(len(outcome.lines) == expected, "a heading and a line for each function", outcome.lines)
    expect("MPI_Bcast" in table and "bcast/flat" in table, "a line for bcast", table)


def case_topologies(context: Context) -> None:
    """Reports and statistics of mapped communicators; what we did for it is not counted."""
    outcome = context.launch(
        context.program("mpi_shim_topology"),
        "mapped",
        ESPALIER_STATISTICS=str(context.statistics),
        ESPALIER_VERBOSE="1",
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    line = "espalier: MPI_Cart_create 3 on 2 nodes: inter-node neighbours 4 -> 2, worst node 2 -> 1"
    expect(any(each.startswith(line) for each in outcome.lines), line, outcome.lines)
    first, *others = context.reports()
    functions = {row["function"] for row in first["mappings"]}
    graphs = {"MPI_Dist_graph_create", "MPI_Dist_graph_create_adjacent"}
    expect(functions == {"MPI_Cart_create", *graphs}, "all functions", functions)
    expect(not any(report["mappings"] for report in others), "rank 0 reports", others)
    ours = {"MPI_Bcast", "MPI_Gather", "MPI_Gatherv", "MPI_Scatter"} & set(calls(first))
    expect(not ours, "calls of the program only", ours)


def case_topologies_misspelt(context: Context) -> None:
    """Settings that are not understood: one line each, and what is done instead."""
    outcome = context.launch(
        context.program("mpi_shim_program"),
        ESPALIER_MAPPING="no",
        ESPALIER_DIMS="best",
        ESPALIER_MACHINE="two nodes",
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    names = [line.split()[1] for line in outcome.lines]
    expected = ["ESPALIER_MAPPING:", "ESPALIER_DIMS:", "ESPALIER_MACHINE:"]
    expect(names == expected, "a line for each", outcome.lines)
