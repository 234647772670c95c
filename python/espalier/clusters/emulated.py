# SPDX-License-Identifier: Apache-2.0
"""A cluster of network namespaces on this host: real MPI libraries over slow, shared links.

Each emulated host has a network interface of limited rate, a host name, and shared memory of its
own; the processors are those of this host. All of it lives in one process namespace and one mount
namespace, held by a process that waits for the end of its standard input: however the owner ends,
nothing is left, and nothing is ever seen outside.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from espalier.clusters import leftovers, registry
from espalier.clusters.launchers import Launchers
from espalier.clusters.permission import ADVICE, SEARCH_PATH, last_line, obstacle
from espalier.clusters.running import RunningCluster
from espalier.clusters.state import ClusterSize, check_name, started_now
from espalier.errors import ArgumentError, EnvironmentFault, FileError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from espalier.clusters.links import LinkCounters

__all__ = ["EmulatedCluster", "obstacle"]

_HOLD = Path(__file__).parent / "scripts" / "hold.sh"
_QUEUE = "16mb"
_SECONDS_TO_END = 10.0


class EmulatedCluster:
    """Hosts `node0`, `node1`, ... on a switch; a context manager."""

    def __init__(
        self,
        num_hosts: int,
        ranks_per_host: int = 2,
        *,
        rate: str | None = "100mbit",
        burst: str = "32kb",
        mtu_bytes: int = 9000,
        name: str | None = None,
    ) -> None:
        """Describe a cluster; entering the context starts it.

        Args:
            num_hosts: how many hosts.
            ranks_per_host: how many ranks launchers put on each.
            rate: of the interface of each host, each way, as `tc` writes it; None for no limit.
            burst: what passes at memory speed after the interface was idle.
            mtu_bytes: largest packet.
            name: by which others find it; made up unless given.
        """
        if name is not None:
            check_name(name)
        self._shape = ClusterSize(num_hosts, ranks_per_host, rate, burst, mtu_bytes)
        self._name = name
        self._process: subprocess.Popen[str] | None = None
        self._running: RunningCluster | None = None
        self.hosts = self._shape.hosts

    def __enter__(self) -> Self:
        """Start the cluster.

        Raises:
            UnsupportedError: this host does not permit it.
            ArgumentError: the name is taken.
            EnvironmentFault: it was permitted and failed.
        """
        reason = obstacle(has_rate=self._shape.rate is not None)
        if reason:
            raise UnsupportedError(reason, ADVICE)
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the cluster and everything that runs on it."""
        self.close()

    def close(self) -> None:
        """End the cluster; nothing happens if it has ended or is kept."""
        process, self._process = self._process, None
        running, self._running = self._running, None
        if process is not None:
            _close_pipes(process)
        if running is not None:
            running.end()

    def keep(self, seconds: float = float("inf")) -> RunningCluster:
        """Let the cluster outlive this process, and the context, for a time.

        Raises:
            EnvironmentFault: it has ended.
        """
        running, process = self.running, self._process
        assert process is not None  # noqa: S101 - there is one as long as it is running
        assert process.stdin is not None  # noqa: S101 - what PIPE gives
        assert process.stdout is not None  # noqa: S101 - what PIPE gives
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(f"keep {float(seconds)!r}\n")
            process.stdin.flush()
        if process.stdout.readline() != "kept\n":
            raise EnvironmentFault(
                f"expected cluster '{running.state.name}' to be kept, got: "
                f"{last_line(_errors(process))}"
            )
        self._process = self._running = None
        _close_pipes(process)
        return running

    @property
    def running(self) -> RunningCluster:
        """Return the cluster itself.

        Raises:
            ArgumentError: it was not started, or has ended.
        """
        if self._running is None:
            raise ArgumentError("expected a cluster that was started", "use it in a with statement")
        return self._running

    def words(self, command: Sequence[str], host: str = "node0") -> list[str]:
        """Return a command that runs another one on a host, in the current folder."""
        return self.running.words(command, host)

    def run(
        self,
        command: Sequence[str],
        *,
        host: str = "node0",
        environment: Mapping[str, str] | None = None,
        timeout_seconds: float = 60.0,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on a host and return what it wrote."""
        return self.running.run(
            command, host=host, environment=environment, timeout_seconds=timeout_seconds
        )

    def link_counters(self) -> list[LinkCounters]:
        """Return what passed the interface of each host; a host's messages to itself do not."""
        return self.running.link_counters()

    def launcher_words(
        self, vendor: str, num_ranks: int | None = None, placement: str = "block"
    ) -> list[str]:
        """Return a launcher with options that starts a program on the hosts, from this host.

        Args:
            vendor: `openmpi` or `mpich`.
            num_ranks: as many as there is room for, unless given.
            placement: `block`, or `cyclic` for ranks dealt to the hosts in turn.
        """
        return self.running.launcher_words(vendor, num_ranks, placement)

    def _start(self) -> None:
        with leftovers.lock():
            leftovers.remove()
            if self._name is not None:
                registry.check_free(self._name)
            self._running = running = self._describe(self._start_holder())
            self._prepare(running)
        process = self._process
        assert process is not None  # noqa: S101 - just started
        assert process.stdin is not None  # noqa: S101 - what PIPE gives
        assert process.stdout is not None  # noqa: S101 - what PIPE gives
        process.stdin.write(f"{running.folder}\n{running.state.group}\n")
        process.stdin.flush()
        said = process.stdout.readline()
        while said.startswith("host "):
            said = process.stdout.readline()
        if said != "ready\n":
            raise EnvironmentFault(
                f"expected {len(self.hosts)} emulated hosts to start, got: "
                f"{last_line(_errors(process))}"
            )

    def _start_holder(self) -> int:
        """Start the process that is to hold the cluster; it waits for the folder."""
        shape = self._shape
        settings = [shape.rate or "none", shape.burst, _QUEUE, str(shape.mtu_bytes)]
        # A session of its own: a user's Ctrl-C is for the programs on the cluster. A parent of its
        # own: it may outlive us.
        words = ["setsid", "--fork", "sh", str(_HOLD), *settings]
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PATH": SEARCH_PATH},
            text=True,
            start_new_session=True,
        )
        assert self._process.stdout is not None  # noqa: S101 - what PIPE gives
        said = self._process.stdout.readline()
        self._process.wait()  # for setsid, which does not wait for the holder
        if not said:
            raise EnvironmentFault(
                f"expected {_HOLD} to start, got: {last_line(_errors(self._process))}"
            )
        return int(said)

    def _describe(self, holder: int) -> RunningCluster:
        folder = leftovers.folder_of(holder)
        name = self._name or f"held-{holder}"
        group = leftovers.make_cpu_group(folder.name)
        return RunningCluster(folder, holder, started_now(name, self._shape, group))

    def _prepare(self, running: RunningCluster) -> None:
        """Write all that the holder and launchers read."""
        folder, group = running.folder, running.state.group
        lines = zip(self._shape.addresses, self.hosts, strict=True)
        try:
            folder.mkdir()
            (folder / "addresses").write_text("".join(f"{line[0]} {line[1]}\n" for line in lines))
            Launchers(folder, self.hosts, self._shape.ranks_per_host).write_files(group)
            running.state.write(folder)
        except OSError as error:
            raise FileError(
                f"{folder}: expected room for a cluster, got '{error.strerror}'"
            ) from error


def _errors(process: subprocess.Popen[str]) -> str:
    """Return what the holder complained of before it ended."""
    return process.communicate(timeout=_SECONDS_TO_END)[1]


def _close_pipes(process: subprocess.Popen[str]) -> None:
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
