# SPDX-License-Identifier: Apache-2.0
"""What statistics say of how calls were made."""

from __future__ import annotations

from typing import Any

from behaviour_context import NUM_RANKS, RULE, STARTED, Context, expect

Row = dict[str, Any]

# Of the program mpi_shim_awaited.
NUM_FUNCTIONS, NUM_CALLS, NAP = 8, 3, 0.005


def rows_of(context: Context, **environment: str) -> list[dict[str, list[Row]]]:
    """Return the rows of each rank by function, of a program that ended well."""
    outcome = context.launch(
        context.program("mpi_shim_manners"),
        ESPALIER_STATISTICS=str(context.statistics),
        **environment,
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    found = []
    for report in context.reports():
        rows: dict[str, list[Row]] = {}
        for row in report["calls"]:
            rows.setdefault(row["function"], []).append(row)
        found.append(rows)
    expect(len(found) == NUM_RANKS, "a file for each rank", len(found))
    return found


def manners(row: Row) -> list[Row]:
    """Return the manners of a row without their times, which nobody knows."""
    return [
        {key: value for key, value in one.items() if key != "seconds"} for one in row["manners"]
    ]


def only(rows: dict[str, list[Row]], function: str) -> Row:
    """Return the one row of a function."""
    expect(len(rows.get(function, [])) == 1, f"one row for {function}", rows.get(function))
    return rows[function][0]


def case_manners(context: Context) -> None:
    """Roots, operators, in place: on each rank what it did."""
    for rank, rows in enumerate(rows_of(context)):
        found = manners(only(rows, "MPI_Bcast"))
        expect(found == [{"root": 0, "count": 1}, {"root": 1, "count": 5}], "two roots", found)
        found = manners(only(rows, "MPI_Gather"))
        in_place = {"in_place": True} if rank == 1 else {}
        expect(found == [{"root": 1, **in_place, "count": 1}], "in place at the root", found)
        found = manners(only(rows, "MPI_Allreduce"))
        expected = [
            {"operator": "sum", "count": 1},
            {"operator": "max", "in_place": True, "count": 4},
            {"operator": "user_ordered", "count": 1},
        ]
        expect(found == expected, f"{expected}", found)
        found = manners(only(rows, "MPI_Iallreduce"))
        expect(found == [{"operator": "min", "count": 1}], "of started calls, too", found)
        expect("manners" not in only(rows, "MPI_Alltoallv"), "nothing to say", rows)


def decided(rows: dict[str, list[Row]], function: str) -> set[tuple[str, str]]:
    """Return what served a function of which the program has sums, and why."""
    return {(row["algorithm"], row["reason"]) for row in rows[function]}


def case_profile_nonblocking(context: Context) -> None:
    """A rule for nonblocking calls serves them, and that for blocking calls the others."""
    blocking = {**RULE, "collective": "allreduce", "algorithm": "allreduce/ring"}
    other = {**blocking, "collective": "iallreduce", "algorithm": "allreduce/recursive_doubling"}
    native = {**blocking, "collective": "iallreduce", "algorithm": "native"}
    for rules, started in (
        ([blocking, other], ("allreduce/recursive_doubling", "profile rule 1: measured")),
        ([blocking, native], ("native", "profile rule 1: measured")),
        ([blocking], ("allreduce/ring", "profile rule 0: measured")),
    ):
        path = context.profile(rules=rules)
        for rows in rows_of(context, ESPALIER_PROFILE=path):
            found = decided(rows, "MPI_Iallreduce")
            expect(found == {started}, f"{started}", found)
            found = decided(rows, "MPI_Allreduce")
            expect(("allreduce/ring", "profile rule 0: measured") in found, "its own", found)
    for rows in rows_of(context, ESPALIER_PROFILE=context.profile(rules=[other])):
        found = decided(rows, "MPI_Iallreduce")
        expected = ("allreduce/recursive_doubling", "profile rule 0: measured")
        expect(found == {expected}, f"{expected}", found)
        found = decided(rows, "MPI_Allreduce")
        expect({one for one, _ in found} == {"native"}, "no rule is for blocking calls", found)


def case_force_nonblocking(context: Context) -> None:
    """A forced choice is for both forms unless one is named for nonblocking calls."""
    for force, started in (
        ("allreduce=ring", "allreduce/ring"),
        ("allreduce=ring;iallreduce=native", "native"),
        ("allreduce=ring;iallreduce=recursive_doubling", "allreduce/recursive_doubling"),
    ):
        for rows in rows_of(context, ESPALIER_FORCE=force):
            found = {one for one, _ in decided(rows, "MPI_Iallreduce")}
            expect(found == {started}, f"{force}: {started}", found)
            found = {one for one, _ in decided(rows, "MPI_Allreduce")}
            expect("allreduce/ring" in found, f"{force}: the blocking call", found)


def case_parts(context: Context) -> None:
    """Sizes of parts are those of the second of three calls."""
    for rank, rows in enumerate(rows_of(context)):
        for function in ("MPI_Gatherv", "MPI_Scatterv"):
            found = only(rows, function)["parts"]
            expect(found == {"call": 2, "bytes": [5 * rank]}, f"{function}: own part", found)
        large = [row for row in rows["MPI_Allgatherv"] if row["max_bytes"] == 15]
        expect(large[0]["count"] == 2, "second and third call are of one class", large)
        found = large[0]["parts"]
        expect(found == {"call": 2, "bytes": [3]}, "the last one of its class", found)
        found = only(rows, "MPI_Reduce_scatter")["parts"]
        expect(found == {"call": 1, "bytes": [4 * (rank + 1)]}, "of reductions", found)
        found = only(rows, "MPI_Alltoallv")["parts"]
        expected = {
            "call": 2,
            "bytes": [4 * rank + peer for peer in range(NUM_RANKS)],
            "received_bytes": sum(4 * peer + rank for peer in range(NUM_RANKS)),
        }
        expect(found == expected, f"{expected}", found)


def case_awaited(context: Context) -> None:
    """What became of nonblocking calls is counted, whichever function completes them."""
    for force in ("", "iallreduce=recursive_doubling"):
        outcome = context.launch(
            context.program("mpi_shim_awaited"),
            ESPALIER_FORCE=force,
            ESPALIER_STATISTICS=str(context.statistics),
        )
        expect(outcome.code == 0, "exit code 0", outcome)
        for report in context.reports():
            *alone, pair = [row for row in report["calls"] if row["function"] == "MPI_Iallreduce"]
            expect(len(alone) == NUM_FUNCTIONS, "a row for each function", alone)
            for row in alone:
                completed = row["completed"]
                expect(completed["count"] == NUM_CALLS, "all are complete", row)
                expect(completed["work_seconds"] >= NUM_CALLS * NAP, "work beside them", row)
                expect(completed["waiting_seconds"] > 0, "waiting for them", row)
            expect(pair["completed"]["count"] == NUM_CALLS, "pairs", pair)
            (other,) = [row for row in report["calls"] if row["function"] == "MPI_Ibcast"]
            shares = [row["completed"]["waiting_seconds"] for row in (pair, other)]
            expect(shares[0] == shares[1], "each of a pair has its share", shares)


def case_neighbors(context: Context) -> None:
    """Neighborhood calls are counted with what a rank sends to neighbours that are there."""
    for rank, rows in enumerate(rows_of(context)):
        num_neighbors = 2 if rank == 1 else 1
        for function, count in (
            ("MPI_Neighbor_allgather", 1),
            ("MPI_Neighbor_alltoall", 2),
            ("MPI_Neighbor_alltoallv", 1),
            ("MPI_Ineighbor_alltoall", 3),
            ("MPI_Neighbor_alltoall_init", 5),
        ):
            row = only(rows, function)
            found = (row["count"], row["bytes"], row["algorithm"], row["num_ranks"])
            expected = (count, 4 * count * num_neighbors, "native", NUM_RANKS)
            expect(found == expected, f"{function}: {expected}", row)
            expect(row["seconds"] > 0, "a time", row)


def case_forced_neighbors(context: Context) -> None:
    """What runs in place of the native call is named."""
    outcome = context.launch(
        context.program("mpi_shim_manners"),
        ESPALIER_FORCE="neighbor_alltoall=direct",
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    for report in context.reports():
        rows = [row for row in report["calls"] if row["function"] == "MPI_Neighbor_alltoall"]
        names = [(row["algorithm"], row["count"]) for row in rows]
        expect(names == [("neighbor_alltoall/direct", 2)], "the forced algorithm", rows)


def case_forced_started_neighbors(context: Context) -> None:
    """What is forced of the blocking call holds for the nonblocking one, unless that is named.

    What holds for the nonblocking call holds for the persistent one.
    """
    for force, started, is_blocking_ours in (
        ("neighbor_alltoall=combining", "neighbor_alltoall/combining", True),
        ("neighbor_alltoall=direct;ineighbor_alltoall=native", "native", True),
        ("ineighbor_alltoall=direct", "neighbor_alltoall/direct", False),
    ):
        for rows in rows_of(context, ESPALIER_FORCE=force):
            for function, count in STARTED:
                row = only(rows, function)
                found = (row["algorithm"], row["count"], row["reason"])
                expected = (started, count, "forced by ESPALIER_FORCE")
                expect(found == expected, f"{force}: {expected}", row)
            found_blocking = only(rows, "MPI_Neighbor_alltoall")["algorithm"]
            is_ours = found_blocking != "native"
            expect(is_ours == is_blocking_ours, f"{force}: the blocking call", found_blocking)
