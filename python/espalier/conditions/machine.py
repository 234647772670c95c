# SPDX-License-Identifier: Apache-2.0
"""Processors, limits and memory of this machine."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_text
from espalier.conditions.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEAST_SHARED_MEMORY = 256 * 1024**2


def _flatten(entries: list[dict[str, Any]], into: dict[str, str]) -> None:
    for entry in entries:
        if entry.get("data") is not None:
            into.setdefault(entry["field"].rstrip(":"), str(entry["data"]))
        _flatten(entry.get("children", []), into)


def lscpu() -> dict[str, str]:
    """Return what lscpu says, empty without lscpu."""
    try:
        result = subprocess.run(
            ["lscpu", "-J"],  # noqa: S607 - wherever the system has it
            capture_output=True,
            text=True,
            env={**os.environ, "LC_ALL": "C"},
            timeout=20,
            check=True,
        )
        fields: dict[str, str] = {}
        _flatten(json.loads(result.stdout)["lscpu"], fields)
    except (OSError, subprocess.SubprocessError, ValueError, KeyError):
        return {}
    return fields


def _processors() -> Finding:
    fields = lscpu()
    usable = len(os.sched_getaffinity(0))
    online = os.cpu_count() or usable
    facts: dict[str, Any] = {
        "cpu": fields.get("Model name", "unknown processor"),
        "online": online,
        "usable": usable,
        "sockets": int(fields.get("Socket(s)", 1)),
        "numa_nodes": int(fields.get("NUMA node(s)", 1)),
        "threads_per_core": int(fields.get("Thread(s) per core", 1)),
        "hypervisor": fields.get("Hypervisor vendor"),
    }
    text = (
        f"{facts['cpu']}: {online} processors, {facts['sockets']} sockets,"
        f" {facts['numa_nodes']} NUMA nodes"
    )
    if facts["threads_per_core"] > 1:
        text += f", {facts['threads_per_core']} threads a core"
    if facts["hypervisor"]:
        text += f", under {facts['hypervisor']}"
    if usable < online:
        advice = f"start at most {usable} ranks here, or ask for more processors"
        return Finding(
            "machine", "processors", "warning", f"{text}; only {usable} usable", advice, facts
        )
    return Finding("machine", "processors", "ok", text, "", facts)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None


def _quota_v2(root: Path, group: str) -> float | None:
    """Return the smallest limit, in processors, of a control group and those above it."""
    limits = []
    folder = root / group.lstrip("/")
    for place in (folder, *folder.parents):
        words = (_read(place / "cpu.max") or "max").split()
        if len(words) == 2 and words[0] != "max":
            limits.append(int(words[0]) / int(words[1]))
        if place == root:
            break
    return min(limits, default=None)


def _quota_v1(root: Path) -> float | None:
    quota = _read(root / "cpu" / "cpu.cfs_quota_us")
    period = _read(root / "cpu" / "cpu.cfs_period_us")
    if quota is None or period is None or int(quota) <= 0:
        return None
    return int(quota) / int(period)


def processor_quota(
    root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")
) -> float | None:
    """Return how many processors' worth of time the control group allows; None without a limit."""
    groups = (_read(own) or "").splitlines()
    unified = next((line.partition("::")[2] for line in groups if line.startswith("0::")), None)
    if unified is not None and (root / "cgroup.controllers").exists():
        return _quota_v2(root, unified)
    return _quota_v1(root)


def _limits() -> Finding:
    quota = processor_quota()
    usable = len(os.sched_getaffinity(0))
    facts = {"processors": quota}
    if quota is not None and quota < usable:
        text = f"the control group allows the time of {quota:.3g} processors, of {usable}"
        advice = (
            f"start at most {max(1, int(quota))} ranks here, or raise the limit of the container"
        )
        return Finding("machine", "cgroup", "warning", text, advice, facts)
    return Finding("machine", "cgroup", "ok", "no limit on processor time", "", facts)


def _binding() -> Finding:
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        os.sched_setaffinity(0, before)
    except OSError as error:
        text = f"processes cannot be bound to processors ({error.strerror})"
        advice = "let the container or the batch system permit sched_setaffinity"
        return Finding("machine", "binding", "warning", text, advice)
    return Finding("machine", "binding", "ok", "processes can be bound to processors")


def _oversubscription() -> Finding:
    usable = len(os.sched_getaffinity(0))
    quota = processor_quota()
    ranks = usable if quota is None else max(1, min(usable, int(quota)))
    facts = {"ranks": ranks}
    if ranks < 2:
        text = (
            "one usable processor: with 2 ranks, times say more about the scheduler than about MPI"
        )
        return Finding("machine", "ranks", "warning", text, "measure on another machine", facts)
    text = (
        f"up to {ranks} ranks have a processor each; beyond that Open MPI needs --oversubscribe"
        " and MPICH, which spins, gets slow"
    )
    return Finding("machine", "ranks", "ok", text, "", facts)


def _load() -> Finding:
    load = os.getloadavg()[0]
    usable = len(os.sched_getaffinity(0))
    text = f"load {load:.2f} on {usable} processors"
    facts = {"load": load}
    if load > 0.5 * usable:
        return Finding("machine", "load", "warning", text, "measure when nothing else runs", facts)
    return Finding("machine", "load", "ok", text, "", facts)


def _memory() -> Finding:
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    facts: dict[str, Any] = {"bytes": total}
    try:
        shared = os.statvfs("/dev/shm")  # noqa: S108 - its size, nothing is written
    except OSError:
        text = f"{bytes_text(total)} of memory, no /dev/shm"
        return Finding("machine", "memory", "warning", text, "mount a tmpfs on /dev/shm", facts)
    facts["shared_bytes"] = shared.f_frsize * shared.f_bavail
    text = f"{bytes_text(total)} of memory, {bytes_text(facts['shared_bytes'])} free in /dev/shm"
    if facts["shared_bytes"] < _LEAST_SHARED_MEMORY:
        advice = "make /dev/shm larger (docker run --shm-size=1g); ranks of a node talk through it"
        return Finding("machine", "memory", "warning", text, advice, facts)
    return Finding("machine", "memory", "ok", text, "", facts)


def machine() -> Iterator[Finding]:
    """Look at processors, limits, binding, load and memory."""
    yield _processors()
    yield _limits()
    yield _binding()
    yield _oversubscription()
    yield _load()
    yield _memory()
