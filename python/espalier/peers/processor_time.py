# SPDX-License-Identifier: Apache-2.0
"""Processor time of a group of processes: a limit that does not depend on what else runs."""

from __future__ import annotations

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
# Fields of /proc/<pid>/stat behind the name, which may hold spaces: see proc(5).
_GROUP, _USER, _SYSTEM = 2, 11, 12


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
