# SPDX-License-Identifier: Apache-2.0
"""Which messages an MPI library sends for a call, as counted by the library or below it.

Open MPI counts itself: its component pml/monitoring writes a file for each rank. MPICH has nothing
of the kind, so that its calls of UCX are counted by a library that is preloaded.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from places import repository

from espalier import _core

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_TESTS = repository / "tests"
_SENT = re.compile(r"[EI]\s+(\d+)\s+(\d+)\s+(\d+) bytes\s+(\d+) msgs")
_TOLD = re.compile(r"^sent (\d+) (\d+) (\d+)$", re.MULTILINE)
_REPETITIONS = 4
_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
_OPENMPI = (
    *("mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "--mca", "btl", "vader,self"),
    *("--mca", "mpi_yield_when_idle", "1", "--mca", "pml_monitoring_enable", "1"),
    *("--mca", "pml_monitoring_enable_output", "3", "--mca", "pml_monitoring_filename"),
)

# Of MPICH: with 1, ranks behave as if even ones and odd ones were on two nodes.
CLIQUES = "MPIR_CVAR_ODD_EVEN_CLIQUES"
# (messages, bytes) of each rank
PerRank = list[tuple[float, float]]


@dataclass(frozen=True)
class Messages:
    """Messages from rank to rank, as (number, bytes) for one call."""

    pairs: Mapping[tuple[int, int], tuple[float, float]]

    def sent(self, num_ranks: int) -> PerRank:
        """Return what each rank sends, as (messages, share of all bytes)."""
        total = sum(num_bytes for _, num_bytes in self.pairs.values()) or 1
        rows = [[0.0, 0.0] for _ in range(num_ranks)]
        for (sender, _), (number, num_bytes) in self.pairs.items():
            rows[sender][0] += number
            rows[sender][1] += num_bytes
        return [(number, round(num_bytes / total, 3)) for number, num_bytes in rows]


def ours(choice: str, num_ranks: int) -> Messages:
    """Return the messages of a schedule; bytes are blocks."""
    pairs: dict[tuple[int, int], tuple[float, float]] = {}
    for one in _core.sent(choice, num_ranks, 0):
        pair = (one["sender"], one["receiver"])
        number, blocks = pairs.get(pair, (0, 0))
        pairs[pair] = (number + 1, blocks + one["blocks"])
    return Messages(pairs)


@dataclass
class OpenMpi:
    """The library, and a folder for the program and its files."""

    folder: Path
    program: Path = field(init=False)
    # What MPI_Init and MPI_Finalize send, by the number of ranks.
    _nothing: dict[int, Counter[tuple[int, int, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Compile the program."""
        self.program = _compile(
            "mpicc.openmpi", "support/native_calls.c", self.folder / "calls.openmpi"
        )

    def messages(
        self, call: str, num_ranks: int, num_bytes: int, options: Sequence[str] = ()
    ) -> Messages:
        """Return the messages of one call; those of MPI_Init and MPI_Finalize do not count."""
        several = self._counted(call, num_ranks, num_bytes, _REPETITIONS, options)
        if num_ranks not in self._nothing:
            self._nothing[num_ranks] = self._counted("barrier", num_ranks, 0, 0, ())
        several.subtract(self._nothing[num_ranks])
        pairs = {key[:2] for key, number in several.items() if number}
        return Messages(
            {
                pair: (
                    several[(*pair, "number")] / _REPETITIONS,
                    several[(*pair, "bytes")] / _REPETITIONS,
                )
                for pair in pairs
            }
        )

    def messages_beside_start(
        self, call: str, num_ranks: int, num_bytes: int, options: Sequence[str]
    ) -> Messages:
        """Return the messages of one call, where options change what MPI_Init sends, too."""
        most = self._counted(call, num_ranks, num_bytes, 1 + _REPETITIONS, options)
        least = self._counted(call, num_ranks, num_bytes, 1, options)
        most.subtract(least)
        pairs = {key[:2] for key, number in most.items() if number}
        per_call = {key: number / _REPETITIONS for key, number in most.items()}
        return Messages(
            {pair: (per_call[(*pair, "number")], per_call[(*pair, "bytes")]) for pair in pairs}
        )

    def _counted(
        self, call: str, num_ranks: int, num_bytes: int, repetitions: int, options: Sequence[str]
    ) -> Counter[tuple[int, int, str]]:
        for old in self.folder.glob("seen.*.prof"):
            old.unlink()
        words = [*_OPENMPI, str(self.folder / "seen"), *options, "-n", str(num_ranks)]
        _run([*words, str(self.program), call, str(num_bytes), str(repetitions)], _AS_ROOT)
        found: Counter[tuple[int, int, str]] = Counter()
        for path in self.folder.glob("seen.*.prof"):
            for match in _SENT.finditer(path.read_text()):
                sender, receiver, sent, number = map(int, match.groups())
                found[sender, receiver, "number"] += number
                found[sender, receiver, "bytes"] += sent
        return found


