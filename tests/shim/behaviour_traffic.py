# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - a script that prints
"""The library that counts traffic: what ranks send is known exactly, and so is what is counted."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from typing import TYPE_CHECKING, Any

from behaviour_context import FORCE, expect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from behaviour_context import Context, Outcome

NUMBERS = (1, 2, 3, 5)
INT, DOUBLE = 4, 8

# From, to -> messages, bytes.
Matrix = dict[tuple[int, int], tuple[int, int]]
Message = tuple[int, int, int]


def matrix(messages: Iterable[Message]) -> Matrix:
    """Add messages `from, to, bytes`."""
    counts: Counter[tuple[int, int]] = Counter()
    sizes: Counter[tuple[int, int]] = Counter()
    for sender, receiver, size in messages:
        counts[sender, receiver] += 1
        sizes[sender, receiver] += size
    return {pair: (counts[pair], sizes[pair]) for pair in counts}


def to_next(num_ranks: int, sizes: Iterable[int]) -> list[Message]:
    """Return messages from each rank to the next one."""
    listed = list(sizes)
    return [(rank, (rank + 1) % num_ranks, size) for rank in range(num_ranks) for size in listed]


def documents(context: Context, folder: str = "traffic") -> list[dict[str, Any]]:
    """Return what all ranks wrote, by rank."""
    files = (context.folder / folder).glob("traffic-*.json")
    found = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return sorted(found, key=lambda document: int(document["rank"]))


def counted(ranks: list[dict[str, Any]], member: str = "sent") -> Matrix:
    """Return what all ranks wrote that they sent, or fetched: from the other rank, then."""
    return {
        (rank["rank"], other): (messages, size)
        for rank in ranks
        for other, messages, size in rank[member]
    }


def run(
    context: Context, num_ranks: int, *program: str, libraries: str = "", **environment: str
) -> Outcome:
    """Run a program that asks for its traffic."""
    preload = libraries or str(context.config["traffic"])
    for old in (context.folder / "traffic").glob("*.json"):
        old.unlink()
    variables = {"ESPALIER_TRAFFIC": str(context.folder / "traffic"), **environment}
    return context.launch(*program, shim=preload, num_ranks=num_ranks, **variables)


def expect_counted(
    context: Context, part: str, messages: Callable[[int], list[Message]], kind: str
) -> None:
    """Run a part of the program with several numbers of ranks; all that is counted is expected."""
    for num_ranks in NUMBERS:
        outcome = run(context, num_ranks, context.program("mpi_shim_sender"), part)
        expect(outcome.code == 0 and not outcome.lines, f"{part} of {num_ranks}", outcome)
        expect_matrix(context, num_ranks, matrix(messages(num_ranks)), kind)


def expect_matrix(context: Context, num_ranks: int, expected: Matrix, kind: str = "") -> None:
    """The files of all ranks have these messages, all of one kind."""
    ranks = documents(context)
    expect([rank["rank"] for rank in ranks] == list(range(num_ranks)), "a file of each rank", ranks)
    for rank in ranks:
        expect(rank["finalized"] and rank["host"], "the end and the host", rank)
        expect(rank["mpi"]["vendor"] == context.vendor, "the vendor", rank["mpi"])
        expect(rank["outside"]["messages"] == 0, "nobody outside", rank)
    expect(counted(ranks) == expected, f"{num_ranks} ranks: {expected}", counted(ranks))
    for name in ranks[0]["kinds"] if kind else ():
        total = sum(rank["kinds"][name]["messages"] for rank in ranks)
        expected_total = sum(count for count, _ in expected.values()) if name == kind else 0
        expect(total == expected_total, f"{expected_total} messages {name}", total)


def case_traffic_forms(context: Context) -> None:
    """Every form of a send counts once, and MPI_PROC_NULL does not."""
    for num_ranks in NUMBERS:
        outcome = run(context, num_ranks, context.program("mpi_shim_sender"), "forms")
        expect(outcome.code == 0, "exit code 0", outcome)
        num_forms = int(outcome.stdout.split()[0])
        expect(num_forms in {10, 14}, "10 forms of MPI 3 or 14 of MPI 4", num_forms)
        sizes = [INT * (form + 1) for form in range(num_forms)]
        expect_matrix(context, num_ranks, matrix(to_next(num_ranks, sizes)), "point_to_point")


def case_traffic_persistent(context: Context) -> None:
    """Persistent sends count whenever they are started, also together with receives."""
    sizes = [INT * count for count in (1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4)]
    expect_counted(context, "persistent", lambda p: to_next(p, sizes), "point_to_point")


def halves(num_ranks: int) -> list[list[int]]:
    """Return odd and even ranks, the last first."""
    found = [list(range(start, num_ranks, 2))[::-1] for start in (0, 1)]
    return [half for half in found if half]


def case_traffic_subcommunicator(context: Context) -> None:
    """Ranks of communicators are translated to those of MPI_COMM_WORLD."""
    for num_ranks in NUMBERS:
        messages = []
        for half in halves(num_ranks):
            for i, rank in enumerate(half):
                messages += [(rank, half[(i + 1) % len(half)], 2 * DOUBLE)] * 3
                messages += [(rank, other, INT) for other in half]
        outcome = run(context, num_ranks, context.program("mpi_shim_sender"), "subcommunicator")
        expect(outcome.code == 0, "exit code 0", outcome)
        expect_matrix(context, num_ranks, matrix(messages))


def alltoall_messages(num_ranks: int) -> list[Message]:
    """Return the messages of the part `alltoall`; parts without bytes are none."""
    messages = []
    for rank in range(num_ranks):
        for other in range(num_ranks):
            of_v_and_w = INT * ((rank + other) % 3)
            sizes = [2 * INT, 3 * INT, INT, of_v_and_w, of_v_and_w]
            messages += [(rank, other, size) for size in sizes if size]
    return messages


def case_traffic_alltoall(context: Context) -> None:
    """Of collectives those count whose pairs do not depend on an algorithm."""
    expect_counted(context, "alltoall", alltoall_messages, "alltoall")


def case_traffic_neighbors(context: Context) -> None:
    """Neighborhood collectives count along the edges of the topology."""

    def messages(num_ranks: int) -> list[Message]:
        found = []
        for rank in range(num_ranks):
            found += [(rank, rank + s, 4 * INT) for s in (-1, 1) if 0 <= rank + s < num_ranks]
            found += [(rank, (rank + step) % num_ranks, 8 * INT) for step in (-1, 1)]
            found += [(rank, (rank + step) % num_ranks, INT * step) for step in (1, 2)]
        return found

    expect_counted(context, "neighbors", messages, "neighborhood")


def case_traffic_one_sided(context: Context) -> None:
    """What is put counts from the origin, what is fetched for the target."""
    for num_ranks in NUMBERS:
        outcome = run(context, num_ranks, context.program("mpi_shim_sender"), "one_sided")
        expect(outcome.code == 0, "exit code 0", outcome)
        put = [INT * count for count in (3, 2, 4, 1, 2, 1, 1, 1)]
        fetched = [INT * count for count in (5, 4, 6, 1, 1, 1, 1)]
        expect_matrix(context, num_ranks, matrix(to_next(num_ranks, put)))
        found = counted(documents(context), "fetched")
        expected = matrix(to_next(num_ranks, fetched))
        expect(found == expected, f"fetched: {expected}", found)


def case_traffic_intercommunicator(context: Context) -> None:
    """Ranks of the remote group are translated."""

    def messages(num_ranks: int) -> list[Message]:
        first = num_ranks // 2
        low, high = list(range(first)), list(range(first, num_ranks))
        if not low:
            return []
        found = [(low[0], high[-1], 6 * INT), (high[0], low[-1], 6 * INT)]
        found += [(one, other, INT) for one in low for other in high]
        return found + [(one, other, INT) for one in high for other in low]

    for num_ranks in NUMBERS:
        outcome = run(context, num_ranks, context.program("mpi_shim_sender"), "intercommunicator")
        expect(outcome.code == 0, "exit code 0", outcome)
        expect_matrix(context, num_ranks, matrix(messages(num_ranks)))


def case_traffic_threads(context: Context) -> None:
    """Threads that send at once, first on a communicator that nobody knows, lose no message."""
    sizes = [INT * (1 + thread) for thread in range(4) for _ in range(50)]
    expect_counted(context, "threads", lambda p: to_next(p, sizes), "point_to_point")


def case_traffic_many_communicators(context: Context) -> None:
    """A handle that is used again is another communicator."""

    def messages(num_ranks: int) -> list[Message]:
        forward = to_next(num_ranks, [INT] * 150)
        return forward + [(receiver, sender, size) for sender, receiver, size in forward]

    expect_counted(context, "many_communicators", messages, "point_to_point")


def case_traffic_fortran(context: Context) -> None:
    """Fortran programs are counted alike, MPI_IN_PLACE too."""
    for num_ranks in NUMBERS:
        outcome = run(context, num_ranks, context.program("fortran_sender"))
        expect(outcome.code == 0, "exit code 0", outcome)
        messages = to_next(num_ranks, [INT * count for count in (2, 3, 4)])
        ranks = range(num_ranks)
        messages += [(rank, other, INT) for rank in ranks for other in ranks]
        expect_matrix(context, num_ranks, matrix(messages))


def case_traffic_beside_the_shim(context: Context) -> None:
    """Messages of Espalier are none of the program's, whatever serves its collectives."""
    both = f"{context.config['traffic']}:{context.config['shim']}"
    for num_ranks in (3, 5):
        outcome = run(
            context,
            num_ranks,
            context.program("mpi_shim_sender"),
            "alltoall",
            libraries=both,
            ESPALIER_FORCE=FORCE,
            ESPALIER_STATISTICS=str(context.statistics),
        )
        expect(outcome.code == 0, "exit code 0", outcome)
        functions = {row["function"]: row["algorithm"] for row in context.reports()[0]["calls"]}
        expect(functions["MPI_Alltoall"] == "alltoall/bruck", "calls that are served", functions)
        expect_matrix(context, num_ranks, matrix(alltoall_messages(num_ranks)), "alltoall")


