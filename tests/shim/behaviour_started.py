# SPDX-License-Identifier: Apache-2.0
"""What is learned of nonblocking calls from run to run: which call tries what, what is kept."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from behaviour_context import CHOICES, NUM_RANKS, NotThereError, Outcome, expect
from behaviour_lessons import trials

if TYPE_CHECKING:
    from pathlib import Path

    from behaviour_context import Context

PROGRAM = "mpi_shim_overlapped"
# 16 integers.
KIND = {
    "collective": "iallreduce",
    "num_ranks": 2,
    "num_nodes": 1,
    "min_bytes": 64,
    "max_bytes": 127,
}
OURS = "allreduce/recursive_doubling"


def keep(context: Context, known: list[dict[str, Any]], *rules: dict[str, Any]) -> Path:
    """Return a file that earlier runs could have left."""
    memory = context.folder / "memory.json"
    document = {
        "schema": "espalier-profile",
        "version": 1,
        "mpi": {"vendor": context.vendor, "version": "1"},
        "rules": list(rules),
        "trials": known,
    }
    memory.write_text(json.dumps(document), encoding="utf-8")
    return memory


def launch(context: Context, memory: Path, *arguments: int, **settings: str) -> Outcome:
    """Run the program, which is to succeed and to say nothing."""
    outcome = context.launch(
        context.program(PROGRAM),
        *map(str, arguments),
        num_ranks=2,
        ESPALIER_LEARN="on",
        ESPALIER_MEMORY=str(memory),
        ESPALIER_STATISTICS=str(context.statistics),
        **settings,
    )
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    return outcome


def ran(context: Context) -> Counter[str]:
    """Return how often each rank ran what for the calls that are learned of; the same on all."""
    counts = []
    for report in context.reports():
        of_rank: Counter[str] = Counter()
        for row in report["calls"]:
            if row["function"] == "MPI_Iallreduce":
                of_rank[row["algorithm"]] += row["count"]
        counts.append(of_rank)
    expect(all(one == counts[0] for one in counts), "equal decisions", counts)
    return counts[0]


def after(memory: Path) -> dict[str, Any]:
    """Return what is known of these calls now."""
    document = json.loads(memory.read_text(encoding="utf-8"))
    (found,) = [one for one in document["trials"] if one["collective"] == "iallreduce"]
    return dict(found)


def require_progress(context: Context) -> None:
    """Nonblocking calls are served where the MPI library lets others make progress."""
    launch(context, context.folder / "none.json", 2, ESPALIER_FORCE=f"allreduce={OURS}")
    if set(ran(context)) != {OURS}:
        raise NotThereError("an MPI library that lets others make progress")


def timed(native: float, ours: float, **more: object) -> dict[str, Any]:
    """Return what is known after some rounds of trials, with seconds of a call."""
    known = trials(KIND, 1e-3, "native", OURS) | more
    known["candidates"][0]["seconds"] = native
    known["candidates"][1]["seconds"] = ours
    return known


def case_started_calls_are_counted(context: Context) -> None:
    """Runs with nothing to try make native calls, and know how many and how long one waits then."""
    require_progress(context)
    few = trials(KIND, 1e-3, "native", OURS) | {"num_calls": 2}
    memory = keep(context, [few])
    launch(context, memory, 60)
    expect(ran(context) == {"native": 60}, "60 native calls", ran(context))
    found = after(memory)
    expect(found["num_calls"] == 60, "60 calls", found)
    expect(0 < found["seconds"] != 1e-3, "how long one waits", found)


def case_started_trials(context: Context) -> None:
    """The next run tries what a model proposed, in calls that are fixed before it begins."""
    require_progress(context)
    memory = keep(context, [trials(KIND, 1e-4, "native", OURS) | {"num_calls": 60}])
    launch(context, memory, 60, 60)
    # Two calls on each communicator, of which the second one is timed.
    expect(ran(context) == {"native": 116, OURS: 4}, "4 trials", ran(context))
    found = after(memory)
    native, ours = found["candidates"]
    expect(found["num_rounds"] == 1, "a round", found)
    expect(native["seconds"] > 0 and ours["seconds"] > 0, "times", found)
    expect(ours["wins_and_pairs"][1] == 1 or native["seconds"] == ours["seconds"], "a pair", found)


def case_started_trials_go_on(context: Context) -> None:
    """Later runs add to what is known, with longer trials."""
    require_progress(context)
    known = timed(1e-4, 1e-4, num_calls=128, num_rounds=7)
    known["candidates"][1]["wins_and_pairs"] = [4, 7]
    memory = keep(context, [known])
    launch(context, memory, 128)
    # As many rounds as half of the calls are enough for, of two trials of three calls each.
    expect(ran(context) == {"native": 98, OURS: 30}, "10 rounds", ran(context))
    found = after(memory)
    expect(found["num_rounds"] == 17, "10 more rounds", found)
    expect(7 < found["candidates"][1]["wins_and_pairs"][1] <= 17, "pairs", found)


def case_started_winner_is_checked(context: Context) -> None:
    """What was learned serves the calls, but for a few by which it is checked."""
    require_progress(context)
    known = timed(2e-3, 1e-3, num_calls=400, num_rounds=7)
    rule = {**KIND, "algorithm": OURS, "reason": "learned"}
    memory = keep(context, [known], rule)
    launch(context, memory, 400, 40)
    # On both communicators at the same calls, which the duplicate does not come to.
    expect(ran(context) == {"native": 20, OURS: 420}, "20 calls for checks", ran(context))
    report = context.reports()[0]["learning"]
    expect(abs(report["saved_seconds"] - 0.44) < 0.01, "1 ms a call", report)
    expect(after(memory)["seconds"] == 1e-3, "what native calls take", after(memory))


def case_started_calls_follow_a_profile(context: Context) -> None:
    """Nothing is tried for calls that a profile of the user has a rule for."""
    require_progress(context)
    memory = keep(context, [trials(KIND, 1e-4, "native", OURS) | {"num_calls": 60}])
    other = "allreduce/ring"
    rule = {**KIND, "min_bytes": 0, "max_bytes": None, "algorithm": other}
    profile = context.profile(rules=[{**rule, "reason": "measured"}])
    launch(context, memory, 60, ESPALIER_PROFILE=profile)
    expect(ran(context) == {other: 60}, "the rule", ran(context))


def many_trials() -> list[dict[str, Any]]:
    """Return trials of all nonblocking calls on all ranks, to be tried in the first calls."""
    unknown_sizes = ("alltoallv", "alltoallw", "barrier", "gatherv", "scatterv")
    found = []
    for call, algorithm in CHOICES.items():
        sizes = [(2**k, 2 ** (k + 1) - 1) for k in range(20)]
        for min_bytes, max_bytes in [(0, None)] if call in unknown_sizes else sizes:
            kind = KIND | {
                "collective": f"i{call}",
                "num_ranks": NUM_RANKS,
                "min_bytes": min_bytes,
                "max_bytes": max_bytes,
            }
            known = trials(kind, 1e-9, "native", algorithm)
            # Times of which none is the better one, for many rounds.
            for candidate in known["candidates"]:
                candidate["seconds"] = 1e-9
            found.append(known | {"num_calls": 31, "num_rounds": 1})
    return found


def case_anything_started_may_be_tried(context: Context) -> None:
    """Programs with nonblocking calls of all kinds have the right results meanwhile."""
    require_progress(context)
    num_tried = 0
    programs: dict[str, tuple[str, ...]] = {
        "started_collectives": ("equal_types",),
        "started_moves": ("equal_types",),
        "started_reductions": ("no_gaps",),
    }
    if context.vendor == "mpich":
        # Open MPI 4.1 crashes where a communicator is freed while native calls are underway.
        programs["nonblocking"] = ()
    for name, arguments in programs.items():
        outcome = context.launch(
            context.program(f"mpi_shim_{name}"),
            *arguments,
            num_ranks=NUM_RANKS,
            ESPALIER_LEARN="on",
            ESPALIER_MEMORY=str(keep(context, many_trials())),
            ESPALIER_STATISTICS=str(context.statistics),
        )
        expect(outcome.code == 0, f"{name} succeeds", outcome)
        num_tried += sum(
            row["count"]
            for row in context.reports()[0]["calls"]
            if row["reason"].startswith("learning: a trial") and row["algorithm"] != "native"
        )
    expect(num_tried > 50, "many trials", num_tried)
