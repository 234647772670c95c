#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time whole runs of a command: native, and with Espalier preloaded as a user has it, in turns.

Usage: turns.py NUMBER FIRST -- COMMAND. Of NUMBER runs each learns from those before it. Then come
FIRST runs that begin without lessons, as first runs differ from each other more than they lose.
Nothing is counted or watched in these runs, since users do not do so either. It prints
{"native_seconds": [...], "seconds": [...], "first": {"native_seconds": [...], "seconds": [...]}},
after a run that warms up.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "python"))

from espalier.launch import preload, processes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from espalier.launch.environment import Start

NATIVE = "native_seconds"
OURS = "seconds"
FIRST = "first"


def in_turns(number: int, run: Callable[[str], float]) -> dict[str, list[float]]:
    """Run both kinds so many times in turns; in every other one ours is the first.

    Args:
        number: Of runs of each kind.
        run: Takes NATIVE or OURS, and returns how many seconds a run took.
    """
    seconds: dict[str, list[float]] = {NATIVE: [], OURS: []}
    for turn in range(number):
        for kind in (NATIVE, OURS) if turn % 2 == 0 else (OURS, NATIVE):
            seconds[kind].append(run(kind))
    return seconds


def time_of(start: Start, variables: Mapping[str, str]) -> float:
    """Return how many seconds a command took with more variables; it must succeed."""
    streams = processes.Streams(stdout=sys.stderr.fileno())
    ended = processes.run(start.words, streams, environment={**start.environment, **variables})
    if ended.exit_code != 0:
        sys.exit(f"expected {' '.join(start.words)} to succeed, it ended with {ended.exit_code}")
    return ended.seconds


def main() -> None:
    """Print the times."""
    number, first, _, *words = sys.argv[1:]
    target = preload.find_target(words, None)
    starts = {NATIVE: target.plain(), OURS: target.preloaded(preload.Settings())}

    def without_lessons(kind: str) -> float:
        with tempfile.TemporaryDirectory() as state:
            return time_of(starts[kind], {"XDG_STATE_HOME": state})

    time_of(starts[NATIVE], {})
    learning = in_turns(int(number), lambda kind: time_of(starts[kind], {}))
    json.dump({**learning, FIRST: in_turns(int(first), without_lessons)}, sys.stdout)


if __name__ == "__main__":
    main()
