# SPDX-License-Identifier: Apache-2.0
"""Whether a simulation fits into memory: better to know before the machine swaps."""

from __future__ import annotations

from pathlib import Path

from espalier.base.units import bytes_text
from espalier.errors import OutOfMemoryError

# Measured with programs that do little: the simulator alone, and per rank its stack, its own
# variables, and what the simulator keeps of it, besides the copy of the program.
_BASE_BYTES = 40_000_000
_RANK_BYTES = 1_000_000


def needed_bytes(num_ranks: int, file_bytes: int) -> int:
    """Return about how much memory the ranks need before they allocate anything themselves."""
    return _BASE_BYTES + num_ranks * (file_bytes + _RANK_BYTES)


def available_bytes() -> int:
    """Return how much memory there is, for this process and its container."""
    facts = dict(
        line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines() if ":" in line
    )
    available = int(facts["MemAvailable"].split()[0]) * 1024
    limit, used = (_number(f"/sys/fs/cgroup/memory.{name}") for name in ("max", "current"))
    return available if limit is None or used is None else min(available, limit - used)


def check(num_ranks: int, file_bytes: int) -> None:
    """Raise OutOfMemoryError if the ranks alone need more memory than there is."""
    needed, available = needed_bytes(num_ranks, file_bytes), available_bytes()
    if needed > available:
        raise OutOfMemoryError(
            f"expected about {bytes_text(needed)} of memory for {num_ranks} ranks with a copy of"
            f" {bytes_text(file_bytes)} each, found {bytes_text(available)}",
            "simulate fewer ranks with -p",
        )


def _number(path: str) -> int | None:
    try:
        return int(Path(path).read_text())
    except (OSError, ValueError):  # no such file, or "max": no limit
        return None