@dataclass
class Mpich:
    """The library, and a folder for the program and what counts."""

    folder: Path
    program: Path = field(init=False)
    counter: Path = field(init=False)
    # What MPI_Init and MPI_Finalize send, by the number of ranks and what is not a file.
    _nothing: dict[tuple[int, str], dict[int, tuple[int, int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Compile the program and the library that counts."""
        self.program = _compile(
            "mpicc.mpich", "support/native_calls.c", self.folder / "calls.mpich"
        )
        self.counter = _compile(
            "cc",
            "python/support/count_sends.c",
            self.folder / "libcount.so",
            "-shared",
            "-fPIC",
            "-ldl",
        )

    def sent(
        self, call: str, num_ranks: int, num_bytes: int, variables: Mapping[str, str]
    ) -> PerRank:
        """Return what each rank sends for one call, as (messages, share of all bytes)."""
        several = self._counted(call, num_ranks, num_bytes, _REPETITIONS, variables)
        cliques = variables.get(CLIQUES, "0")
        if (num_ranks, cliques) not in self._nothing:
            nothing = self._counted("barrier", num_ranks, 0, 0, {CLIQUES: cliques})
            self._nothing[num_ranks, cliques] = nothing
        none = self._nothing[num_ranks, cliques]
        rows = [
            ((several[r][0] - none[r][0]) / _REPETITIONS, several[r][1] - none[r][1])
            for r in range(num_ranks)
        ]
        total = sum(num_bytes for _, num_bytes in rows) or 1
        return [(number, round(num_bytes / total, 3)) for number, num_bytes in rows]

    def sent_beside_start(
        self,
        call: str,
        num_ranks: int,
        num_bytes: int,
        variables: Mapping[str, str],
        preloads: Sequence[str],
    ) -> PerRank:
        """Return the same where variables and libraries change what MPI_Init sends, too."""
        most, least = (
            self._counted(call, num_ranks, num_bytes, repetitions, variables, preloads)
            for repetitions in (1 + _REPETITIONS, 1)
        )
        rows = [
            ((most[r][0] - least[r][0]) / _REPETITIONS, most[r][1] - least[r][1])
            for r in range(num_ranks)
        ]
        total = sum(num_bytes for _, num_bytes in rows) or 1
        return [(number, round(num_bytes / total, 3)) for number, num_bytes in rows]

    def _counted(
        self,
        call: str,
        num_ranks: int,
        num_bytes: int,
        repetitions: int,
        variables: Mapping[str, str],
        preloads: Sequence[str] = (),
    ) -> dict[int, tuple[int, int]]:
        preloaded = {**variables, "LD_PRELOAD": ":".join([str(self.counter), *preloads])}
        pairs = [word for name, value in preloaded.items() for word in ("-env", name, value)]
        words = ["mpiexec.mpich", "-n", str(num_ranks), *pairs, str(self.program)]
        told = _run([*words, call, str(num_bytes), str(repetitions)], {})
        found = {int(r): (int(n), int(b)) for r, n, b in _TOLD.findall(told)}
        assert sorted(found) == list(range(num_ranks)), told
        return found


def missing(*programs: str) -> str:
    """Return why a test that needs some programs cannot run, empty if it can."""
    absent = [name for name in programs if shutil.which(name) is None]
    return f"{', '.join(absent)} missing" if absent else ""


def _compile(compiler: str, source: str, output: Path, *options: str) -> Path:
    words = [compiler, "-O1", "-Wall", "-Werror", "-o", str(output), str(_TESTS / source)]
    _run([*words, *options], {})
    return output


def _run(words: Sequence[str], variables: Mapping[str, str]) -> str:
    """Run a command and return what it wrote to standard error."""
    answer = subprocess.run(
        words,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert answer.returncode == 0, f"{words}: {answer.stdout}{answer.stderr}"
    return answer.stderr
