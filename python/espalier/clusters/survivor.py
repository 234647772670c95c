# SPDX-License-Identifier: Apache-2.0
"""Doing something after this process was killed (-9), which it cannot do itself."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ENDING_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
_DONE = b"done"


@contextlib.contextmanager
def calls_if_killed(action: Callable[[], None]) -> Iterator[None]:
    """Have another process call a function if this one is killed inside of the context.

    The function must not need open files, and nobody sees what it writes or raises.
    """
    reader, writer = os.pipe()
    # No signal for this process may end the other one, or run our own handlers there.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING_SIGNALS)
    survivor = os.fork()
    if survivor == 0:
        _survive(reader, action)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    os.close(reader)
    try:
        yield
    finally:
        with contextlib.suppress(BrokenPipeError):  # it was killed itself
            os.write(writer, _DONE)
        os.close(writer)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(survivor, 0)


def _survive(reader: int, action: Callable[[], None]) -> NoReturn:
    """Wait until the other process leaves the context or is gone, and end."""
    try:
        os.setsid()
        _close_all_but(reader)
        if os.read(reader, len(_DONE)) != _DONE:
            action()
    finally:
        os._exit(0)


def _close_all_but(kept: int) -> None:
    """Close all files: others may wait for their end, which we would keep from coming."""
    for file in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
        if file != kept:
            with contextlib.suppress(OSError):
                os.close(file)
