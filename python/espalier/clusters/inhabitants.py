# SPDX-License-Identifier: Apache-2.0
"""Processes inside an emulated cluster."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from espalier.clusters import leftovers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# The namespace by which hosts are told apart.
_KIND = "uts"


@dataclass(frozen=True)
class Inhabitant:
    """A process on a host; its number is the one outside of the cluster."""

    pid: int
    host: str
    command: str


def process_space(holder: int) -> int | None:
    """Return the process namespace that a process holds, None if it has ended or has none yet."""
    space = _identity(Path(f"/proc/{holder}/ns/pid_for_children"))
    return None if space == _identity(Path("/proc/self/ns/pid")) else space


def members(space: int) -> list[int]:
    """Return all processes of a process namespace, without those that only wait to be missed."""
    found = [pid for pid in _processes() if _identity(Path(f"/proc/{pid}/ns/pid")) == space]
    return [pid for pid in found if leftovers.start_time(pid)]


def inhabitants(holder: int, folder: Path, hosts: Sequence[str]) -> list[Inhabitant]:
    """Return what runs on the hosts of a cluster."""
    space = process_space(holder)
    if space is None:
        return []
    live = Path(f"/proc/{holder}/root{folder}/live")
    hosts_of = {_identity(live / f"{_KIND}-{host}"): host for host in hosts}
    found = []
    for pid in members(space):
        host = hosts_of.get(_identity(Path(f"/proc/{pid}/ns/{_KIND}")))
        if host is not None:
            found.append(Inhabitant(pid, host, _command(pid)))
    return found


def with_variable(pids: Sequence[int], name: str, value: str) -> list[int]:
    """Return those processes that were given a value of an environment variable."""
    wanted = f"{name}={value}".encode()
    return [pid for pid in pids if wanted in _bytes(pid, "environ").split(b"\0")]


def _processes() -> Iterator[int]:
    return (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())


def _identity(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None


def _bytes(pid: int, file: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{file}").read_bytes()
    except OSError:
        return b""


def _command(pid: int) -> str:
    words = _bytes(pid, "cmdline").decode(errors="replace").split("\0")[:-1]
    return shlex.join(words) or _bytes(pid, "comm").decode(errors="replace").strip()
