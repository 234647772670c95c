# SPDX-License-Identifier: Apache-2.0
"""Runs of the loop on emulated hosts: native, and with Espalier learning under it."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import subprocess
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import gains

from espalier import installation
from espalier.clusters.permission import SEARCH_PATH, last_line
from espalier.errors import EnvironmentFault, FormatError, NotBuiltError
from espalier.launch.command import parse_command
from espalier.launch.environment import with_environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from cells import Cell

    from espalier.clusters import EmulatedCluster
    from espalier.launch.command import LaunchCommand


@dataclass(frozen=True)
class Program:
    """The loop for one MPI, and the library that is preloaded under it."""

    path: Path
    library: Path
    launcher: LaunchCommand

    @classmethod
    def find(cls, mpi: str) -> Program:
        """Return what `make bench-unprepared` builds.

        Raises:
            NotBuiltError: the loop or the library is missing.
            MpiError: the launcher is.
        """
        folder = installation.build_folder()
        library = installation.shim_library(mpi)
        path = None if folder is None else folder / "bin" / f"call_loop_{mpi}"
        if path is None or library is None or not path.is_file():
            raise NotBuiltError(
                f"expected call_loop_{mpi} and libespalier-{mpi}.so in {folder}, found not both",
                "run make bench-unprepared, or build the targets call_loops and all",
            )
        return cls(path, library, parse_command([f"mpirun.{mpi}", str(path)]))

    def fingerprint(self, loop: Mapping[str, int], num_turns: int) -> str:
        """Return a word that changes with what is run and how: times of others are not comparable.

        Args:
            loop: As experiments.toml declares it.
            num_turns: How often all runs of a cell are repeated.
        """
        found = hashlib.sha256(json.dumps([dict(loop), num_turns]).encode())
        for path in (self.path, self.library):
            found.update(_digest(path))
        return found.hexdigest()[:16]

    def words(self, cell: Cell, loop: Mapping[str, int], memory: Path | None) -> list[str]:
        """Return the command of a run on a host.

        Args:
            cell: What is called, and how many ranks call it.
            loop: As experiments.toml declares it.
            memory: The file of lessons; None for a native run.
        """
        numbers = (cell.num_bytes, loop["stretches"], loop["calls_per_stretch"])
        started = replace(
            self.launcher,
            options=("-n", str(cell.num_ranks)),
            program=(str(self.path), cell.collective, *map(str, numbers)),
        )
        if memory is None:
            return started.words()
        variables = {
            "LD_PRELOAD": preloaded(self.library),
            "ESPALIER_LEARN": "on",
            "ESPALIER_MEMORY": str(memory),
        }
        return with_environment(started, variables).words


def preloaded(library: Path) -> str:
    """Return LD_PRELOAD of ranks on the hosts that get a library.

    Launchers there preload one of their own, with which ranks share processors.
    """
    yielding = installation.yielding_library()
    return ":".join(map(str, [library] if yielding is None else [library, yielding]))


@functools.cache
def _digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def run(cluster: EmulatedCluster, cell: Cell, words: Sequence[str], seconds: float) -> str:
    """Return what a command wrote that ran on the hosts.

    Raises:
        EnvironmentFault: it failed, or took longer than so many seconds; it may still run.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name != "LD_PRELOAD" and not name.startswith("ESPALIER_")
    }
    words = cluster.running.words(words, placement=cell.placement, vendor=cell.mpi)
    try:
        done = subprocess.run(
            words,
            env=inherited | {"PATH": SEARCH_PATH},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentFault(f"expected an end within {seconds:g} s, got none") from error
    if done.returncode != 0:
        raise EnvironmentFault(
            f"expected success, got exit code {done.returncode}: {last_line(done.stderr)}"
        )
    return done.stdout


def parse(output: str, cell: Cell, loop: Mapping[str, int]) -> dict[str, Any]:
    """Return the line that the loop printed.

    Raises:
        FormatError: there is none, or it is that of another loop.
    """
    try:
        found: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
        told = (found["collective"], found["num_ranks"], len(found["stretch_us"]))
        times = [*found["stretch_us"], *(found[name] for name in gains.EDGES)]
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise FormatError(f"expected a line of JSON, got '{output[-80:]}'") from error
    expected = (cell.collective, cell.num_ranks, loop["stretches"])
    if told != expected:
        raise FormatError(f"expected collective, ranks and stretches {expected}, got {told}")
    if not all(isinstance(time, int) and time > 0 for time in times):
        raise FormatError(f"expected times above 0, got {times}")
    return found


def learned(memory: Path, cell: Cell) -> str | None:
    """Return what a file of lessons says of the call of a cell; None if it says nothing."""
    if not memory.exists():
        return None
    rules = json.loads(memory.read_text(encoding="utf-8"))["rules"]
    names = [rule["algorithm"] for rule in rules if rule["collective"] == cell.collective]
    return ", ".join(names) or None
