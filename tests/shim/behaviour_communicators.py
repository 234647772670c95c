# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - cases of a script that prints
"""Communicators with processes of other worlds, of sessions, or that are made at leisure."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from behaviour_context import FORCE, NUM_RANKS, Context, Outcome, expect

ALL_FORCED = f"{FORCE};neighbor_alltoall=direct"
OUTSIDE = "ranks outside MPI_COMM_WORLD"
WITHOUT_CONTEXT = "no context: "


def rows(context: Context, function: str) -> list[dict[str, Any]]:
    """Return what the statistics of all ranks say of a function."""
    reports = context.reports()
    expect(len(reports) == NUM_RANKS, "a file for each rank", len(reports))
    return [row for one in reports for row in one["calls"] if row["function"] == function]


def quietly(outcome: Outcome) -> None:
    """Expect that nothing is said."""
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)


def ends_natively(context: Context, *program: str) -> bool:
    """Tell whether the MPI library alone brings a program to a good end."""
    try:
        return context.launch(*program, shim="").code == 0
    except subprocess.TimeoutExpired:
        return False


def dynamic(context: Context, way: str) -> bool:
    """Run the program for processes that meet later, with all that could get in their way.

    False if this MPI library cannot do that. Its last run is the one with statistics.
    """
    launcher = [str(word) for word in context.config["launcher"]]
    # Ranks of different jobs reach each other by tcp only.
    context.config["launcher"] = [word.replace("vader", "tcp") for word in launcher]
    program = (context.program("mpi_shim_dynamic"), way)
    if not ends_natively(context, *program):
        print("skipped: processes cannot meet under this MPI")
        return False
    for settings in (
        {"ESPALIER_LEARN": "50%", "ESPALIER_MEMORY": "off"},
        {"ESPALIER_FORCE": ALL_FORCED, "ESPALIER_NODE": "on", "ESPALIER_WATCH": "30s"},
        {"ESPALIER_FORCE": ALL_FORCED, "ESPALIER_STATISTICS": str(context.statistics)},
    ):
        quietly(context.launch(*program, **settings))
    return True


def case_dynamic_spawn(context: Context) -> None:
    """Communicators with spawned processes are native, those of one world are served."""
    if not dynamic(context, "spawn"):
        return
    found = rows(context, "MPI_Allgather")
    inside = {row["algorithm"] for row in found if row["num_ranks"] == NUM_RANKS and row["ranks"]}
    expect(inside == {"allgather/ring"}, "served among ranks of one world", found)
    merged = [row for row in found if row["num_ranks"] == NUM_RANKS + 2]
    expect({row["reason"] for row in merged} == {OUTSIDE}, OUTSIDE, merged)
    folders = list(context.statistics.glob("spawned-*"))
    expect(len(folders) == 2, "a folder for those that were spawned together", folders)
    for folder in folders:
        for report in context.reports(folder):
            here = {row["algorithm"] for row in report["calls"] if row["ranks"] == "0-1"}
            expect("allgather/ring" in here, "served among those that were spawned", report)


def case_dynamic_port(context: Context) -> None:
    """Ranks of one world that meet over a port are still ranks of one world."""
    if not dynamic(context, "port"):
        return
    found = rows(context, "MPI_Allgather")
    whole = {row["algorithm"] for row in found if row["num_ranks"] == NUM_RANKS}
    expect(whole == {"allgather/ring"}, "served", found)
    between = {row["reason"] for row in found if row["algorithm"] == "native"}
    expect(between <= {"intercommunicator", "one rank"}, "native", between)


def case_duplicates_at_leisure(context: Context) -> None:
    """What MPI_Comm_idup makes has no context; what is made from that has one."""
    outcome = context.launch(
        *(context.program("mpi_shim_communicators"), "ways"),
        ESPALIER_FORCE=ALL_FORCED,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    quietly(outcome)
    on_all = [row for row in rows(context, "MPI_Bcast") if row["num_ranks"] == NUM_RANKS]
    served = [row for row in on_all if row["algorithm"] != "native"]
    native = [row for row in on_all if row["algorithm"] == "native"]
    expect(len(served) > 0 and len(native) > 0, "both kinds", on_all)
    expect(all(row["reason"].startswith(WITHOUT_CONTEXT) for row in native), "no context", native)


def case_sessions_alone(context: Context) -> None:
    """A program with sessions and without MPI_Init is native, and told so if it was expected."""
    program = str(Path(context.program("mpi_shim_sessions")).resolve())
    quietly(context.launch(program, "alone", ESPALIER_FORCE=ALL_FORCED, ESPALIER_WATCH="30s"))
    outcome = context.launch(program, "alone", ESPALIER_PROGRAM=program, ESPALIER_FORCE=ALL_FORCED)
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1 and "sessions" in outcome.lines[0], "why", outcome.stderr)


def case_sessions_beside(context: Context) -> None:
    """Communicators from sessions are native; what is made from them after MPI_Init is served."""
    outcome = context.launch(
        *(context.program("mpi_shim_sessions"), "beside"),
        ESPALIER_FORCE=ALL_FORCED,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    quietly(outcome)
    on_all = [row for row in rows(context, "MPI_Allgather") if row["num_ranks"] == NUM_RANKS]
    native = {row["reason"] for row in on_all if row["algorithm"] == "native"}
    expect(len(native) == 1 and "session" in next(iter(native)), "why", native)
    served = {row["algorithm"] for row in on_all} - {"native"}
    expect(served == {"allgather/ring"}, "served", on_all)
