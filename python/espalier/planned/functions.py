# SPDX-License-Identifier: Apache-2.0
"""The functions of `espalier_planned.h` for handles of Fortran, as ctypes has them."""

from __future__ import annotations

import ctypes
import functools
from ctypes import POINTER, c_char_p, c_int, c_int64, c_size_t, c_ssize_t, c_uint, c_void_p
from typing import Any, ClassVar

from espalier import api
from espalier.errors import NotBuiltError


class PlannedOptions(ctypes.Structure):
    """espalier_planned_options."""

    _fields_: ClassVar = [("size", c_size_t), ("flags", c_uint), ("algorithm", c_char_p)]


Value = Any
"""What ctypes takes for an argument."""

_MOVED = ("input", "count", "datatype", "output", "count", "datatype")
_REDUCED = ("input", "output", "count", "datatype", "operator")
_COUNTED = ("counts", "displacements", "datatype")
_TYPED = ("counts", "displacements", "datatypes")

# Kinds of arguments before the communicator, as espalier/calls/functions.json has them.
ARGUMENTS = {
    "allgather": _MOVED,
    "allgatherv": (*_MOVED[:4], *_COUNTED),
    "allreduce": _REDUCED,
    "alltoall": _MOVED,
    "alltoallv": ("input", *_COUNTED, "output", *_COUNTED),
    "alltoallw": ("input", *_TYPED, "output", *_TYPED),
    "barrier": (),
    "bcast": ("output", "count", "datatype", "root"),
    "exscan": _REDUCED,
    "gather": (*_MOVED, "root"),
    "gatherv": (*_MOVED[:4], *_COUNTED, "root"),
    "reduce": (*_REDUCED, "root"),
    "reduce_scatter": ("input", "output", *_COUNTED[:1], *_REDUCED[3:]),
    "reduce_scatter_block": _REDUCED,
    "scan": _REDUCED,
    "scatter": (*_MOVED, "root"),
    "scatterv": ("input", *_COUNTED, *_MOVED[3:], "root"),
}
_TYPES = {
    "input": c_void_p,
    "output": c_void_p,
    "count": c_int64,
    "counts": POINTER(c_int64),
    "displacements": POINTER(c_ssize_t),
    "datatypes": POINTER(c_int),
}


def nothing(name: str) -> tuple[Value, ...]:
    """Return arguments that say nothing, for a call that something is wrong with."""
    return tuple(
        0 if _TYPES.get(kind, c_int) in (c_int, c_int64) else None for kind in ARGUMENTS[name]
    )


@functools.cache
def init(name: str) -> Any:
    """Return the function that plans a collective, with its types: counts may be large."""
    library = api.library()
    symbol = f"espalier_f_{name}_init{'_c' if ARGUMENTS[name] else ''}"
    try:
        function = getattr(library, symbol)
    except AttributeError as error:
        raise NotBuiltError(
            f"expected {symbol} in {library._name}, found none",
            "build the library of this version",
        ) from error
    before = [_TYPES.get(kind, c_int) for kind in ARGUMENTS[name]]
    after = [c_int, POINTER(PlannedOptions), c_char_p, POINTER(c_void_p)]
    function.argtypes = [*before, *after]
    function.restype = c_int
    return function
