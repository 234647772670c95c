# SPDX-License-Identifier: Apache-2.0
"""What emulated clusters leave on this host, if they do."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_CPU_GROUPS = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/cpu"))
# What names a cluster's folder and mounts has the number of the process that holds it.
_HOLDER = re.compile(r"espalier-cluster-\w+-\d+-(\d+)-\d+|^process (\d+)$")
# pytest-xdist names its workers so, and what they start inherits it.
_WORKER = "PYTEST_XDIST_WORKER"


def traces() -> set[str]:
    """Return what on this host may come from a cluster, but for those of other test workers."""
    return _without_other_workers(_all_traces())


def _without_other_workers(found: set[str]) -> set[str]:
    return {trace for trace in found if not _is_of_another_worker(trace)}


def _is_of_another_worker(trace: str) -> bool:
    match = _HOLDER.search(trace)
    if match is None:
        return False
    try:
        text = Path(f"/proc/{match[1] or match[2]}/environ").read_text(errors="replace")
    except OSError:
        return False
    workers = [word for word in text.split("\0") if word.startswith(f"{_WORKER}=")]
    return bool(workers) and workers != [f"{_WORKER}={os.environ.get(_WORKER)}"]


def _all_traces() -> set[str]:
    mounts = Path("/proc/mounts").read_text().splitlines()
    interfaces = Path("/proc/net/dev").read_text().splitlines()[2:]
    return {
        *(line for line in mounts if "cluster" in line or "netns" in line),
        *(line.split(":")[0].strip() for line in interfaces),
        *_all_folders(),
        *(str(found) for found in Path("/run").glob("netns/**")),
        *(f"process {pid}" for pid in processes("cluster.sh")),
    }


def folders() -> set[str]:
    """Return the folders of clusters, and their control groups, but for those of other workers."""
    return _without_other_workers(_all_folders())


def _all_folders() -> set[str]:
    places = (Path("/run"), *_CPU_GROUPS)
    return {str(found) for place in places for found in place.glob("espalier-cluster-*-*-*-*")}


def processes(*words: str) -> list[int]:
    """Return the processes in whose command each of some words ends a word."""
    return [
        int(entry.name)
        for entry in Path("/proc").glob("[0-9]*")
        if all(any(each.endswith(word) for each in command(entry)) for word in words)
    ]


def command(entry: Path) -> list[str]:
    """Return the words of the command of a folder of /proc; none of what has ended."""
    try:
        return (entry / "cmdline").read_text(errors="replace").split("\0")[:-1]
    except OSError:
        return []


def wait_until(is_true: Callable[[], bool]) -> bool:
    """Wait for something for up to ten seconds; return whether it came."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if is_true():
            return True
        time.sleep(0.02)
    return False
