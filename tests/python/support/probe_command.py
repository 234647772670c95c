# SPDX-License-Identifier: Apache-2.0
"""Runs `espalier probe` as a user does, and reads what it found."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from places import repository
from platform_probe import program

from espalier.io import documents

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Groups = set[frozenset[int]]


@dataclasses.dataclass(frozen=True)
class Found:
    """What a probe wrote."""

    machine: dict[str, Any]
    probe: dict[str, Any]

    @property
    def names(self) -> list[str]:
        return [level["name"] for level in self.machine["levels"]]

    def link(self, level: str) -> dict[str, Any]:
        return dict(self.machine["levels"][self.names.index(level)]["link"])

    def groups(self, level: int) -> Groups:
        """Return the ranks of each object of a level."""
        paths: list[tuple[int, ...]] = [()]
        for description in self.machine["levels"]:
            counts = description["counts"]
            if len(counts) == 1:
                counts = counts * len(paths)
            paths = [
                (*path, number)
                for path, count in zip(paths, counts, strict=True)
                for number in range(count)
            ]
        members: dict[tuple[int, ...], set[int]] = {}
        for rank, core in enumerate(self.machine["core_of_rank"]):
            members.setdefault(paths[core][: level + 1], set()).add(rank)
        return {frozenset(ranks) for ranks in members.values()}


def runs(*sizes: int) -> Groups:
    """Return groups of consecutive ranks."""
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return {frozenset(range(end - size, end)) for end, size in zip(ends, sizes, strict=True)}


def probe(launcher: Sequence[str], folder: Path, budget: str) -> Found:
    """Run the command as a user does."""
    output = folder / "machine.json"
    words = [sys.executable, "-m", "espalier", "probe", "--json", "--time-budget", budget]
    done = subprocess.run(
        [*words, "-o", str(output), "--", *launcher],
        env={**os.environ, "PYTHONPATH": str(repository / "python"), "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    documents.parse(done.stdout, "output", found["schema"], found["version"])
    machine = documents.parse(output.read_text(), str(output), "espalier-machine", 1)
    return Found(machine, found)


def vendor_or_skip(vendor: str) -> None:
    program(vendor)
    if shutil.which(f"mpirun.{vendor}") is None:
        pytest.skip(f"{vendor} is not installed")
