# SPDX-License-Identifier: Apache-2.0
"""The functions of `espalier_neighbor.h` for handles of Fortran, as ctypes has them."""

from __future__ import annotations

import ctypes
import functools
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_ssize_t, c_uint, c_void_p
from typing import Any, ClassVar

from espalier import api
from espalier.errors import NotBuiltError


class NeighborOptions(ctypes.Structure):
    """espalier_neighbor_options."""

    _fields_: ClassVar = [
        ("size", c_size_t),
        ("flags", c_uint),
        ("algorithm", c_char_p),
        ("latency_us", c_double),
        ("bandwidth_gib_s", c_double),
    ]


_MOVED = ("input", "count", "datatype", "output", "count", "datatype")
_COUNTED = ("counts", "displacements", "datatype")
_TYPED = ("counts", "addresses", "datatypes")

# Kinds of arguments before the neighborhood, as espalier/calls/functions.json has them.
ARGUMENTS = {
    "neighbor_allgather": _MOVED,
    "neighbor_allgatherv": (*_MOVED[:4], *_COUNTED),
    "neighbor_alltoall": _MOVED,
    "neighbor_alltoallv": ("input", *_COUNTED, "output", *_COUNTED),
    "neighbor_alltoallw": ("input", *_TYPED, "output", *_TYPED),
}
_TYPES = {
    "input": c_void_p,
    "output": c_void_p,
    "counts": POINTER(c_int),
    "displacements": POINTER(c_int),
    "addresses": POINTER(c_ssize_t),
    "datatypes": POINTER(c_int),
}
_OPTIONS = POINTER(NeighborOptions)
_MADE = POINTER(c_void_p)
# The complaint stands before what is made.
_OTHERS = {
    "neighborhood_create": (c_int, c_int, c_int, POINTER(c_int), _OPTIONS, c_char_p, _MADE),
    "neighborhood_of": (c_int, _OPTIONS, c_char_p, _MADE),
    "neighborhood_degrees": (c_void_p, POINTER(c_int), POINTER(c_int)),
    "neighborhood_agree": (c_void_p, c_char_p, c_char_p),
}


def nothing(name: str) -> tuple[Any, ...]:
    """Return arguments that say nothing, for a call that something is wrong with."""
    return tuple(None if kind in _TYPES else 0 for kind in ARGUMENTS[name])


def _types_of(name: str) -> tuple[Any, ...]:
    if name in _OTHERS:
        return _OTHERS[name]
    kinds = ARGUMENTS[name.removesuffix("_init")]
    made = (_MADE,) if name.endswith("_init") else ()
    return (*(_TYPES.get(kind, c_int) for kind in kinds), c_void_p, c_char_p, *made)


@functools.cache
def _function(name: str, prefix: str) -> Any:
    library = api.library()
    try:
        return getattr(library, f"{prefix}{name}")
    except AttributeError as error:
        raise NotBuiltError(
            f"expected {prefix}{name} in {library._name}, found none",
            "build the library of this version",
        ) from error


@functools.cache
def foreign(name: str) -> Any:
    """Return the function `espalier_f_<name>`, with its types."""
    function = _function(name, "espalier_f_")
    function.argtypes = _types_of(name)
    function.restype = None if name == "neighborhood_degrees" else c_int
    return function


def free(handle: ctypes.c_void_p) -> None:
    """Free a neighborhood. Collective over its communicator."""
    function = _function("neighborhood_free", "espalier_")
    function.argtypes = (_MADE,)
    function.restype = c_int
    api.check(function(ctypes.byref(handle)))
