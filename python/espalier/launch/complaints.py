# SPDX-License-Identifier: Apache-2.0
"""What the simulator writes on standard error, between what the program writes there."""

from __future__ import annotations

import os
import re
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

# [rank-2:2:(3) 0.000003] ./src/x.cpp:138: [smpi_pmpi/WARNING] text
_LOG = re.compile(
    r"\[(?:rank-(?P<rank>\d+):\S+ )?[\d.]+\] \S+:\d+: \[\w+/[A-Z]+\] (?P<text>.*)", re.DOTALL
)
# espalier: expected ..., or espalier: MPI_Bcast: expected ...
_OWN = re.compile(r"espalier: (?P<text>(?:MPI_\w+: |expected ).*)")
_TRACE = re.compile(r"Backtrace \(displayed in |Current backtrace:$|  ->  *[0-9#]")
_SHELL = re.compile(
    r"((Segmentation fault|Aborted|Killed|Floating point exception)\.?"
    r"|Execution failed with code \d+\.)$"
)


def told(output: str) -> list[str]:
    """Return what is said on standard error, without stack traces and the simulator's prefixes."""
    texts = []
    for line in map(str.rstrip, output.splitlines()):
        match = _LOG.match(line)
        text = match["text"] if match else line
        if text and not _is_noise(text):
            texts.append(text.strip())
    return texts


def _is_noise(text: str) -> bool:
    return bool(_TRACE.match(text) or _SHELL.match(text))


@dataclass(frozen=True)
class Complaint:
    """A line of the simulator's log, and the rank that it is about if it says."""

    text: str
    rank: int | None


class Complaints:
    """A pipe for standard error: complaints are kept, the program's own lines go to ours."""

    def __init__(self) -> None:
        """Make the pipe."""
        self.found: list[Complaint] = []
        self.own_lines: list[str] = []
        self._reader, self.writer = os.pipe()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> Self:
        """Start reading."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Read the rest."""
        self.finish()

    def finish(self) -> None:
        """Read what is left; nobody else may have the writing end."""
        if self.writer >= 0:
            os.close(self.writer)
            self.writer = -1
            self._thread.join()

    def _read(self) -> None:
        with os.fdopen(self._reader, errors="replace") as lines:
            for line in lines:
                self._take(line)

    def _take(self, line: str) -> None:
        text = line.rstrip("\n")
        if match := _LOG.match(text):
            rank = match["rank"]
            self.found.append(Complaint(match["text"], int(rank) if rank else None))
        elif match := _OWN.match(text):
            self.own_lines.append(match["text"])
        elif not _is_noise(text):
            sys.stderr.write(line)
            sys.stderr.flush()
