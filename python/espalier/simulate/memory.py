# SPDX-License-Identifier: Apache-2.0
"""Whether a simulation fits into memory: better to know before the machine swaps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from espalier.base.units import bytes_text
from espalier.errors import OutOfMemoryError

# Measured with programs that do little: the simulator alone, and per rank its stack, its own
# variables, and what the simulator keeps of it, besides the copy of the program.
_BASE_BYTES = 40_000_000
_RANK_BYTES = 1_000_000
_GROUPS = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class _Files:
    """Where a version of control groups says what a container may use, and what it does."""

    limit: str
    used: str
    statistics: str
    # Of pages of files that were not read lately: in use, and given up when memory is needed.
    cached: str


_FILES = (
    _Files("memory.max", "memory.current", "memory.stat", "inactive_file"),
    _Files(
        "memory/memory.limit_in_bytes",
        "memory/memory.usage_in_bytes",
        "memory/memory.stat",
        "total_inactive_file",
    ),
)


def needed_bytes(num_ranks: int, file_bytes: int) -> int:
    """Return about how much memory the ranks need before they allocate anything themselves."""
    return _BASE_BYTES + num_ranks * (file_bytes + _RANK_BYTES)


def available_bytes() -> int:
    """Return how much memory there is, for this process and its container."""
    facts = dict(
        line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines() if ":" in line
    )
    available = int(facts["MemAvailable"].split()[0]) * 1024
    limits = (_free_bytes(files) for files in _FILES)
    return min([available, *(free for free in limits if free is not None)])


def check(num_ranks: int, file_bytes: int) -> None:
    """Raise OutOfMemoryError if the ranks alone need more memory than there is."""
    needed, available = needed_bytes(num_ranks, file_bytes), available_bytes()
    if needed > available:
        raise OutOfMemoryError(
            f"expected about {bytes_text(needed)} of memory for {num_ranks} ranks with a copy of"
            f" {bytes_text(file_bytes)} each, found {bytes_text(available)}",
            "simulate fewer ranks with -p",
        )


def _free_bytes(files: _Files) -> int | None:
    """Return how much the container may still use, None if it has no limit there."""
    try:
        limit, used = (int((_GROUPS / name).read_text()) for name in (files.limit, files.used))
    except (OSError, ValueError):  # no such file, or "max": no limit
        return None
    return limit - used + _cached_bytes(_GROUPS / files.statistics, files.cached)


def _cached_bytes(statistics: Path, name: str) -> int:
    try:
        lines = statistics.read_text().splitlines()
    except OSError:
        return 0
    return int(dict(line.split() for line in lines).get(name, 0))
