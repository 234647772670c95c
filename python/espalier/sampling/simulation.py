# SPDX-License-Identifier: Apache-2.0
"""Measuring on a simulated machine: times are exact, so one call of each candidate is enough.

One launch of the simulator measures many points. It is ended, with its whole process group, when
its time is over or the user interrupts it; what was measured until then is kept.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from espalier import installation
from espalier.clusters.simulated import SimulatedCluster
from espalier.errors import ArgumentError, MpiError, NotBuiltError
from espalier.launch.complaints import told
from espalier.launch.measuring import open_output, temporary_folder, write_plan
from espalier.machines import machines
from espalier.sampling.measurement import Effort, Launch, plan_document
from espalier.sampling.samples import Point, SampleReader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Self

    from espalier.sampling.samples import Problem, Request

    OnResult = Callable[[Point | Problem], None]

# Whose algorithms the native calls are, as the simulator names them and as they are called.
PEERS = {
    "ompi": "Open MPI 4.1.2",
    "mpich": "MPICH 3.3b",
    "mvapich2": "MVAPICH2 1.9",
    "impi": "Intel MPI",
}
DEFAULT_PEER = "mpich"
_VENDOR = "smpi"
# The limits of time are ours: the program's clock is a simulated one.
_ONCE = Effort(
    seconds=1e9, seconds_per_point=1e9, min_repetitions=1, max_repetitions=1, precision=1
)
SECONDS_BETWEEN_LOOKS = 0.05
_GRACE_SECONDS = 2.0
_SET_PARENT_DEATH_SIGNAL = 1
_LINES_OF_ERROR = 4
_LIBC = ctypes.CDLL(None)


@dataclass(frozen=True)
class SimulatedJob:
    """A machine (text or file), the placement of ranks on it, and whose native calls there are."""

    machine: str
    placement: str
    num_ranks: int
    peer: str = DEFAULT_PEER
    # More settings of the simulator, such as smpi/allgather:bruck.
    settings: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise an Error for an unknown peer, too few ranks, or what cannot be simulated."""
        if self.peer not in PEERS:
            raise ArgumentError(f"expected a peer of {', '.join(PEERS)}, got '{self.peer}'")
        if self.num_ranks < 2:
            raise ArgumentError(
                f"expected at least 2 ranks, got {self.num_ranks}", "ask for more with --ranks"
            )
        machines.check_simulated(machines.load(self.machine))

    @property
    def all_settings(self) -> list[str]:
        """Return the settings of the simulator, the peer's among them."""
        return [f"smpi/coll-selector:{self.peer}", *self.settings]


