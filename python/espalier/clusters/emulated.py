# SPDX-License-Identifier: Apache-2.0
"""A cluster of network namespaces on this host: real MPI libraries over slow, shared links.

Each emulated host has a network interface of limited rate, a host name, and shared memory of its
own; the processors are those of this host. All of it lives in one process namespace and one mount
namespace, held by a process that waits for the end of its standard input: however the owner ends,
nothing is left, and nothing is ever seen outside.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from espalier import installation
from espalier.clusters import leftovers
from espalier.errors import (
    ArgumentError,
    EnvironmentFault,
    MpiError,
    NotBuiltError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Self

_SCRIPTS = Path(__file__).parent / "scripts"
_TOOLS = ("ip", "tc", "unshare", "nsenter", "mount", "umount", "hostname")
_PATH = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
_UNSHARE = ("unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child")
_TRIAL = (
    "ip link add name one type veth peer name two && ip link add name three type bridge && "
    "tc qdisc add dev one root tbf rate 1mbit burst 16kb limit 1mb"
)
_SECONDS_TO_START = 60.0
_SECONDS_TO_END = 10.0


def obstacle() -> str:
    """Return why clusters cannot be emulated here, "" if they can."""
    if os.geteuid() != 0:
        return "expected to be root, which creating network namespaces needs"
    missing = [tool for tool in _TOOLS if shutil.which(tool, path=_PATH) is None]
    if missing:
        return f"expected the programs {' '.join(missing)}, found none (Debian: iproute2)"
    words = ["unshare", "--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "sh", "-c", _TRIAL]
    trial = _run(words, timeout_seconds=_SECONDS_TO_START)
    if trial.returncode != 0:
        return (
            f"expected to be allowed to create namespaces and shape traffic: {_last(trial.stderr)}"
        )
    return ""


@dataclasses.dataclass(frozen=True)
class LinkCounters:
    """What passed the interface of one host since the cluster was started."""

    received_bytes: int
    sent_bytes: int
    dropped_packets: int

    @classmethod
    def parse(cls, text: str) -> LinkCounters:
        """Read the line of eth0 in a /proc/net/dev: eight numbers received, eight sent."""
        line = next(line for line in text.splitlines() if line.lstrip().startswith("eth0:"))
        numbers = [int(word) for word in line.split(":")[1].split()]
        return cls(numbers[0], numbers[8], numbers[3] + numbers[11])


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
    ) -> None:
        """Describe a cluster; entering the context starts it.

        Args:
            num_hosts: how many hosts.
            ranks_per_host: how many ranks launchers put on each.
            rate: of the interface of each host, each way, as `tc` writes it; None for no limit.
            burst: what passes at memory speed after the interface was idle.
            mtu_bytes: largest packet.
        """
        if not (1 <= num_hosts <= 250 and ranks_per_host >= 1):
            raise ArgumentError(
                "expected 1 to 250 hosts with at least 1 rank each, "
                f"got {num_hosts} with {ranks_per_host}"
            )
        self.hosts = [f"node{i}" for i in range(num_hosts)]
        self._ranks_per_host = ranks_per_host
        self._settings = [rate or "none", burst, "16mb", str(mtu_bytes)]
        self._process: subprocess.Popen[str] | None = None
        self._folder = Path()
        self._group = ""

    def __enter__(self) -> Self:
        """Start the cluster.

        Raises:
            UnsupportedError: this host does not permit it.
            EnvironmentFault: it was permitted and failed.
        """
        reason = obstacle()
        if reason:
            raise UnsupportedError(reason, "emulated clusters need root on Linux with iproute2")
        leftovers.remove()
        self._folder = Path(tempfile.mkdtemp(prefix=leftovers.prefix()))
        self._group = leftovers.make_cpu_group(self._folder.name)
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
        """End the cluster; nothing happens if it has ended."""
        process, self._process = self._process, None
        if process is not None:
            # Its end is our word that everything is gone, so an impatient user waits too.
            with contextlib.suppress(BrokenPipeError):
                process.communicate(timeout=_SECONDS_TO_END)
        leftovers.remove_one(self._folder)

    def words(self, command: Sequence[str], host: str = "node0") -> list[str]:
        """Return a command that runs another one on a host, in the current folder."""
        if self._process is None:
            raise ArgumentError("expected a cluster that was started", "use it in a with statement")
        namespaces = f"/proc/{self._process.pid}/ns"
        return [
            "nsenter",
            f"--mount={namespaces}/mnt",
            f"--pid={namespaces}/pid_for_children",
            *("--", "sh", str(_SCRIPTS / "enter.sh"), str(self._folder), self._group),
            *(host, str(Path.cwd()), *command),
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
        return _run(self.words(command, host), environment, timeout_seconds)

    def link_counters(self) -> list[LinkCounters]:
        """Return what passed the interface of each host; a host's messages to itself do not."""
        texts = [self.run(["cat", "/proc/net/dev"], host=host).stdout for host in self.hosts]
        return [LinkCounters.parse(text) for text in texts]

    def launcher_words(
        self, vendor: str, num_ranks: int | None = None, placement: str = "block"
    ) -> list[str]:
        """Return a launcher with options that starts a program on the hosts, from this host.

        Args:
            vendor: `openmpi` or `mpich`.
            num_ranks: as many as there is room for, unless given.
            placement: `block`, or `cyclic` for ranks dealt to the hosts in turn.
        """
        num_ranks = num_ranks or len(self.hosts) * self._ranks_per_host
        if placement not in ("block", "cyclic"):
            raise ArgumentError(f"expected the placement block or cyclic, got '{placement}'")
        options = {"openmpi": self._openmpi, "mpich": self._mpich}
        if vendor not in options:
            raise ArgumentError(f"expected the MPI openmpi or mpich, got '{vendor}'")
        return self.words([*options[vendor](placement), "-n", str(num_ranks)])

    def _openmpi(self, placement: str) -> list[str]:
        settings = {
            "plm_rsh_agent": str(self._folder / "agent"),
            "pml": "ob1",
            "btl": "tcp,vader,self",
            "btl_tcp_if_include": "eth0",
            "oob_tcp_if_include": "eth0",
            "mpi_yield_when_idle": "1",
        }
        return [
            _launcher("mpirun.openmpi"),
            *(word for name, value in settings.items() for word in ("--mca", name, value)),
            *("--host", ",".join(f"{host}:{self._ranks_per_host}" for host in self.hosts)),
            *("--oversubscribe", "--bind-to", "none"),
            *("--map-by", "slot" if placement == "block" else "node"),
        ]

    def _mpich(self, placement: str) -> list[str]:
        number = self._ranks_per_host if placement == "block" else 1
        preload = str(_yielding_library())
        return [
            _launcher("mpiexec.mpich"),
            *("-launcher", "ssh", "-launcher-exec", str(self._folder / "agent"), "-iface", "eth0"),
            *("-hosts", ",".join(f"{host}:{number}" for host in self.hosts)),
            *("-genv", "LD_PRELOAD", preload, "-genv", "UCX_NET_DEVICES", "eth0"),
        ]

    def _start(self) -> None:
        (self._folder / "tmp").mkdir()
        self._write_agent()
        script = ["sh", str(_SCRIPTS / "cluster.sh"), str(self._folder), str(len(self.hosts))]
        self._process = process = subprocess.Popen(
            [*_UNSHARE, "--mount-proc", *script, *self._settings, self._group],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PATH": _PATH},
            text=True,
            # A user's Ctrl-C is for the programs on the cluster.
            start_new_session=True,
        )
        assert process.stdout is not None  # noqa: S101 - what PIPE gives
        if process.stdout.readline() != "ready\n":
            _, errors = process.communicate(timeout=_SECONDS_TO_END)
            self._process = None
            raise EnvironmentFault(
                f"expected {len(self.hosts)} emulated hosts to start, got: {_last(errors)}"
            )

    def _write_agent(self) -> None:
        """Write what launchers call in place of ssh: `agent [options] HOST COMMAND`."""
        agent = self._folder / "agent"
        enter = shlex.join(["sh", str(_SCRIPTS / "enter.sh"), str(self._folder), self._group])
        agent.write_text(
            "#!/bin/sh\n"
            'while [ "${1#-}" != "$1" ]; do\n'
            '  case "$1" in -l | -p | -o | -i) shift 2 ;; *) shift ;; esac\n'
            "done\n"
            "host=$1\n"
            "shift\n"
            f'exec {enter} "$host" "$PWD" /bin/sh -c "$*"\n'
        )
        agent.chmod(0o755)


def _yielding_library() -> Path:
    folder = installation.build_folder()
    library = None if folder is None else folder / "lib" / "libespalier_yield_ucx.so"
    if library is None or not library.is_file():
        raise NotBuiltError(
            "expected libespalier_yield_ucx.so, without which MPICH does not share processors",
            "build it: cmake --build build/release --target espalier_yield_ucx",
        )
    return library


def _launcher(name: str) -> str:
    if shutil.which(name, path=_PATH) is None:
        raise MpiError(
            f"expected the MPI launcher '{name}' on the PATH, found none",
            "install it (Debian: openmpi-bin or mpich)",
        )
    return name


def _run(
    words: Sequence[str],
    environment: Mapping[str, str] | None = None,
    timeout_seconds: float = 60.0,
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        env={**os.environ, "PATH": _PATH, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout_seconds,
        check=False,
    )


def _last(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else "nothing"
