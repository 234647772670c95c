# SPDX-License-Identifier: Apache-2.0
"""Profiles for tests, rule by rule."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

CPU = {"hostname": "n1", "cpu": "a processor", "num_cores": 8}


def rule(
    choice: str, low: int = 0, high: int | None = None, *, call: str = "", **facts: Any
) -> dict[str, Any]:
    """Return a rule for `ranks` on `nodes`; it was timed if `gain=(ratio, lower end)` says so."""
    ratio, least = facts.get("gain") or (None, None)
    times = {"median_us": 5.0, "low_us": 4.9, "high_us": 5.2}
    gains = {} if ratio is None else {"ratio": ratio, "ratio_low": least, "ratio_high": ratio + 0.1}
    timed = choice if choice != "native" else "bcast/flat"
    entry = {"bytes": low, "native": times, "candidates": {timed: {**times, **gains}}}
    return {
        "collective": call or choice.partition("/")[0],
        "num_ranks": facts.get("ranks", 4),
        "num_nodes": facts.get("nodes", 1),
        "min_bytes": low,
        "max_bytes": high,
        "algorithm": choice,
        "reason": "a test",
        "evidence": [entry] if facts.get("timed", ratio is not None) else [],
    }


def profile(*rules: dict[str, Any], **about: Any) -> dict[str, Any]:
    """Return a profile of one run; `about` replaces what it says of itself."""
    return {
        "schema": "espalier-profile",
        "version": 1,
        "created": "2026-01-01T00:00:00Z",
        "command": "espalier tune -- mpirun -n 4",
        "machine": CPU,
        "mpi": {"vendor": "openmpi", "version": "Open MPI v4.1.4"},
        "method": {"complete": True},
        **about,
        "rules": list(rules),
    }


def trials(
    call: str, low: int = 0, high: int | None = None, *, calls: int = 10, rounds: int = 1
) -> dict[str, Any]:
    """Return trials of calls that take 2 ms."""
    candidate = {
        "predicted_seconds": 0.0,
        "seconds": 0.002,
        "seconds_in_round": 0.0,
        "wins_and_pairs": [0, rounds],
        "wins_and_pairs_with_leader": [0, 0],
        "is_out": False,
        "may_run": True,
    }
    return {
        "collective": call,
        "num_ranks": 4,
        "num_nodes": 1,
        "min_bytes": low,
        "max_bytes": high,
        "num_calls": calls,
        "seconds": 0.002,
        "exchange_seconds": 1e-5,
        "num_rounds": rounds,
        "candidates": [
            {"algorithm": "native", **candidate},
            {"algorithm": f"{call}/binomial", **candidate},
        ],
    }


def write(path: Path, document: dict[str, Any]) -> Path:
    """Write a profile and return its path."""
    path.write_text(json.dumps(document), encoding="utf-8")
    return path
