# SPDX-License-Identifier: Apache-2.0
"""What is learned of nonblocking calls between neighbours from run to run."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from behaviour_context import NUM_RANKS, STARTED, expect
from behaviour_lessons import rules_of, trials
from behaviour_started import keep, require_progress

if TYPE_CHECKING:
    from pathlib import Path

    from behaviour_context import Context

PROGRAM = "mpi_shim_neighbor_overlapped"
FUNCTION = "MPI_Ineighbor_alltoall"
# 16 integers for each neighbour, on a line.
KIND = {
    "collective": "ineighbor_alltoall",
    "num_ranks": 2,
    "num_nodes": 1,
    "topology": "grid",
    "max_neighbors": 2,
    "min_bytes": 64,
    "max_bytes": 127,
}
DIRECT = "neighbor_alltoall/direct"
COMBINING = "neighbor_alltoall/combining"
# As long as the model wants a program to run before it proposes something.
LONG_ENOUGH = 600


def launch(
    context: Context, memory: Path, *arguments: int, num_ranks: int = 2, shim: str | None = None
) -> None:
    """Run the program, which is to succeed and to say nothing. With a share it never rests."""
    outcome = context.launch(
        context.program(PROGRAM),
        *map(str, arguments),
        num_ranks=num_ranks,
        shim=shim,
        ESPALIER_LEARN="50%",
        ESPALIER_MEMORY=str(memory),
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)


def slowly(context: Context) -> str:
    """Return what to preload so that native calls take half a millisecond longer."""
    return f"{context.config['shim']}:{context.config['slow_neighbors']}"


def ran(context: Context) -> Counter[str]:
    """Return how often each rank ran what for the calls that are learned of; the same on all."""
    counts = []
    for report in context.reports():
        of_rank: Counter[str] = Counter()
        for row in report["calls"]:
            if row["function"] == FUNCTION:
                of_rank[row["algorithm"]] += row["count"]
        counts.append(of_rank)
    expect(len(counts) > 1, "a file for each rank", counts)
    expect(all(one == counts[0] for one in counts), "equal decisions", counts)
    return counts[0]


def after(memory: Path) -> dict[str, Any]:
    """Return what is known of these calls now."""
    document = json.loads(memory.read_text(encoding="utf-8"))
    (found,) = [one for one in document["trials"] if one["collective"] == KIND["collective"]]
    return dict(found)


def learned_rules(memory: Path) -> list[dict[str, Any]]:
    """Return the rules for these calls that name something else than the native call."""
    every = rules_of(memory) if memory.exists() else []
    ours = [rule for rule in every if rule["collective"] == KIND["collective"]]
    return [rule for rule in ours if rule["algorithm"] != "native"]


def case_started_neighbors_are_counted(context: Context) -> None:
    """The first run makes native calls, and says what the next one may try."""
    require_progress(context)
    memory = context.folder / "found.json"
    launch(context, memory, 60, 40, LONG_ENOUGH, shim=slowly(context))
    expect(ran(context) == {"native": 100}, "100 native calls", ran(context))
    found = after(memory)
    expect({**found, **KIND} == found, "the kind of calls", found)
    expect(found["num_calls"] == 60, "60 calls on one communicator", found)
    expect(found["seconds"] > 0, "how long one waits", found)
    names = [one["algorithm"] for one in found["candidates"]]
    expect(names == ["native", DIRECT], "what serves a line on one node", names)
    launch(context, memory, 60, 40)
    expect(ran(context) == {"native": 96, DIRECT: 4}, "trials in the next run", ran(context))


def case_started_neighbors_are_tried(context: Context) -> None:
    """Which calls try what is fixed before a run begins, on each communicator alike."""
    require_progress(context)
    # Of two ranks each may have blocks of another size, which nobody forwards.
    kind = KIND | {"num_ranks": NUM_RANKS}
    memory = keep(context, [trials(kind, 1e-4, "native", DIRECT, COMBINING) | {"num_calls": 60}])
    launch(context, memory, 60, 60, num_ranks=NUM_RANKS)
    expected = {"native": 112, DIRECT: 4, COMBINING: 4}
    expect(ran(context) == expected, "two calls with each on each communicator", ran(context))
    found = after(memory)
    expect(found["num_rounds"] == 1, "a round", found)
    expect(all(one["seconds"] > 0 for one in found["candidates"]), "times", found)


def case_started_neighbors_are_learned(context: Context) -> None:
    """What is faster than a slow native call becomes a rule, and serves the next run."""
    require_progress(context)
    memory = context.folder / "found.json"
    for _ in range(8):
        launch(context, memory, 200, 0, LONG_ENOUGH, shim=slowly(context))
        if learned_rules(memory):
            break
    rules = learned_rules(memory)
    expect([rule["algorithm"] for rule in rules] == [DIRECT], "a rule", after(memory))
    expect({**rules[0], **KIND} == rules[0], "for these calls", rules)
    launch(context, memory, 200, shim=slowly(context))
    expect(ran(context) == {DIRECT: 200}, "it serves", ran(context))
    launch(context, memory, 400, shim=slowly(context))
    # Of the last run's 200 calls none is a check, as they are too few.
    expect(ran(context) == {DIRECT: 400}, "no checks yet", ran(context))
    launch(context, memory, 400, shim=slowly(context))
    expect(ran(context) == {DIRECT: 380, "native": 20}, "20 calls for checks", ran(context))


def mannerly(context: Context, memory: str) -> dict[str, set[tuple[str, str]]]:
    """Return what a program that learns runs in each form of a call between neighbours, and why."""
    outcome = context.launch(
        context.program("mpi_shim_manners"),
        ESPALIER_LEARN="50%",
        ESPALIER_MEMORY=memory,
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    found: dict[str, set[tuple[str, str]]] = {}
    for report in context.reports():
        for row in report["calls"]:
            because = (row["algorithm"], row["reason"])
            found.setdefault(row["function"], set()).add(because)
    return {one: found[one] for one in ("MPI_Neighbor_alltoall", *dict(STARTED))}


def case_started_neighbors_without_memory(context: Context) -> None:
    """Where nothing is known, all forms are native, and persistent calls are no trials."""
    for function, found in mannerly(context, "off").items():
        expect(found == {("native", "no profile")}, f"native {function}", found)


def case_persistent_neighbors_follow_lessons(context: Context) -> None:
    """What was learned of nonblocking calls serves persistent ones, too, and no blocking ones.

    What was learned of blocking calls serves these alone, as it says nothing of work beside them.
    """
    require_progress(context)
    learned = {**KIND, "num_ranks": NUM_RANKS, "min_bytes": 0, "max_bytes": None, "reason": "so"}
    started = {**learned, "algorithm": COMBINING}
    native = {("native", "no profile")}
    blocking, *others = mannerly(context, str(keep(context, [], started))).values()
    expect(blocking == native, "nothing of blocking calls", blocking)
    expect(all({name for name, _ in one} == {COMBINING} for one in others), "the rule", others)
    once = {**started, "collective": "neighbor_alltoall"}
    blocking, *others = mannerly(context, str(keep(context, [], once))).values()
    expect({name for name, _ in blocking} == {COMBINING}, "the rule", blocking)
    expect(others == [native, native], "nothing of others", others)


def case_started_neighbors_may_try_anything(context: Context) -> None:
    """Programs with calls of all kinds on all topologies have the right results meanwhile."""
    require_progress(context)
    outcome = context.launch(
        context.program("mpi_shim_neighbor_started"),
        "often",
        ESPALIER_LEARN="on",
        ESPALIER_MEMORY=str(keep(context, many_trials())),
        ESPALIER_STATISTICS=str(context.statistics),
    )
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    tried = Counter(
        row["algorithm"]
        for row in context.reports()[0]["calls"]
        if row["reason"].startswith("learning: a trial") and row["algorithm"] != "native"
    )
    expect(len(tried) >= 4, "many algorithms", tried)


def many_trials() -> list[dict[str, Any]]:
    """Return trials of all such calls on all shapes of the program, to be tried at once."""
    found = []
    for call in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"):
        family = "neighbor_allgather" if call.startswith("allgather") else "neighbor_alltoall"
        names = [f"{family}/{one}" for one in ("direct", "combining", "node_aware")]
        for topology in ("grid", "graph", "disconnected"):
            has_known_size = call in ("allgather", "alltoall") and topology != "disconnected"
            sizes = [(2**k, 2 ** (k + 1) - 1) for k in range(16)] if has_known_size else [(0, None)]
            for min_bytes, max_bytes in sizes:
                for max_neighbors in (1, 2, 4, 8, 16):
                    kind = KIND | {
                        "num_ranks": NUM_RANKS,
                        "collective": f"ineighbor_{call}",
                        "topology": topology,
                        "max_neighbors": max_neighbors,
                        "min_bytes": min_bytes,
                        "max_bytes": max_bytes,
                    }
                    known = trials(kind, 1e-9, "native", *names)
                    # Times of which none is the better one, for many rounds.
                    for candidate in known["candidates"]:
                        candidate["seconds"] = 1e-9
                    found.append(known | {"num_calls": 31, "num_rounds": 1})
    return found