def case_traffic_exit(context: Context) -> None:
    """A program that ends without MPI_Finalize leaves what it sent.

    One rank: of several, the launcher may end some before they exit by themselves.
    """
    run(context, 1, context.program("mpi_shim_sender"), "exit")
    _expect_unfinished(documents(context), 1)


def case_traffic_abort(context: Context) -> None:
    """The rank that aborts leaves what it sent; the others are killed by the launcher."""
    outcome = run(context, 3, context.program("mpi_shim_sender"), "abort")
    expect(outcome.code == 3, "the exit code of MPI_Abort", outcome)
    _expect_unfinished([rank for rank in documents(context) if rank["rank"] == 0], 1)


def _expect_unfinished(ranks: list[dict[str, Any]], number: int) -> None:
    expect(len(ranks) == number, f"{number} files", ranks)
    for rank in ranks:
        expect(not rank["finalized"], "finalized to be false", rank)
        following = (rank["rank"] + 1) % rank["num_ranks"]
        expect(rank["sent"] == [[following, 1, INT]], "one message", rank)


def case_traffic_not_asked_for(context: Context) -> None:
    """Without the variable nothing is counted and nothing is written."""
    program = (context.program("mpi_shim_sender"), "forms")
    outcome = context.launch(*program, shim=str(context.config["traffic"]))
    expect(outcome.code == 0 and not outcome.lines, "silence", outcome)
    left = list(context.folder.rglob("traffic-*"))
    expect(not left, "no files", left)


