# SPDX-License-Identifier: Apache-2.0
"""What nobody has any more, and the library of C still has.

The garbage collector runs in any thread, and within functions of C that call Python. So it only
notes what is to be freed, and the next function that the program calls frees it: one thread at a
time calls a conduit, and no function of C begins within another one.
"""

from __future__ import annotations

import contextlib
import ctypes
import weakref
from collections import deque

from espalier import api
from espalier.onesided.functions import ask, call


class Dropped:
    """Objects of C that are to be freed, each by a function of its kind."""

    def __init__(self) -> None:
        """Begin with none."""
        self._left: deque[tuple[str, ctypes.c_void_p]] = deque()

    def watch(
        self, owner: object, name: str, handle: ctypes.c_void_p
    ) -> weakref.finalize[..., object]:
        """Note an object when nobody has its owner any more, for the function `name`."""
        finalizer = weakref.finalize(owner, self._left.append, (name, handle))
        finalizer.atexit = False
        return finalizer

    def free(self) -> None:
        """Free what was noted. Nobody is left to hear of what fails."""
        with contextlib.suppress(IndexError):
            while True:
                name, handle = self._left.popleft()
                if _may_be_freed(handle):
                    ask(name, ctypes.byref(handle))

    def free_watched(self, finalizer: weakref.finalize[..., object]) -> None:
        """Free what was noted, and an object whose owner gives it up; nothing if that was freed."""
        self.free()
        watched = finalizer.detach()
        if watched is not None:
            name, handle = watched[2][0]
            if _may_be_freed(handle):
                call(name, ctypes.byref(handle))


def _may_be_freed(handle: ctypes.c_void_p) -> bool:
    return handle.value is not None and not api.mpi().Is_finalized()
