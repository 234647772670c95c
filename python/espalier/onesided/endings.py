# SPDX-License-Identifier: Apache-2.0
"""What is put off to the end of the program, and done while MPI still works.

MPI is finalized by the program itself, when attributes of MPI_COMM_SELF are deleted before anything
else, or by mpi4py after Python has ended, so that it is done when Python begins to end.
"""

from __future__ import annotations

import atexit
import functools
from typing import TYPE_CHECKING

from espalier import api

if TYPE_CHECKING:
    from collections.abc import Callable

_put_off: list[Callable[[], None]] = []


@atexit.register
def _do_all(*_: object) -> None:
    while _put_off:
        _put_off.pop(0)()


@functools.cache
def _watch_mpi() -> None:
    mpi = api.mpi()
    mpi.COMM_SELF.Set_attr(mpi.Comm.Create_keyval(delete_fn=_do_all), None)


def put_off(action: Callable[[], None]) -> None:
    """Do something at the end, in the order of these calls; collective actions in the same one."""
    _watch_mpi()
    _put_off.append(action)


def cancel(action: Callable[[], None]) -> None:
    """Do it no more, if it was put off."""
    if action in _put_off:
        _put_off.remove(action)
