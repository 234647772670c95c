# SPDX-License-Identifier: Apache-2.0
"""Processor time of a group of processes: a limit that does not depend on what else runs."""

from __future__ import annotations

import os
import time
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
# Fields of /proc/<pid>/stat behind the name, which may hold spaces: see proc(5).
_GROUP, _USER, _SYSTEM = 2, 11, 12
_SECONDS_BETWEEN_LOOKS = 1.0
# Real time over processor time at which a group is taken to wait for ever.
_MOST_WAITING = 20.0


def of_group(group: int) -> float:
    """Return the seconds that the living processes of a group have used; 0 if there are none."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[_GROUP]) == group:
            ticks += int(fields[_USER]) + int(fields[_SYSTEM])
    return ticks / _TICKS


class Clock:
    """The time that a group has spent on its present work."""

    def __init__(self, group: int) -> None:
        """Begin with the first piece of work."""
        self._group = group
        self._now = 0.0
        self._looked = time.monotonic()
        self.restart()

    def restart(self) -> None:
        """Begin with the next piece of work."""
        self._begun = of_group(self._group)
        self._begun_real = time.monotonic()

    def is_over(self, seconds: float) -> bool:
        """Return whether so much processor time has passed, or very much more real time."""
        now = time.monotonic()
        if now - self._looked > min(_SECONDS_BETWEEN_LOOKS, seconds):
            self._looked = now
            self._now = of_group(self._group)
        is_long = now - self._begun_real > _MOST_WAITING * seconds
        return is_long or self._now - self._begun > seconds
