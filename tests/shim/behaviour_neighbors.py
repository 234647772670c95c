# SPDX-License-Identifier: Apache-2.0
"""Neighborhood collectives: what rules and learning make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from behaviour_context import NUM_RANKS, STARTED, Context, expect
from behaviour_lessons import rules_of

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "mpi_shim_neighbor_learning"
RECOGNISED = "mpi_shim_neighbor_recognised"
# Of a line of three ranks.
GRID = {
    "collective": "neighbor_alltoall",
    "num_ranks": NUM_RANKS,
    "num_nodes": 1,
    "topology": "grid",
    "max_neighbors": 2,
    "min_bytes": 0,
    "max_bytes": None,
    "algorithm": "neighbor_alltoall/combining",
    "reason": "measured",
}
# Of a line of three ranks with two neighbours on each side: everybody talks to everybody.
GRAPH = {**GRID, "topology": "graph"}


def rows(context: Context, function: str = "MPI_Neighbor_alltoall") -> list[dict[str, Any]]:
    """Return what statistics of all ranks say of a function."""
    reports = context.reports()
    expect(len(reports) > 1, "a file for each rank", reports)
    return [row for one in reports for row in one["calls"] if row["function"] == function]


def case_neighbor_rule(context: Context) -> None:
    """A rule of a profile is followed where it is for the neighborhood, with its reason."""
    outcome = context.launch(
        context.program("mpi_shim_manners"),
        ESPALIER_PROFILE=context.profile(rules=[GRID]),
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    found = rows(context)
    names = [(row["algorithm"], row["count"], row["max_bytes"]) for row in found]
    expect(names == [("neighbor_alltoall/combining", 2, 7)] * NUM_RANKS, "the rule", found)
    expect(all(row["reason"] == "profile rule 0: measured" for row in found), "why", found)
    others = rows(context, "MPI_Neighbor_allgather")
    expect({row["algorithm"] for row in others} == {"native"}, "no rule", others)


def case_neighbor_rule_started(context: Context) -> None:
    """A nonblocking call follows a rule of its own, or else that of the blocking call.

    A persistent one follows the rule that the nonblocking one follows.
    """
    own = {**GRID, "collective": "ineighbor_alltoall", "algorithm": "neighbor_alltoall/direct"}
    for rules, started, reason in (
        ([GRID], "neighbor_alltoall/combining", "profile rule 0: measured"),
        ([GRID, own], "neighbor_alltoall/direct", "profile rule 1: measured"),
        ([GRID, {**own, "algorithm": "native"}], "native", "profile rule 1: measured"),
    ):
        outcome = context.launch(
            context.program("mpi_shim_manners"),
            ESPALIER_PROFILE=context.profile(rules=rules),
            ESPALIER_STATISTICS=str(context.statistics),
        )
        expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
        for function, count in STARTED:
            found = rows(context, function)
            names = [(row["algorithm"], row["count"], row["reason"]) for row in found]
            expect(names == [(started, count, reason)] * NUM_RANKS, "the rule", found)
        blocking = {row["algorithm"] for row in rows(context)}
        expect(blocking == {"neighbor_alltoall/combining"}, "its own rule", blocking)


def case_neighbor_rule_recognised(context: Context) -> None:
    """A graph with the edges of a stencil follows its rules for graphs, in every kind of call."""
    outcome = context.launch(
        context.program(RECOGNISED),
        ESPALIER_PROFILE=context.profile(rules=[GRAPH]),
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    for function in ("MPI_Neighbor_alltoall", *(name for name, _ in STARTED)):
        found = {(row["algorithm"], row["reason"]) for row in rows(context, function)}
        rule = ("neighbor_alltoall/combining", "profile rule 0: measured")
        expect(found == {rule}, "the rule", (function, found))
    others = {row["algorithm"] for row in rows(context, "MPI_Neighbor_allgather")}
    expect(others == {"native"}, "no rule", others)


def case_neighbor_rule_refused(context: Context) -> None:
    """Where the algorithm cannot serve, the call is native on all ranks.

    There is one line for blocking calls, and one for those that are only started.
    """
    outcome = context.launch(
        *(context.program(RECOGNISED), "almost"),
        ESPALIER_PROFILE=context.profile(rules=[GRAPH]),
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    told = [line.split(": ")[1] for line in outcome.lines]
    expect(told == ["neighbor_alltoall", "ineighbor_alltoall"], "a line each", outcome.lines)
    why = "got a graph (profile rule 0: measured)"
    expect(all(why in line for line in outcome.lines), "why", outcome.lines)
    found = rows(context)
    expect({row["algorithm"] for row in found} == {"native"}, "native", found)
    expect(any("does not serve" in row["reason"] for row in found), "the reason", found)


def case_neighbors_are_learned(context: Context) -> None:
    """What is faster than a slow native call runs, is remembered, and serves the next run."""
    memory = context.folder / "memory.json"
    settings = {
        "shim": f"{context.config['shim']}:{context.config['slow_neighbors']}",
        "ESPALIER_LEARN": "50%",
        "ESPALIER_MEMORY": str(memory),
        "ESPALIER_STATISTICS": str(context.statistics),
    }
    learned: list[dict[str, Any]] = []
    for _ in range(5):
        outcome = context.launch(*(context.program(PROGRAM), "150"), num_ranks=2, **settings)
        expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
        learned = [rule for rule in known(memory) if rule["algorithm"] != "native"]
        if learned:
            break
    expect(len(learned) > 0, "something faster", memory.exists())
    expect(all(one["max_neighbors"] >= 1 for one in learned), "the neighborhood", learned)

    outcome = context.launch(*(context.program(PROGRAM), "2"), num_ranks=2, **settings)
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    used = {
        row["algorithm"] for row in rows(context) if "learned while a program ran" in row["reason"]
    }
    expect(used & {one["algorithm"] for one in learned} != set(), "it serves", (used, learned))


def known(memory: Path) -> list[dict[str, Any]]:
    """Return what was learned of the call that is slow."""
    every = rules_of(memory) if memory.exists() else []
    return [rule for rule in every if rule["collective"] == "neighbor_alltoall"]


def case_neighbors_forced_native(context: Context) -> None:
    """What is forced to be native is not tried."""
    outcome = context.launch(
        *(context.program(PROGRAM), "60"),
        num_ranks=2,
        ESPALIER_LEARN="50%",
        ESPALIER_MEMORY="off",
        ESPALIER_FORCE="neighbor_alltoall=native",
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    found = {(row["algorithm"], row["reason"]) for row in rows(context)}
    expect(found == {("native", "forced by ESPALIER_FORCE")}, "native", found)
