# SPDX-License-Identifier: Apache-2.0
"""A collective that was planned."""

from __future__ import annotations

import ctypes
import weakref

from espalier import api
from espalier.errors import ArgumentError, Error
from espalier.onesided.functions import ask, call


def _free(handle: ctypes.c_void_p) -> None:
    if handle.value is not None and not api.mpi().Is_finalized():
        call("request_free", ctypes.byref(handle))


class Request:
    """A collective with fixed arguments; made by a `Team`.

    It keeps its arrays, and its team keeps it while it is under way. `start()` is called in the
    same order by all members, `test()` and `wait()` in any. Requests of `Team.bcast()` and the
    other functions without `_init` are started and free themselves when they are over; others are
    freed by `free()`, with the team, or when nobody has them any more.
    """

    def __init__(
        self,
        handle: ctypes.c_void_p,
        kept: tuple[object, ...],
        underway: set[Request],
    ) -> None:
        """Take over what was planned, with what has to live as long.

        `underway` holds it while it is under way.
        """
        self._handle = handle
        self._kept = kept
        self._underway = underway
        self._is_once = False
        self._algorithm: str = ask("request_algorithm", handle).decode()
        self._mechanism: str = ask("request_mechanism", handle).decode()
        self._finalizer = weakref.finalize(self, _free, handle)
        self._finalizer.atexit = False

    @property
    def algorithm(self) -> str:
        """What was planned, as `espalier list` names it: `bcast/binomial`."""
        return self._algorithm

    @property
    def mechanism(self) -> str:
        """How data move: `signaling_put`, `eager`, `rendezvous` or `counting_put`."""
        return self._mechanism

    @property
    def is_underway(self) -> bool:
        """Whether it was started and is not known to be over."""
        return self in self._underway

    def start(self) -> None:
        """Begin; its arrays belong to the library as its modes say. Waits for nobody.

        Raises:
            ArgumentError: it is under way, or was freed.
        """
        if self._handle.value is None:
            raise ArgumentError("expected a request, got one that was freed")
        if self.is_underway:
            raise ArgumentError("expected a request that is not under way, got one that is")
        call("request_start", self._handle)
        self._underway.add(self)

    def start_once(self) -> None:
        """Begin, and free it when it is over, also if it cannot be begun."""
        self._is_once = True
        try:
            self.start()
        except Error:
            self.free()
            raise

    def test(self) -> bool:
        """Do what can be done without waiting, and tell whether it is over. Not collective.

        True for a request that is not under way.
        """
        if not self.is_underway:
            return True
        is_over = ctypes.c_int()
        call("request_test", self._handle, ctypes.byref(is_over))
        if is_over.value:
            self._end()
        return bool(is_over.value)

    def wait(self) -> None:
        """Wait until it is over; returns at once if it is not under way."""
        if self.is_underway:
            call("request_wait", self._handle)
            self._end()

    def free(self) -> None:
        """Free it. Not collective; nothing happens if it was freed before.

        Raises:
            ArgumentError: it is under way.
        """
        if self.is_underway:
            raise ArgumentError("expected a request that is over, got one under way", "wait for it")
        self._finalizer()
        self._kept = ()

    def _end(self) -> None:
        self._underway.discard(self)
        if self._is_once:
            self.free()


def started(request: Request) -> Request:
    """Return a request of which nobody else knows, started for the only time."""
    request.start_once()
    return request
