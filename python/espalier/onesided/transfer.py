# SPDX-License-Identifier: Apache-2.0
"""One put or get that was started."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from espalier.errors import ArgumentError
from espalier.onesided.functions import TransferState, call

if TYPE_CHECKING:
    import numpy.typing as npt


class Transfer:
    """A put or get of `Conduit.start_put()` and its like; waited for once.

    The conduit keeps its array until then, also if the transfer itself is dropped.
    """

    def __init__(
        self,
        conduit: ctypes.c_void_p,
        state: TransferState,
        array: npt.NDArray[Any],
        underway: set[Transfer],
    ) -> None:
        """Take over what was started; `underway` holds it until it is over."""
        self._conduit = conduit
        self._state = state
        self._array: npt.NDArray[Any] | None = array
        self._underway = underway
        underway.add(self)

    def test(self) -> bool:
        """Tell whether it is over, as after the method without `start_`.

        If so it is used up. Not collective.

        Raises:
            ArgumentError: it was used up before.
        """
        self._require_use()
        is_over = ctypes.c_int()
        call("transfer_test", self._conduit, ctypes.byref(self._state), ctypes.byref(is_over))
        if is_over.value:
            self._use_up()
        return bool(is_over.value)

    def wait(self) -> None:
        """Wait until it is over; then it is used up. Not collective.

        Raises:
            ArgumentError: it was used up before.
        """
        self._require_use()
        call("transfer_wait", self._conduit, ctypes.byref(self._state))
        self._use_up()

    def test_local(self) -> bool:
        """Tell whether the array of a put may be written again; of a get, whether it is over.

        The transfer goes on, and has to be waited for all the same. Not collective.

        Raises:
            ArgumentError: it was used up before.
        """
        self._require_use()
        is_over = ctypes.c_int()
        call("transfer_test_local", self._conduit, ctypes.byref(self._state), ctypes.byref(is_over))
        return bool(is_over.value)

    def wait_local(self) -> None:
        """Wait until the array of a put may be written again; the put goes on. Not collective.

        Raises:
            ArgumentError: it was used up before.
        """
        self._require_use()
        call("transfer_wait_local", self._conduit, ctypes.byref(self._state))

    def _require_use(self) -> None:
        if self._array is None:
            raise ArgumentError("expected a transfer that is under way, got one that was over")

    def _use_up(self) -> None:
        self._array = None
        self._underway.discard(self)
