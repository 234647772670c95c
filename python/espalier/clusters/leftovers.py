# SPDX-License-Identifier: Apache-2.0
"""What a cluster keeps on this host, named after the process that holds it, and its removal."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from espalier.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

# State of clusters is the administrator's, and ends when the host does.
parent = Path("/run")
_NAME = re.compile(r"espalier-cluster-([0-9a-f]+)-(\d+)-(\d+)-(\d+)")
# Where version 1 and 2 of control groups keep the shares of processors, and how to ask for many.
_CPU_GROUPS = {
    Path("/sys/fs/cgroup/cpu"): ("cpu.shares", "10240"),
    Path("/sys/fs/cgroup"): ("cpu.weight", "1000"),
}
_IS_EXITING = 0x4  # PF_EXITING of the kernel
_SECONDS_TO_EMPTY = 2.0


def folder_of(pid: int) -> Path:
    """Return the folder of the cluster that a process holds: a process of this boot and place."""
    return parent / f"espalier-cluster-{_boot()}-{_process_space()}-{pid}-{start_time(pid)}"


def holder_of(folder: Path) -> int | None:
    """Return the process that holds the cluster of a folder, None if it has ended."""
    found = _NAME.fullmatch(folder.name)
    if found is None:
        return None
    boot, space, pid, start = found.groups()
    is_near = boot == _boot() and space == _process_space()
    return int(pid) if is_near and 0 < int(start) == start_time(int(pid)) else None


def folders() -> list[Path]:
    """Return the folders of all clusters, alive or not, the oldest first."""
    return sorted(
        (folder for folder in parent.glob("espalier-cluster-*") if _NAME.fullmatch(folder.name)),
        key=lambda folder: int(folder.name.rpartition("-")[2]),
    )


@contextlib.contextmanager
def lock() -> Iterator[None]:
    """Let no other process start, name or remove clusters meanwhile."""
    try:
        descriptor = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise FileError(f"{parent}: expected a folder for clusters, got '{error.strerror}'") from (
            error
        )
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def make_cpu_group(name: str) -> str:
    """Make a control group with more than its share of the processors.

    Returns:
        Its folder, "" where that is not permitted: then a waiting rank that gives up its processor
        gives it to any other program of the host.
    """
    for place, (setting, value) in _CPU_GROUPS.items():
        group = place / name
        if not (place / "cgroup.procs").exists():
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


def remove_all() -> None:
    """Remove what clusters left whose holders were killed."""
    with lock():
        remove()


def remove() -> None:
    """Do so when the lock is held already."""
    places = [parent, *_CPU_GROUPS]
    found = [folder for place in places for folder in place.glob("espalier-cluster-*")]
    for folder in filter(_is_left, found):
        remove_one(folder)


def remove_one(folder: Path) -> None:
    """Remove folder and control group of a cluster, which has ended."""
    if not _NAME.fullmatch(folder.name):
        return
    shutil.rmtree(parent / folder.name, ignore_errors=True)
    for place in _CPU_GROUPS:
        _remove_group(place / folder.name)


def start_time(pid: int) -> int:
    """Return when a process began, in ticks since the host did; 0 if there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return 0
    state, *fields = text.rpartition(")")[2].split()
    # One that nobody waited for has ended too, and the first of a process namespace stays in its
    # end as long as there is one of those inside.
    has_ended = state in "ZX" or int(fields[5]) & _IS_EXITING
    return 0 if has_ended else int(fields[18])


def _is_left(folder: Path) -> bool:
    found = _NAME.fullmatch(folder.name)
    if found is None or holder_of(folder) is not None:
        return False
    # Processes of another container, or outside of this cluster, are not ours to judge.
    return found[1] != _boot() or found[2] == _process_space()


def _remove_group(group: Path) -> None:
    deadline = time.monotonic() + _SECONDS_TO_EMPTY
    while group.exists() and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.02)


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().partition("-")[0]


def _process_space() -> str:
    return str(Path("/proc/self/ns/pid").stat().st_ino)