class Simulation:
    """One launch that measures points; a context manager, which ends it."""

    def __init__(
        self,
        job: SimulatedJob,
        requests: Sequence[Request],
        profiles: Mapping[str, Path] | None = None,
        on_result: OnResult | None = None,
    ) -> None:
        """Keep what is needed; entering the context starts it.

        Args:
            job: Where.
            requests: What; algorithms may be `profile/<name>`.
            profiles: Files by name.
            on_result: Is handed each result when it is there.

        Raises:
            ArgumentError: the job cannot be simulated.
            NotBuiltError: the measuring program is not built.
        """
        job.check()
        self.job = job
        self.launch = Launch(num_points_left=len(requests))
        self._program = measuring_program()
        self._plan = plan_document(requests, _ONCE, profiles)
        self._requests = list(requests)
        self._on_result = on_result or (lambda _: None)
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Start the simulator."""
        with contextlib.ExitStack() as stack:
            cluster = stack.enter_context(
                SimulatedCluster(self.job.machine, self.job.num_ranks, placement=self.job.placement)
            )
            self._folder = Path(stack.enter_context(temporary_folder()))
            self._reader = SampleReader(self._folder / "samples.jsonl", self._requests)
            stack.callback(self._end)
            self._start(cluster.frugal_words(self._program, self.job.all_settings))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *details: object) -> None:
        """End the simulator, with all its processes."""
        self._stack.close()

    @property
    def group(self) -> int:
        """Return the process group of the simulator."""
        return self._process.pid

    def look(self) -> bool:
        """Take what is new; return whether the simulator still runs.

        Raises:
            MpiError: it ended before it began to measure.
        """
        exit_code = self._process.poll()
        for result in self._reader.read_new():
            if isinstance(result, Point):
                self.launch.points.append(result)
                self.launch.num_points_left -= 1
            else:
                self.launch.problems.append(result)
                self.launch.num_points_left -= result.reason == "wrong"
            self._on_result(result)
        self.launch.header = self._reader.header or {}
        if exit_code is not None and not self._reader.is_complete:
            self.launch.failure = f"ended with exit code {exit_code}: {self._last_words()}"
        if exit_code is not None and not self.launch.header:
            raise MpiError(
                f"expected the simulator to start on {self.job.num_ranks} ranks, it"
                f" {self.launch.failure}",
                "check the machine with 'espalier machine TEXT', and memory for many ranks",
            )
        return exit_code is None

    def stop(self, why: str) -> None:
        """End the simulator before its time; what it measured is kept."""
        self._end()
        if self.look() or not self._reader.is_complete:
            self.launch.failure = why

    def _start(self, words: Sequence[str]) -> None:
        path = write_plan(self._plan, self._folder)
        output = self._folder / "samples.jsonl"
        self._output = open_output(self._folder)
        self._process = subprocess.Popen(
            [*words, str(self._program), "--plan", str(path), "--output", str(output)],
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=self._output,
            env={**os.environ, "LC_ALL": "C", "ESPALIER_OFF": "1"},
            # The launcher is a script, whose end is not the end of the simulator.
            start_new_session=True,
            preexec_fn=_end_with_parent,  # noqa: PLW1509 - makes one system call
        )

    def _end(self) -> None:
        process = getattr(self, "_process", None)
        if process is None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            deadline = time.monotonic() + _GRACE_SECONDS
            while not _is_gone(process) and time.monotonic() < deadline:
                time.sleep(0.01)
        self._output.close()

    def _last_words(self) -> str:
        text = (self._folder / "output.txt").read_text(errors="replace")
        return " / ".join(told(text)[-_LINES_OF_ERROR:]) or "it said nothing"


def measure(
    job: SimulatedJob,
    requests: Sequence[Request],
    profiles: Mapping[str, Path] | None = None,
    on_result: OnResult | None = None,
    seconds: float | None = None,
) -> Launch:
    """Measure points in one launch; `failure` of the result says why it ended early, if it did.

    Args:
        job: Where.
        requests: What; algorithms may be `profile/<name>`.
        profiles: Files by name.
        on_result: Is handed each result when it is there, also before an interruption.
        seconds: The simulator is ended after this time.

    Raises:
        ArgumentError: the job cannot be simulated.
        MpiError: the simulator did not start.
        NotBuiltError: something is not built.
    """
    start = time.monotonic()
    with Simulation(job, requests, profiles, on_result) as simulation:
        while simulation.look():
            if seconds is not None and time.monotonic() - start > seconds:
                simulation.stop(f"took longer than {seconds:g} s")
                break
            time.sleep(SECONDS_BETWEEN_LOOKS)
    return simulation.launch


def measuring_program() -> Path:
    """Return the program that measures.

    Raises:
        NotBuiltError: it is not built.
    """
    program = installation.measurement_program(_VENDOR)
    if program is None:
        raise NotBuiltError(
            "expected the program espalier-measure-smpi, found none in"
            f" {installation.build_folder() or installation.package}",
            "install SimGrid (Debian: libsimgrid-dev), then run make simulator",
        )
    return program


def _is_gone(process: subprocess.Popen[bytes]) -> bool:
    """Return whether nothing of a process group is left; orphans of it may be ours to bury."""
    process.poll()
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-process.pid, os.WNOHANG)[0]:
            pass
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return True
    return False


def _end_with_parent() -> None:
    """Run in the new process: if we are killed, the launcher hears of it and ends its ranks."""
    _LIBC.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
