# SPDX-License-Identifier: Apache-2.0
"""A cluster that SimGrid simulates: MPI programs run unchanged, and time is exact.

Programs have to be compiled for SMPI, SimGrid's MPI, by `smpicxx` or the build's `smpi_program`.
How the time of a message follows from the machine is told in `espalier/simulation/README.md`.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from espalier import installation
from espalier.errors import ArgumentError, MpiError, NotBuiltError
from espalier.launch.measuring import temporary_files

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import Self

_NAMES = ("node", "core", "one")
# SimGrid's defaults describe an old cluster; these leave what the machine says, and nothing else.
# Computation costs nothing, so that each run takes the same time to the last bit.
_NEUTRAL = (
    "smpi/simulate-computation:no",
    "smpi/host-speed:1Gf",
    "smpi/bw-factor:0:1",
    "smpi/lat-factor:0:1",
    "network/crosstraffic:no",
    "network/TCP-gamma:0",
    "smpi/iprobe:1e-6",
    "smpi/test:1e-7",
)
# With pieces of SimGrid's own 1 MiB thousands of ranks need more of them than the kernel permits.
_SHARED_PAGES = "smpi/shared-malloc-blocksize:67108864"
# Each simulated rank has a copy of the program, in a file until it is loaded.
_MEMORY_FILES = Path("/dev/shm")  # noqa: S108 - the simulator makes the names


class SimulatedCluster:
    """A machine with ranks placed on it; a context manager."""

    def __init__(
        self,
        machine: str | Path,
        num_ranks: int,
        *,
        placement: str = "block",
        names: str = "node",
    ) -> None:
        """Describe a cluster; entering the context makes the files of the simulator.

        Args:
            machine: a text such as `4n[latency=2us,bandwidth=1GB/s] x 8c`, or a machine file.
            num_ranks: how many ranks there are at most.
            placement: which core each rank has: `block`, `cyclic`, `list:3,0,1`, ...
            names: what ranks see of the machine. `node`: the node's host name, and that its ranks
                share memory. `core`: a host of its own for each rank. `one`: one host for all.
        """
        if names not in _NAMES:
            raise ArgumentError(f"expected names {', '.join(_NAMES)}, got '{names}'")
        if num_ranks < 1:
            raise ArgumentError(f"expected at least 1 rank, got {num_ranks}")
        self._num_ranks = num_ranks
        self._variables = {
            "ESPALIER_SIMULATED_MACHINE": str(machine),
            "ESPALIER_SIMULATED_PLACEMENT": placement,
            "ESPALIER_SIMULATED_RANKS": str(num_ranks),
            "ESPALIER_SIMULATED_NAMES": names,
        }
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._memory_folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        """Make the files of the simulator."""
        hosts = "".join(f"rank-{rank}\n" for rank in range(self._num_ranks))
        with temporary_files():
            self._folder = _temporary_folder()
            (Path(self._folder.name) / "hosts").write_text(hosts)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove them, and the copies of a program that was ended while it was loaded."""
        for folder in (self._folder, self._memory_folder):
            if folder is not None:
                folder.cleanup()
        self._folder = self._memory_folder = None

    def launcher_words(self, num_ranks: int | None = None) -> list[str]:
        """Return a launcher with options that starts a program on the first ranks, by default all.

        Raises:
            MpiError: SimGrid is not installed.
            NotBuiltError: our part of the simulator is not built.
        """
        if self._folder is None:
            raise ArgumentError("expected a cluster that was started", "use it in a with statement")
        if shutil.which("smpirun") is None:
            raise MpiError(
                "expected SimGrid's launcher 'smpirun' on the PATH, found none",
                "install SimGrid (Debian: libsimgrid-dev)",
            )
        folder = Path(self._folder.name)
        # The launcher splits this option at spaces, which our path may have.
        setup = folder / "setup.so"
        if not setup.is_symlink():
            setup.symlink_to(_library("smpi-setup"))
        preloaded = os.environ.get("LD_PRELOAD", "").replace(":", " ").split()
        return [
            "env",
            *(f"{name}={value}" for name, value in self._variables.items()),
            "smpirun",
            "-quiet",
            *("-wrapper", f"env LD_PRELOAD={':'.join([str(setup), *preloaded])}"),
            *("-np", str(num_ranks or self._num_ranks)),
            *("-platform", str(_library("smpi-platform"))),
            *("-hostfile", str(folder / "hosts")),
            "--log=root.thresh:warning",
            *(f"--cfg={setting}" for setting in _NEUTRAL),
        ]

    def frugal_words(self, program: Path | None, settings: Sequence[str] = ()) -> list[str]:
        """Return the launcher for many ranks that share the memory of their large messages.

        What it starts has to have ended before the context is left.

        Args:
            program: what is to follow; None if it is not built. Its copies, one for each rank, lie
                in memory if they fit there, else where temporary files do.
            settings: more of the simulator's, such as `smpi/allgather:bruck`.

        Raises:
            MpiError: SimGrid is not installed.
            NotBuiltError: our part of the simulator is not built.
            MpiError: there can be no folder in memory.
        """
        chosen = (f"--cfg={setting}" for setting in (_SHARED_PAGES, *settings))
        words = [*self.launcher_words(), *chosen]
        needed = 0 if program is None else self._num_ranks * program.stat().st_size
        if not _MEMORY_FILES.is_dir() or shutil.disk_usage(_MEMORY_FILES).free < needed:
            return words
        if self._memory_folder is None:
            with temporary_files():
                self._memory_folder = _temporary_folder(_MEMORY_FILES)
        return ["env", f"TMPDIR={self._memory_folder.name}", *words]

    def run(
        self, program: Sequence[str], *, num_ranks: int | None = None, timeout_seconds: float = 60.0
    ) -> subprocess.CompletedProcess[str]:
        """Run a program and return what it wrote.

        Raises:
            subprocess.TimeoutExpired: it took longer; it is ended.
        """
        words = [*self.launcher_words(num_ranks), *program]
        process = subprocess.Popen(
            words,
            env={**os.environ, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            # The launcher is a script, whose end is not the end of the simulator.
            start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=timeout_seconds)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise
        return subprocess.CompletedProcess(words, process.returncode, out, err)


def _temporary_folder(parent: Path | None = None) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="espalier-simulated-", dir=parent)


def _library(name: str) -> Path:
    folder = installation.build_folder()
    file = f"libespalier-{name}.so"
    library = None if folder is None else folder / "lib" / file
    if library is None or not library.is_file():
        target = f"espalier-{name}".replace("-", "_")
        raise NotBuiltError(
            f"expected {file}, found none",
            "install SimGrid (Debian: libsimgrid-dev), then: cmake --build build/release --target "
            f"{target}",
        )
    return library
