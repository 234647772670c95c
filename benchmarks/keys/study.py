#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs to choose algorithms without looking at placement, roots and blocks, by the model.

Usage: study.py FOLDER. It writes FOLDER/keys.json; benchmarks/pages.py writes the page about it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [
    *(str(FOLDER), str(FOLDER.parent / "reproduce")),
    str(FOLDER.parent.parent / "python"),
]

from regrets import blocks_of  # noqa: E402
from simulated_times import note_date  # noqa: E402

from espalier import _core  # noqa: E402
from espalier.sampling.candidates import candidates_for, real_size  # noqa: E402
from espalier.sampling.setting import Setting  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STUDY = "keys"
FILE = "keys.json"


@dataclass(frozen=True)
class Situation:
    """Where a call is made, and how its blocks are."""

    name: str
    setting: Setting
    root: int
    blocks: str

    def replay(self, choices: Sequence[str], num_bytes: int) -> tuple[str, float] | None:
        """Return the fastest choice with its seconds; None if all refuse."""
        found = _core.best(
            list(choices),
            self.setting.num_ranks,
            self.root,
            self.setting.machine,
            self.setting.placement,
            num_bytes,
            1,
            blocks_of(self.blocks, num_bytes, self.setting.num_ranks),
        )
        return (found[0]["choice"], found[0]["seconds"]) if found else None


def situation_of(row: Mapping[str, Any], declared: Mapping[str, Any]) -> Situation:
    """Return a situation as it is declared."""
    machine = row["machine"].format(node=declared["node"], core=declared["core"])
    setting = Setting(machine, row.get("placement", "block"), row["ranks"])
    return Situation(row["name"], setting, row.get("root", 0), row.get("blocks", "equal"))


def cells_of(call: str, size: int, group: Sequence[Situation]) -> list[dict[str, Any]]:
    """Return the cells of one call and size in situations that rules do not tell apart."""
    num_ranks = group[0].setting.num_ranks
    num_bytes = real_size(call, size, num_ranks)
    best = {
        one.name: found
        for one in group
        if (found := one.replay(candidates_for(call, num_ranks, (), one.setting), num_bytes))
    }
    return [
        {
            "call": call,
            "bytes": size,
            "situation": here.name,
            "choice": best[here.name][0],
            "seconds": best[here.name][1],
            "others": {
                name: {"choice": choice, "seconds": _seconds(here, choice, num_bytes)}
                for name, (choice, _) in best.items()
                if name != here.name
            },
        }
        for here in group
        if here.name in best
    ]


def _seconds(here: Situation, choice: str, num_bytes: int) -> float | None:
    found = here.replay([choice], num_bytes)
    return None if found is None else found[1]


def answer(question: Mapping[str, Any], declared: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return all cells of a question."""
    groups = defaultdict(list)
    for row in question["situation"]:
        groups[row["group"]].append(situation_of(row, declared))
    return [
        {"question": question["name"], **cell}
        for call in question["calls"]
        for size in (declared["sizes"] if call != "barrier" else [0])
        for group in groups.values()
        for cell in cells_of(call, size, group)
    ]


def main() -> None:
    """Parse the command line."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    cells = []
    for question in declared["question"]:
        start = time.monotonic()
        cells += answer(question, declared)
        sys.stderr.write(f"{question['name']}: {time.monotonic() - start:.1f} s\n")
    lines = ",\n".join(f"  {json.dumps(cell)}" for cell in cells)
    (folder / FILE).write_text(f'{{"cells": [\n{lines}\n]}}\n', encoding="utf-8")
    note_date(folder, STUDY)


if __name__ == "__main__":
    main()
