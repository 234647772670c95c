# SPDX-License-Identifier: Apache-2.0
"""Running a command so that nothing of it survives: not on Ctrl-C, a crash, or our own end."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from espalier.errors import MpiError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType

    Stream = int | IO[bytes] | None

_SET_PARENT_DEATH_SIGNAL = 1
_SET_CHILD_SUBREAPER = 36
_SECONDS_BETWEEN_LOOKS = 0.25
_LIBC = ctypes.CDLL(None)
GRACE_SECONDS = 5.0
_ENDING_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
HANGUP_EXIT_CODE = 128 + signal.SIGHUP


@dataclass(frozen=True)
class Ended:
    """How a command ended. A signal counts as exit code 128 + signal, as in a shell.

    `signal_number` is that of a signal that ended the command itself, such as a launcher: for a
    program that ends by a signal launchers return an exit code.
    """

    exit_code: int
    seconds: float
    timed_out: bool = False
    signal_number: int | None = None


@dataclass
class Streams:
    """Where input comes from and output goes to; None is the same as ours."""

    stdin: Stream = subprocess.DEVNULL
    stdout: Stream = None
    stderr: Stream = None


def run(
    words: Sequence[str],
    streams: Streams,
    *,
    environment: Mapping[str, str] | None = None,
    timeout_seconds: float | None = None,
    on_look: Callable[[], None] | None = None,
) -> Ended:
    """Run a command in a process group of its own and wait for it.

    Whatever ends the wait (an exception such as KeyboardInterrupt, the time limit, the end of the
    command) no process of the command is left, except what a successful command left on purpose.

    Args:
        words: Program and arguments.
        streams: Input and output. With our own terminal as input the command gets the terminal.
        environment: Variables on top of ours.
        timeout_seconds: The command is ended after this time.
        on_look: Called four times a second while the command runs.
    """
    before = _descendants()
    start = time.monotonic()
    with _hangup_as_exit():
        # A signal between start and wait would leave a process that nobody knows of.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING_SIGNALS)
        terminal = _Terminal(streams.stdin)
        try:
            process = _start(words, streams, environment, lambda: _prepare(terminal, mask))
        except BaseException:
            terminal.take_back()
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            raise
        ended = False
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            timed_out = _wait(process, terminal, start, timeout_seconds, on_look)
            ended = not timed_out and process.returncode == 0
        finally:
            if not ended:
                _end(process, before)
            terminal.take_back()
    code = process.returncode
    number = -code if code is not None and code < 0 else None
    return Ended(_exit_code(code), time.monotonic() - start, timed_out, number)


class _Terminal:
    """Hands our terminal to the command, as a shell does; nothing if input is something else."""

    def __init__(self, stdin: Stream) -> None:
        self.is_shared = stdin is None and _owns_terminal()

    def give(self, group: int) -> None:
        if self.is_shared:
            # A process that is not in the foreground is stopped by SIGTTOU when it asks for it.
            previous = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            with contextlib.suppress(OSError):  # the group is gone already
                os.tcsetpgrp(0, group)
            signal.signal(signal.SIGTTOU, previous)

    def take_back(self) -> None:
        self.give(os.getpgrp())


def _owns_terminal() -> bool:
    try:
        return os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def _set_process_option(option: int, value: int) -> None:
    _LIBC.prctl(option, value, 0, 0, 0)


def _prepare(terminal: _Terminal, mask: set[signal.Signals | int]) -> None:
    """Run in the new process, before the command: it makes system calls only."""
    os.setpgid(0, 0)
    # Here and not in the parent: the command may read from the terminal at once.
    terminal.give(os.getpgrp())
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    # If we are killed, the launcher hears of it and ends its ranks.
    _set_process_option(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)


def _start(
    words: Sequence[str],
    streams: Streams,
    environment: Mapping[str, str] | None,
    prepare: Callable[[], None],
) -> subprocess.Popen[bytes]:
    # Orphans of the command become our children, so that we can find and end them.
    _set_process_option(_SET_CHILD_SUBREAPER, 1)
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        return subprocess.Popen(
            words,
            stdin=streams.stdin,
            stdout=streams.stdout,
            stderr=streams.stderr,
            env={**os.environ, **(environment or {})},
            preexec_fn=prepare,  # noqa: PLW1509 - see _prepare
        )
    except OSError as error:
        code = 127 if isinstance(error, FileNotFoundError) else 126
        raise MpiError(
            f"expected to start '{words[0]}', got: {error.strerror}",
            "check the name and its permissions",
            exit_code=code,
        ) from error


def _wait(
    process: subprocess.Popen[bytes],
    terminal: _Terminal,
    start: float,
    timeout_seconds: float | None,
    on_look: Callable[[], None] | None,
) -> bool:
    """Wait for the end; return whether the time limit came first."""
    if terminal.is_shared:
        _wait_with_job_control(process, terminal)
        return False
    while True:
        left = None if timeout_seconds is None else start + timeout_seconds - time.monotonic()
        if left is not None and left <= 0:
            return True
        step = left
        if on_look is not None:
            step = min(left or _SECONDS_BETWEEN_LOOKS, _SECONDS_BETWEEN_LOOKS)
        has_ended = _has_ended_within(process, step)
        if on_look:
            on_look()
        if has_ended:
            return False


def _has_ended_within(process: subprocess.Popen[bytes], seconds: float | None) -> bool:
    """Wait for the end, or for so many seconds; return whether it was the end.

    With a limit, subprocess itself looks every 50 ms only, and short runs would seem longer.
    """
    try:
        descriptor = os.pidfd_open(process.pid)
    except OSError:  # Linux before 5.3, or what it runs in does not permit it
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True
    try:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        if not waiting.poll(None if seconds is None else 1000 * seconds):
            return False
    finally:
        os.close(descriptor)
    process.wait()
    return True


def _wait_with_job_control(process: subprocess.Popen[bytes], terminal: _Terminal) -> None:
    """Wait; when the user suspends the command with Ctrl-Z, suspend ourselves too."""
    while True:
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            process.returncode = os.waitstatus_to_exitcode(status)
            return
        terminal.take_back()
        os.kill(os.getpid(), signal.SIGSTOP)
        terminal.give(process.pid)
        os.killpg(process.pid, signal.SIGCONT)


def _end(process: subprocess.Popen[bytes], before: set[int]) -> None:
    """End the command and everything it started: politely, then without asking."""
    if not _still_there(process, before):
        return
    impatient = False

    def hurry(_signal: int, _frame: FrameType | None) -> None:
        nonlocal impatient
        impatient = True

    previous = {name: signal.signal(name, hurry) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        _signal_group(process.pid, signal.SIGTERM)
        deadline = time.monotonic() + GRACE_SECONDS
        are_orphans_asked = False
        while time.monotonic() < deadline and not impatient and _still_there(process, before):
            if process.returncode is not None and not are_orphans_asked:
                # A launcher that lives ends its ranks itself; this one did not.
                are_orphans_asked = True
                _signal_all(_descendants() - before, signal.SIGTERM)
            time.sleep(0.02)
        # What is stuck in the kernel cannot be ended at all.
        deadline = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < deadline and _still_there(process, before):
            _signal_all(_descendants() - before, signal.SIGKILL)
            time.sleep(0.02)
    finally:
        for name, handler in previous.items():
            signal.signal(name, handler)


def _still_there(process: subprocess.Popen[bytes], before: set[int]) -> bool:
    process.poll()
    left = _descendants() - before
    for pid in left - {process.pid}:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
    return bool(left)


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _signal_all(pids: set[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _descendants() -> set[int]:
    """Return all processes below ours, also those whose parent has ended."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            parent = _parent(entry)
            if parent is not None:
                parents[int(entry.name)] = parent
    found = {os.getpid()}
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        found |= more
        grown = bool(more)
    return found - {os.getpid()}


def _parent(folder: Path) -> int | None:
    try:
        text = (folder / "stat").read_text(errors="replace")
    except OSError:
        return None
    # The name, in parentheses, may hold anything.
    return int(text.rpartition(")")[2].split()[1])


@contextlib.contextmanager
def _hangup_as_exit() -> Iterator[None]:
    """Leave with an exception on a hangup, unless it is ignored, as nohup wants it for us too."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        yield
        return

    def leave(_signal: int, _frame: FrameType | None) -> None:
        sys.exit(HANGUP_EXIT_CODE)

    try:
        previous = signal.signal(signal.SIGHUP, leave)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, previous)


def _exit_code(returncode: int | None) -> int:
    if returncode is None:
        return 128 + signal.SIGKILL
    return returncode if returncode >= 0 else 128 - returncode
