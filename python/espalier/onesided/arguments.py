# SPDX-License-Identifier: Apache-2.0
"""What numbers and arrays may be, checked before anything happens."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from espalier import api
from espalier.errors import ArgumentError

if TYPE_CHECKING:
    import numpy.typing as npt

# Booleans, whole, real and complex numbers.
_KINDS = "biufc?"


def number(value: int, name: str, end: int = 2**64) -> int:
    """Return a whole number in [0, end): ctypes would cut off the bits of another one."""
    try:
        found = operator.index(value)
    except TypeError as error:
        raise ArgumentError(f"expected a whole number as {name}, got {value!r}") from error
    if not 0 <= found < end:
        raise ArgumentError(f"expected {name} in [0, {end}), got {found}")
    return found


def array_of(given: object, name: str) -> npt.NDArray[Any]:
    """Return what must be an array: of anything else NumPy would make a copy."""
    if not isinstance(given, np.ndarray):
        raise ArgumentError(f"expected a NumPy array as {name}, got {type(given).__name__}")
    return given


def contiguous(given: object, name: str, *, is_written: bool = False) -> int:
    """Return the address of an array that is one piece of memory, and writable if need be."""
    array = array_of(given, name)
    if not array.flags.forc:
        raise ArgumentError(
            f"expected a contiguous array as {name}, got strides {array.strides}",
            "copy it first: numpy.ascontiguousarray()",
        )
    if array.dtype.hasobject:
        raise ArgumentError(f"expected an array of values as {name}, got one of Python objects")
    if is_written and not array.flags.writeable:
        raise ArgumentError(f"expected an array that may be written as {name}, got a read-only one")
    return array.ctypes.data


def mpi_type(dtype: np.dtype[Any], name: str) -> Any:
    """Return the datatype of MPI for a type of NumPy, as mpi4py finds it."""
    mpi = api.mpi()
    found = mpi.DATATYPE_NULL
    if dtype.kind in _KINDS and dtype.isnative:
        found = mpi.Datatype.fromcode(dtype.char)
    if found == mpi.DATATYPE_NULL:
        raise ArgumentError(f"expected a type that MPI has for {name}, got {dtype}")
    return found
