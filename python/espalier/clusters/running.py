# SPDX-License-Identifier: Apache-2.0
"""An emulated cluster that is there, whoever started it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from espalier.clusters import inhabitants, leftovers, links
from espalier.clusters.launchers import Launchers, enter_words
from espalier.clusters.permission import INSIDE, SEARCH_PATH
from espalier.errors import ArgumentError, EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from espalier.clusters.inhabitants import Inhabitant
    from espalier.clusters.links import LinkCounters
    from espalier.clusters.state import State

_SECONDS_TO_END = 10.0
_MEMORY_FILES = Path("/dev/shm")  # noqa: S108 - nothing is written there


@dataclass(frozen=True)
class RunningCluster:
    """Hosts `node0`, `node1`, ... on a switch, held by a process."""

    folder: Path
    holder: int
    state: State

    @property
    def hosts(self) -> list[str]:
        """Return the names of the hosts."""
        return self.state.shape.hosts

    @property
    def is_alive(self) -> bool:
        """Return whether it has not ended."""
        return leftovers.holder_of(self.folder) is not None

    @property
    def is_ready(self) -> bool:
        """Return whether all hosts are there."""
        return (self.folder / "ready").exists()

    @property
    def is_kept(self) -> bool:
        """Return whether it outlives the command that started it."""
        return (self.folder / "kept").exists()

    @property
    def until(self) -> float | None:
        """Return the time at which it ends by itself, None if it does not."""
        kept = self.folder / "kept"
        try:
            seconds, start = float(kept.read_text()), kept.stat().st_mtime
        except (OSError, ValueError):  # ended, or being written
            return None
        return None if seconds == float("inf") else start + seconds

    def words(
        self,
        command: Sequence[str],
        host: str = "node0",
        *,
        placement: str = "block",
        vendor: str | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> list[str]:
        """Return a command that runs another one on a host, in the current folder.

        Launchers that it runs start ranks on the hosts; see `espalier.clusters.launchers`.

        Args:
            command: the other one.
            host: where it runs.
            placement: `block`, or `cyclic` for ranks dealt to the hosts in turn.
            vendor: whose launchers `mpirun` and `mpiexec` are; as on this host, unless given.
            variables: more variables for it.

        Raises:
            ArgumentError: there is no such host, or the current folder is not there.
        """
        if host not in self.hosts:
            raise ArgumentError(f"expected a host of node0 .. {self.hosts[-1]}, got '{host}'")
        folder = str(_working_folder())
        namespaces = f"/proc/{self.holder}/ns"
        given = {
            INSIDE: self.state.name,
            **self._launchers().variables(placement, vendor),
            **(variables or {}),
        }
        return [
            "nsenter",
            f"--mount={namespaces}/mnt",
            f"--pid={namespaces}/pid_for_children",
            *("--", *enter_words(self.folder, self.state.group), host, folder),
            *("env", *(f"{name}={value}" for name, value in given.items())),
            *command,
        ]

    def run(
        self,
        command: Sequence[str],
        *,
        host: str = "node0",
        environment: Mapping[str, str] | None = None,
        timeout_seconds: float = 60.0,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on a host and return what it wrote."""
        return _run(self.words(command, host, variables=environment), timeout_seconds)

    def launcher_words(
        self, vendor: str, num_ranks: int | None = None, placement: str = "block"
    ) -> list[str]:
        """Return a launcher with options that starts a program on the hosts, from this host.

        Args:
            vendor: `openmpi` or `mpich`.
            num_ranks: as many as there is room for, unless given.
            placement: `block`, or `cyclic` for ranks dealt to the hosts in turn.
        """
        num_ranks = num_ranks or len(self.hosts) * self.state.shape.ranks_per_host
        return self.words(self._launchers().words(vendor, num_ranks, placement))

    def link_counters(self) -> list[LinkCounters]:
        """Return what passed the interface of each host; a host's messages to itself do not."""
        switch = f"/proc/{self.holder}/root{self.folder}/live/net-switch"
        done = _run(["nsenter", f"--net={switch}", "cat", "/proc/net/dev"])
        found = links.parse(done.stdout)
        if len(found) != len(self.hosts):
            raise EnvironmentFault(
                f"expected counters of {len(self.hosts)} hosts, got {len(found)}",
                "the cluster is starting or has ended; 'espalier cluster status' says which",
            )
        return found

    def inhabitants(self) -> list[Inhabitant]:
        """Return what runs on the hosts."""
        return inhabitants.inhabitants(self.holder, self.folder, self.hosts)

    def end(self) -> None:
        """End it and everything that runs on it, and wait until both are gone.

        Raises:
            EnvironmentFault: something does not end.
        """
        space = inhabitants.process_space(self.holder)
        with contextlib.suppress(ProcessLookupError):
            if self.is_alive:
                os.kill(self.holder, signal.SIGKILL)
        deadline = time.monotonic() + _SECONDS_TO_END
        while self.is_alive or (space and inhabitants.members(space)):
            if time.monotonic() > deadline:
                raise EnvironmentFault(
                    f"expected cluster '{self.state.name}' to end, got {_SECONDS_TO_END:g} s of "
                    "waiting",
                    "a process of it is stuck in the kernel; repeat it later",
                )
            time.sleep(0.02)
        leftovers.remove_one(self.folder)

    def _launchers(self) -> Launchers:
        return Launchers(self.folder, self.hosts, self.state.shape.ranks_per_host)


def _working_folder() -> Path:
    """Return the current folder, which has to be there on the hosts too."""
    try:
        folder = Path.cwd()
    except FileNotFoundError:
        raise ArgumentError(
            "expected a working folder, got one that was removed", "change to another one"
        ) from None
    if folder.is_relative_to(_MEMORY_FILES):
        raise ArgumentError(
            f"expected a working folder outside of {_MEMORY_FILES}, got {folder}",
            f"each host has a {_MEMORY_FILES} of its own; change to another folder",
        )
    return folder


def _run(words: Sequence[str], timeout_seconds: float = 60.0) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        env={**os.environ, "PATH": SEARCH_PATH},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout_seconds,
        check=False,
    )