def case_traffic_of_another_mpi(context: Context) -> None:
    """Under the library of the other family a program runs, uncounted, and is told once."""
    other = str(context.config["other_traffic"])
    if not other:
        return
    outcome = run(context, 3, context.program("mpi_shim_sender"), "forms", libraries=other)
    expect(outcome.code == 0, "exit code 0", outcome)
    lines = [line for line in outcome.lines if "nothing is counted" in line]
    expect(len(lines) == 1, "one line", outcome.stderr)
    expect(not documents(context), "no files", documents(context))


def case_traffic_disk_full(context: Context) -> None:
    """Where nothing can be written, rank 0 says it in one line and the program ends well."""
    outcome = context.launch(
        context.program("mpi_shim_sender"),
        "forms",
        shim=str(context.config["traffic"]),
        ESPALIER_TRAFFIC="/proc/none",
    )
    expect(outcome.code == 0, "exit code 0", outcome)
    expect(len(outcome.lines) == 1, "one line", outcome.lines)
    expect("rank 0 could not write to /proc/none" in outcome.lines[0], "the folder", outcome.lines)


def case_traffic_spawn(context: Context) -> None:
    """Spawned processes write into folders of their own."""
    launcher = [str(word) for word in context.config["launcher"]]
    # Ranks of different jobs reach each other by tcp only.
    context.config["launcher"] = [word.replace("vader", "tcp") for word in launcher]
    program = (context.program("mpi_shim_program"), "spawn")
    if context.launch(*program, shim="", num_ranks=1).code != 0:
        print("skipped: this MPI cannot spawn here")
        return
    outcome = run(context, 1, *program)
    expect(outcome.code == 0, "exit code 0", outcome)
    expect([rank["rank"] for rank in documents(context)] == [0], "one rank", documents(context))
    folders: list[Path] = list((context.folder / "traffic").glob("spawned-*"))
    expect(len(folders) > 0, "folders of spawned processes", folders)


def case_traffic_symbols(context: Context) -> None:
    """The library shows functions of MPI alone, each by both names."""
    words = ["nm", "-D", "--defined-only", str(context.config["traffic"])]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1] for line in text.splitlines()}
    unknown = {name for name in names if not name.startswith(("MPI_", "PMPI_"))}
    expect(not unknown, "no other symbols", unknown)
    plain = {name for name in names if name.startswith("MPI_")}
    expect({f"P{name}" for name in plain} == names - plain, "both names", names)
    expect({"MPI_Send", "MPI_Ineighbor_alltoallw"} <= plain, "functions that send", plain)
