# SPDX-License-Identifier: Apache-2.0
"""A program that learns, and the file that it leaves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from behaviour_context import RULE, Context, Outcome, expect

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "mpi_shim_learning"


def learn(context: Context, memory: Path | str, num_calls: int = 600, **settings: str) -> Outcome:
    """Run a program that makes ten calls over and over, and checks their results."""
    return context.launch(
        context.program(PROGRAM),
        str(num_calls),
        num_ranks=2,
        ESPALIER_LEARN="50%",
        ESPALIER_MEMORY=str(memory),
        **settings,
    )


def learn_something(context: Context, memory: Path) -> None:
    """Run the program until something was decided: busy machines need more trials."""
    before = num_rules(memory)
    for _ in range(5):
        learn(context, memory)
        if num_rules(memory) > before:
            return


def num_rules(memory: Path) -> int:
    """Return how much was remembered."""
    return len(rules_of(memory)) if memory.exists() else 0


def rules_of(memory: Path) -> list[dict[str, Any]]:
    """Return what was remembered."""
    document = json.loads(memory.read_text(encoding="utf-8"))
    expect(document["schema"] == "espalier-profile", "a profile", document)
    return list(document["rules"])


def remembered(context: Context) -> Path:
    """Return a file with what was learned on another shape."""
    memory = context.folder / "memory.json"
    document = {
        "schema": "espalier-profile",
        "version": 1,
        "mpi": {"vendor": context.vendor, "version": "1"},
        "rules": [{**RULE, "num_ranks": 77, "num_nodes": 7}],
    }
    memory.write_text(json.dumps(document), encoding="utf-8")
    return memory


def trials(kind: dict[str, Any], seconds: float, *algorithms: str) -> dict[str, Any]:
    """Return what is known of calls that nobody has tried anything for."""
    candidate = {
        "predicted_seconds": 1e-6,
        "seconds": 0,
        "seconds_in_round": 0,
        "wins_and_pairs": [0, 0],
        "wins_and_pairs_with_leader": [0, 0],
        "is_out": False,
        "may_run": True,
    }
    return {
        **kind,
        "num_calls": 20,
        "seconds": seconds,
        "exchange_seconds": seconds / 10,
        "num_rounds": 0,
        "candidates": [{**candidate, "algorithm": one} for one in algorithms],
    }


def trials_after(
    context: Context, memory: Path, num_calls: int, kind: dict[str, Any]
) -> dict[str, Any]:
    """Run the program, and return what it knows of a kind of calls then."""
    outcome = learn(context, memory, num_calls)
    expect((outcome.code, outcome.lines) == (0, []), "a silent success", outcome)
    (after,) = [
        one
        for one in json.loads(memory.read_text(encoding="utf-8"))["trials"]
        if (one["collective"], one["min_bytes"]) == (kind["collective"], kind["min_bytes"])
    ]
    return after
