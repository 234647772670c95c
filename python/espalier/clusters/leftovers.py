# SPDX-License-Identifier: Apache-2.0
"""What a cluster keeps on this host, named after the process that owns it, and its removal."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

_NAME = re.compile(r"espalier-cluster-(\d+)-(\d+)-.*")
# Where version 1 and 2 of control groups keep the shares of processors, and how to ask for many.
_CPU_GROUPS = {
    Path("/sys/fs/cgroup/cpu"): ("cpu.shares", "10240"),
    Path("/sys/fs/cgroup"): ("cpu.weight", "1000"),
}
_SECONDS_TO_EMPTY = 2.0


def prefix() -> str:
    """Return how names of what this process owns begin."""
    return f"espalier-cluster-{os.getpid()}-{_start_time(os.getpid())}-"


def make_cpu_group(name: str) -> str:
    """Make a control group with more than its share of the processors.

    Returns:
        Its folder, "" where that is not permitted: then a waiting rank that gives up its processor
        gives it to any other program of the host.
    """
    for parent, (setting, value) in _CPU_GROUPS.items():
        group = parent / name
        if not (parent / "cgroup.procs").exists():
            continue
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / setting).write_text(value)
        except OSError:
            group.rmdir()
            continue
        return str(group)
    return ""


def remove() -> None:
    """Remove what clusters left behind whose owners and holders were both killed."""
    for folder in _folders():
        found = _NAME.fullmatch(folder.name)
        if found and _start_time(int(found[1])) != int(found[2]):
            remove_one(folder)


def remove_one(folder: Path) -> None:
    """Remove folder and control group of a cluster, which has ended."""
    if not _NAME.fullmatch(folder.name):
        return
    shutil.rmtree(folder, ignore_errors=True)
    for parent in _CPU_GROUPS:
        _remove_group(parent / folder.name)


def _remove_group(group: Path) -> None:
    deadline = time.monotonic() + _SECONDS_TO_EMPTY
    while group.exists() and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.02)


def _folders() -> list[Path]:
    places = [Path(tempfile.gettempdir()), *_CPU_GROUPS]
    return [folder for place in places for folder in place.glob("espalier-cluster-*")]


def _start_time(pid: int) -> int:
    """Return when a process began, in ticks since the host did; 0 if there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return 0
    return int(text.rpartition(")")[2].split()[19])
