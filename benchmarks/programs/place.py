# SPDX-License-Identifier: Apache-2.0
"""Where programs run: on emulated hosts, or on one node, which is this machine as it is."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FOLDER = Path(__file__).resolve().parent
ESPALIER = FOLDER.parent.parent / "bin" / "espalier"
# Of one command with its runs; a program that hangs ends earlier.
_TIME_LIMIT_S = 1500


def num_ranks_of(place: Mapping[str, Any]) -> int:
    """Return how many ranks a declared place has."""
    return int(place["hosts"] * place["ranks_per_host"] if "hosts" in place else place["ranks"])


def program_in(program: Mapping[str, Any], place: Mapping[str, Any]) -> dict[str, Any]:
    """Return a program as it is declared for a place; on one node, `on_node` replaces the rest."""
    return {**program, **({} if "hosts" in place else program.get("on_node", {}))}


def filled(text: str, num_ranks: int) -> str:
    """Return a text of experiments.toml with what it leaves open."""
    rows = max(one for one in range(1, math.isqrt(num_ranks) + 1) if num_ranks % one == 0)
    grid = {"rows": rows, "columns": num_ranks // rows}
    return text.format(here=FOLDER, python=sys.executable, **grid)


@dataclass(frozen=True)
class Place:
    """Where a program runs: what is declared of it, and a folder of the program's own."""

    declared: Mapping[str, Any]
    folder: Path

    def run(self, words: Sequence[str], *, is_shown: bool = False) -> str:
        """Run a command there, and return its output; what it says beside may be shown.

        Raises:
            subprocess.CalledProcessError: it failed.
        """
        done = subprocess.run(
            [*self._around(), *words],
            cwd=self.folder,
            env=os.environ | self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=None if is_shown else subprocess.PIPE,
            text=True,
            check=True,
            timeout=_TIME_LIMIT_S,
        )
        return done.stdout

    def command(self, program: Mapping[str, Any]) -> list[str]:
        """Return the words that start a program there."""
        ranks = num_ranks_of(self.declared)
        options = [*self.declared.get("launch", ()), *program.get("launch", ())]
        start = ["mpirun", "-n", str(ranks), "-x", "OMP_NUM_THREADS", *options]
        return [*start, *(filled(word, ranks) for word in program["command"])]

    def prepare(self, program: Mapping[str, Any]) -> None:
        """Make the inputs of a program.

        Raises:
            subprocess.CalledProcessError: they could not be made.
        """
        if "prepare" in program:
            text = filled(program["prepare"], num_ranks_of(self.declared))
            words = ["/bin/bash", "-euc", text]
            subprocess.run(words, cwd=self.folder, check=True, stdin=subprocess.DEVNULL)

    def _around(self) -> list[str]:
        """Return the start of a command that runs on hosts; nothing where there are none."""
        if "hosts" not in self.declared:
            return []
        names = ("hosts", "ranks_per_host", "rate")
        options = [(f"--{name.replace('_', '-')}", str(self.declared[name])) for name in names]
        return [str(ESPALIER), "cluster", "run", *(word for pair in options for word in pair), "--"]

    def _environment(self) -> dict[str, str]:
        """What programs learn stays in their folder, and each begins without lessons."""
        own = {"OMP_NUM_THREADS": "1", "XDG_STATE_HOME": str(self.folder / "state")}
        if os.geteuid() != 0:
            return own
        return own | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
