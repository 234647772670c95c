# SPDX-License-Identifier: Apache-2.0
"""A collective that was planned."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from espalier.errors import ArgumentError, Error
from espalier.onesided.functions import Meanwhile, TuningOptions, ask, call

if TYPE_CHECKING:
    from collections.abc import Callable

    from espalier.onesided.dropped import Dropped


class _Caught:
    """A function as C calls it. What it raises is kept: C goes on, and does not call it again."""

    def __init__(self, function: Callable[[], object]) -> None:
        self.raised: BaseException | None = None
        self._function = function

    def run(self, _context: object) -> None:
        """Call it."""
        if self.raised is None:
            try:
                self._function()
            except BaseException as error:
                self.raised = error

    def reraise(self) -> None:
        """Raise what was raised; nothing refers to itself then, so that arrays are freed."""
        error, self.raised = self.raised, None
        if error is not None:
            try:
                raise error
            finally:
                del error


class Request:
    """A collective with fixed arguments, of a `Team`, a `Neighborhood`, or of `espalier.planned`.

    It keeps its arrays, and is kept itself while it is under way. Members of a team call `start()`
    in the same order, `test()` and `wait()` in any; ranks of a communicator all of them in any.
    Requests of `Team.bcast()` and the other functions without `_init` are started and free
    themselves when they are over. Others are freed by `free()`, or with the team; or, when nobody
    has them any more, by what the program plans, starts or frees next. `mechanism`, `origin` and
    `tune()` are of teams only.
    """

    def __init__(
        self,
        handle: ctypes.c_void_p,
        kept: tuple[object, ...],
        underway: set[Request],
        dropped: Dropped,
    ) -> None:
        """Take over what was planned, with what has to live as long.

        `underway` holds it while it is under way, and `dropped` frees what nobody has any more.
        """
        self._handle = handle
        self._kept = kept
        self._underway = underway
        self._is_once = False
        self._look_at_names()
        self._dropped = dropped
        self._finalizer = dropped.watch(self, "request_free", handle)

    @property
    def algorithm(self) -> str:
        """What was planned, as `espalier list` names it: `bcast/binomial`."""
        self._look_at_names()
        return self._algorithm

    @property
    def mechanism(self) -> str:
        """How data move: `signaling_put`, `eager`, `rendezvous`, `counting_put`, or `native`."""
        self._look_at_names()
        return self._mechanism

    @property
    def origin(self) -> str:
        """Where algorithm and mechanism came from.

        `named`, `tuned` (measured for this request or an equal one), `remembered` (the same by an
        earlier run), `nearest` (measured for a near one), or `rule`.
        """
        self._look_at_names()
        return self._origin

    def explain(self) -> str:
        """Return lines for people: what was planned, why, and what this rank sends in one run.

        Empty if it was freed. Not collective.
        """
        length = ask("explain", self._handle, None, 0)
        text = ctypes.create_string_buffer(length + 1)
        ask("explain", self._handle, text, len(text))
        return text.value.decode()

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
        self._dropped.free()
        call("request_start", self._handle)
        self._underway.add(self)

    def tune(
        self,
        seconds: float = 0.0,
        meanwhile: Callable[[], object] | None = None,
        *,
        anew: bool = False,
        every: bool = False,
    ) -> None:
        """Measure what runs this request fastest; it runs that from now on. Collective.

        What ran before stays unless another one is clearly faster, and also if time is too short.
        Equal and near collectives that the team plans later take what was found. Arrays are used as
        they are: what is read is kept, what is written is overwritten. All members have planned the
        same collectives before. Later runs remember it, so that there it takes no time.

        Args:
            seconds: that it may take; 0 for 0.2. Equal on all members.
            meanwhile: called between start and wait of each run, so that what is tuned is what the
                program does. If it raises, it is not called again, and that is raised in the end.
            anew: measure again what an earlier run measured. Equal on all members.
            every: try all that can serve, and not only the 12 that a model finds fastest. Equal on
                all members.

        Raises:
            ArgumentError: it is under way on a member, or was freed, or members differ.
        """
        if self._handle.value is None:
            raise ArgumentError("expected a request, got one that was freed")
        options = TuningOptions(ctypes.sizeof(TuningOptions), int(anew) + 2 * int(every), seconds)
        caught = _Caught(meanwhile or (lambda: None))
        if meanwhile is not None:
            options.meanwhile = Meanwhile(caught.run)
        call("request_tune", self._handle, ctypes.byref(options))
        caught.reraise()

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

        True for a request that is not under way. An error is raised once; whether the request is
        over after that, `is_underway` tells.
        """
        if not self.is_underway:
            return True
        is_over = ctypes.c_int()
        try:
            call("request_test", self._handle, ctypes.byref(is_over))
        except Error:
            self._end_if_over()
            raise
        if is_over.value:
            self._end()
        return bool(is_over.value)

    def wait(self) -> None:
        """Wait until it is over; returns at once if it is not under way.

        An error is raised once; whether the request is over after that, `is_underway` tells.
        """
        if not self.is_underway:
            return
        try:
            call("request_wait", self._handle)
        except Error:
            self._end_if_over()
            raise
        self._end()

    def free(self) -> None:
        """Free it. Not collective; nothing happens if it was freed before.

        Raises:
            ArgumentError: it is under way.
        """
        if self.is_underway:
            raise ArgumentError("expected a request that is over, got one under way", "wait for it")
        self._dropped.free_watched(self._finalizer)
        self._kept = ()

    def _look_at_names(self) -> None:
        if self._handle.value is None:
            return
        self._algorithm: str = ask("request_algorithm", self._handle).decode()
        self._mechanism: str = ask("request_mechanism", self._handle).decode()
        self._origin: str = ask("request_origin", self._handle).decode()

    def _end_if_over(self) -> None:
        """Look, after an error, whether it is over all the same.

        What is wrong with this request is said once, perhaps now, and the next time it is over.
        """
        is_over = ctypes.c_int()
        if ask("request_test", self._handle, ctypes.byref(is_over)) != 0:
            ask("request_test", self._handle, ctypes.byref(is_over))
        if is_over.value:
            self._end()

    def _end(self) -> None:
        self._underway.discard(self)
        if self._is_once:
            self.free()


def started(request: Request) -> Request:
    """Return a request of which nobody else knows, started for the only time."""
    request.start_once()
    return request
