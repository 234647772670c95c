# SPDX-License-Identifier: Apache-2.0
"""Active messages: what a process sends runs a function of another one."""

from __future__ import annotations

import ctypes
import warnings
import weakref
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from espalier.errors import ArgumentError
from espalier.onesided import arguments
from espalier.onesided.functions import HANDLER, ask, call

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    HandlerFunction = Callable[["Message"], object]


class Receiver(Protocol):
    """The conduit on which a message came: what a handler may ask of it."""

    @property
    def rank(self) -> int:
        """The rank of this process."""

    @property
    def size(self) -> int:
        """The number of processes."""

    def counter(self, counter: int) -> int:
        """Return the value of a counter of this process."""

    def segment_bytes(self, rank: int | None = None) -> int:
        """Return the bytes of the segment of a process, by default of this one."""

    def array(
        self, shape: int | Sequence[int], dtype: npt.DTypeLike = float, offset: int = 0
    ) -> npt.NDArray[Any]:
        """Return an array that is part of the own segment."""


class Message:
    """A message that has arrived; it ends with its handler."""

    def __init__(self, handle: ctypes.c_void_p, conduit: Receiver) -> None:
        """Take what the library hands to a handler."""
        self._handle: ctypes.c_void_p | None = handle
        self._conduit = conduit

    @property
    def conduit(self) -> Receiver:
        """The conduit on which it came."""
        return self._conduit

    @property
    def source(self) -> int:
        """The rank that sent it."""
        return int(ask("message_source", self._live()))

    @property
    def arguments(self) -> tuple[int, ...]:
        """Its numbers, from 0 to 2^64 - 1."""
        count = ctypes.c_int()
        found = ask("message_arguments", self._live(), ctypes.byref(count))
        return tuple(found[: count.value])

    @property
    def payload(self) -> npt.NDArray[np.uint8]:
        """Its bytes: of a long message as part of the segment, of another one a copy of them."""
        num_bytes = ctypes.c_uint64()
        address = ask("message_payload", self._live(), ctypes.byref(num_bytes))
        if address is None:
            return np.empty(0, np.uint8)
        offset = address - ask("conduit_segment", ask("message_conduit", self._live()))
        if 0 <= offset < self._conduit.segment_bytes():
            return self._conduit.array(num_bytes.value, np.uint8, offset)
        memory = (ctypes.c_uint8 * num_bytes.value).from_address(address)
        return np.frombuffer(memoryview(memory), np.uint8).copy()

    def reply(
        self,
        handler: int,
        *numbers: int,
        payload: npt.NDArray[Any] | None = None,
        offset: int | None = None,
    ) -> None:
        """Answer its sender: once, and not an answer.

        Args:
            handler: the number of the handler that runs there.
            numbers: at most 5, from 0 to 2^64 - 1.
            payload: a contiguous array; None for none.
            offset: where the payload goes in the segment of the sender; None for memory that ends
                with the handler.

        Raises:
            ArgumentError: another answer, or arguments that cannot be.
        """
        send("reply", handler, numbers, payload, offset, self._live())

    def end(self) -> None:
        """Say that its handler has returned."""
        self._handle = None

    def _live(self) -> ctypes.c_void_p:
        if self._handle is None:
            raise ArgumentError("expected a message inside of its handler, got one that has ended")
        return self._handle


def send(
    action: str,
    handler: int,
    numbers: Sequence[int],
    payload: npt.NDArray[Any] | None,
    place: Any,
    *receiver: Any,
) -> None:
    """Call the function of the library that is for a message of this kind.

    Args:
        action: `send` or `reply`.
        handler: its number.
        numbers: of the message.
        payload: None for a short message.
        place: where the payload of a long message goes; None for a medium one.
        receiver: the last arguments of the function, without the place.
    """
    given = [arguments.number(number, "argument") for number in numbers]
    values = (ctypes.c_uint64 * max(1, len(given)))(*given)
    common = (values, len(given), arguments.number(handler, "handler"))
    if payload is None:
        if place is not None:
            raise ArgumentError("expected a payload for that place, got none")
        call(f"{action}_short", *common, *receiver)
        return
    data = (arguments.contiguous(payload, "payload"), payload.nbytes)
    if place is None:
        call(f"{action}_medium", *data, *common, *receiver)
    else:
        call(f"{action}_long", *data, *common, place, receiver[-1])


class Handlers:
    """The handlers of a conduit, as the library calls them. It must live as long as the conduit."""

    def __init__(self, functions: Sequence[HandlerFunction], conduit: Receiver) -> None:
        """Keep functions by number."""
        self._functions = list(functions)
        self._conduit = weakref.ref(conduit)
        self._error: BaseException | None = None
        self._call = HANDLER(self._run)
        self.count = len(self._functions)
        self.list = (HANDLER * max(1, self.count))(*[self._call] * self.count)

    @property
    def has_error(self) -> bool:
        """Whether `raise_error()` would raise."""
        return self._error is not None

    def raise_error(self) -> None:
        """Raise what a handler raised first since this was asked last."""
        error, self._error = self._error, None
        if error is not None:
            raise error

    def keep(self, error: BaseException) -> None:
        """Raise this later; say it at once if there is an earlier one."""
        if self._error is None:
            self._error = error
        else:
            text = f"one more handler failed: {type(error).__name__}: {error}"
            warnings.warn(text, RuntimeWarning, stacklevel=2)

    def _run(self, handle: int, _: int | None) -> None:
        """Run one; exceptions cannot pass the library."""
        here = ctypes.c_void_p(handle)
        conduit = self._conduit()
        assert conduit is not None  # noqa: S101 - what polls holds it
        message = Message(here, conduit)
        try:
            self._functions[ask("message_handler", here)](message)
        except BaseException as error:
            self.keep(error)
        finally:
            message.end()
