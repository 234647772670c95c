# SPDX-License-Identifier: Apache-2.0
"""Cartesian communicators that fit grid and hardware, for programs that use mpi4py.

The functions are those of `espalier_mpix.h` and `espalier.h`, with communicators of mpi4py. All
that make communicators are collective over the one they are given, with equal arguments on all
ranks.
Weights of dimensions are halo width * cost per element / grid points; a common factor does not
matter, and none means that all count the same.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier import api
from espalier.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_NAME_LEN = 64


class _CLevel(ctypes.Structure):
    """espalier_cart_level."""

    _fields_ = (
        ("name", ctypes.c_char * _NAME_LEN),
        ("num_groups", ctypes.c_int),
        ("cost", ctypes.c_double),
        ("total_before", ctypes.c_double),
        ("total_after", ctypes.c_double),
        ("worst_before", ctypes.c_double),
        ("worst_after", ctypes.c_double),
    )


@dataclass(frozen=True)
class Level:
    """What crosses one level of the hardware, in the order of the old communicator and after."""

    name: str
    num_groups: int
    cost: float
    total_before: float
    total_after: float
    worst_before: float
    worst_after: float


@dataclass(frozen=True)
class Report:
    """What a mapping has changed; levels outermost first."""

    algorithm: str
    levels: tuple[Level, ...]


def _ints(values: Sequence[int]) -> ctypes.Array[ctypes.c_int]:
    return (ctypes.c_int * len(values))(*values)


def _doubles(values: Sequence[float] | None, count: int, name: str) -> Any:
    """Return an array of a given length; None stays what it is, a null pointer."""
    if values is None:
        return None
    if len(values) != count:
        raise ArgumentError(f"expected {count} {name}, got {len(values)}")
    return (ctypes.c_double * count)(*values)


def _wraps(periods: Sequence[bool] | None, count: int) -> ctypes.Array[ctypes.c_int]:
    if periods is not None and len(periods) != count:
        raise ArgumentError(f"expected {count} periods, got {len(periods)}")
    return _ints([int(bool(wraps)) for wraps in periods or [False] * count])


def _info(info: Any) -> int:
    return int((api.mpi().INFO_NULL if info is None else info).py2f())


def _communicator(handle: ctypes.c_int) -> Any:
    mpi = api.mpi()
    comm = mpi.Comm.f2py(handle.value)
    return mpi.Cartcomm(comm) if comm != mpi.COMM_NULL else mpi.COMM_NULL


def _made(name: str, arguments: Callable[[], tuple[Any, ...]], refused: tuple[Any, ...]) -> Any:
    """Make a communicator, on all ranks or on none.

    Args:
        name: of the function of C without `espalier_f_`.
        arguments: returns those of this rank before the communicator, or raises what is wrong.
        refused: what C refuses on all ranks if one of them passes it. The others would wait for a
            rank that gives up before the call.
    """
    function = getattr(api.library(), f"espalier_f_{name}")
    made = ctypes.c_int()
    try:
        given = arguments()
    except Exception:
        function(*refused, ctypes.byref(made))
        raise
    api.check(function(*given, ctypes.byref(made)))
    return _communicator(made)


def cart_weighted_create(
    comm: Any,
    dims: Sequence[int],
    periods: Sequence[bool] | None = None,
    weights: Sequence[float] | None = None,
    info: Any = None,
) -> Any:
    """Make a Cartesian communicator whose extents fit the weights and the hardware.

    Args:
        comm: an intracommunicator of mpi4py.
        dims: the extent of each dimension, 0 to have it chosen.
        periods: which dimensions are periodic; none if it is left out.
        weights: of the dimensions, finite and >= 0.
        info: see `espalier_mpix.h`.

    Returns:
        A `Cartcomm`, COMM_NULL on ranks that the grid leaves out. Take rank and coordinates from
        it, not from `comm`.

    Raises:
        ArgumentError: dims, periods or weights that cannot be, on any rank.
        MpiError: mpi4py is missing, or a call of MPI failed.
    """
    handle = comm.py2f()

    def arguments() -> tuple[Any, ...]:
        count = len(dims)
        scales, wraps = _doubles(weights, count, "weights"), _wraps(periods, count)
        return handle, count, scales, wraps, _info(info), _ints(dims)

    refused = (handle, 0, None, None, _info(None), None)
    return _made("cart_weighted_create", arguments, refused)


def cart_ml_create_from_types(
    comm: Any,
    dims: Sequence[int],
    split_types: Sequence[int],
    periods: Sequence[bool] | None = None,
    weights: Sequence[float] | None = None,
    info: Any = None,
) -> Any:
    """Do the same with the levels that MPI_Comm_split_type makes, outermost first."""
    handle = comm.py2f()

    def arguments() -> tuple[Any, ...]:
        count = len(dims)
        scales, wraps = _doubles(weights, count, "weights"), _wraps(periods, count)
        levels = (len(split_types), _ints(split_types))
        return handle, count, scales, wraps, *levels, _info(info), _ints(dims)

    refused = (handle, 0, None, None, 0, None, _info(None), None)
    return _made("cart_ml_create_from_types", arguments, refused)


def cart_ml_create_from_comms(
    level_comms: Sequence[Any],
    dims: Sequence[int],
    periods: Sequence[bool] | None = None,
    weights: Sequence[float] | None = None,
    info: Any = None,
) -> Any:
    """Do the same with levels that the program has split itself, the first one with all ranks."""
    first = _ints([level_comms[0].py2f()]) if level_comms else None

    def arguments() -> tuple[Any, ...]:
        count = len(dims)
        levels = (len(level_comms), _ints([comm.py2f() for comm in level_comms]))
        scales, wraps = _doubles(weights, count, "weights"), _wraps(periods, count)
        return *levels, count, scales, wraps, _info(info), _ints(dims)

    refused = (0 if first is None else 1, first, 0, None, None, _info(None), None)
    return _made("cart_ml_create_from_comms", arguments, refused)


def cart_ml_create(
    comm: Any,
    dims_ml: Sequence[Sequence[int]],
    periods: Sequence[bool] | None = None,
    info: Any = None,
) -> Any:
    """Make a Cartesian communicator from `dims_ml[dimension][level]`, outermost level first.

    Ranks of `comm` must stand in the order of the hardware.
    """
    handle = comm.py2f()

    def arguments() -> tuple[Any, ...]:
        count = len(dims_ml)
        num_levels = len(dims_ml[0]) if dims_ml else 0
        if any(len(levels) != num_levels for levels in dims_ml):
            raise ArgumentError(f"expected dims_ml with {num_levels} levels in each dimension")
        rows = _ints([parts for levels in dims_ml for parts in levels])
        wraps, dims = _wraps(periods, count), _ints([0] * count)
        return handle, count, wraps, num_levels, rows, _info(info), dims

    refused = (handle, 0, None, 0, None, _info(None), None)
    return _made("cart_ml_create", arguments, refused)


def dims_ml_create(
    sizes: Sequence[int],
    num_dimensions: int,
    weights: Sequence[float] | None = None,
    info: Any = None,
) -> list[list[int]]:
    """Factorise levels of these sizes, outermost first: `dims_ml[dimension][level]`."""
    num_ranks = 1
    for size in sizes:
        num_ranks *= size
    rows = _ints([0] * (num_dimensions * len(sizes)))
    api.check(
        api.library().espalier_f_dims_ml_create(
            num_ranks,
            num_dimensions,
            _doubles(weights, num_dimensions, "weights"),
            len(sizes),
            _ints(sizes),
            None,
            _info(info),
            rows,
        )
    )
    return [list(rows[i : i + len(sizes)]) for i in range(0, len(rows), len(sizes))]


def dims_weighted_create(
    num_ranks: int, dims: Sequence[int], weights: Sequence[float] | None = None, info: Any = None
) -> list[int]:
    """Return extents with the least sum of `dims[i] * weights[i]`; entries of 0 are chosen."""
    extents = _ints(dims)
    api.check(
        api.library().espalier_f_dims_weighted_create(
            num_ranks,
            len(dims),
            _doubles(weights, len(dims), "weights"),
            None,
            _info(info),
            extents,
        )
    )
    return list(extents)


def cart_create(  # noqa: PLR0913 - the options of espalier_cart_create
    comm: Any,
    dims: Sequence[int],
    periods: Sequence[bool] | None = None,
    *,
    offsets: Sequence[Sequence[int]] = (),
    weights: Sequence[float] | None = None,
    dim_weights: Sequence[float] | None = None,
    objective: str = "balanced",
    algorithm: str = "",
) -> Any:
    """Make a Cartesian communicator whose ranks stand where their messages stay near.

    Args:
        comm: an intracommunicator of mpi4py.
        dims: the extent of each dimension, 0 to have it chosen.
        periods: which dimensions are periodic; none if it is left out.
        offsets: where neighbours are; the nearest ones if it is left out.
        weights: what is sent to each of them, above 0.
        dim_weights: as for `cart_weighted_create()`.
        objective: what is made small: `balanced`, `total` or `worst`.
        algorithm: one of the portfolio; the best of all if it is left out.

    Returns:
        A `Cartcomm`, COMM_NULL on ranks that the grid leaves out.

    Raises:
        ArgumentError: arguments that cannot be, on any rank.
        MpiError: mpi4py is missing, or a call of MPI failed.
    """
    handle = comm.py2f()

    def arguments() -> tuple[Any, ...]:
        count = len(dims)
        if any(len(offset) != count for offset in offsets):
            raise ArgumentError(f"expected offsets of {count} dimensions")
        steps = _ints([step for offset in offsets for step in offset])
        neighbors = (len(offsets), steps, _doubles(weights, len(offsets), "weights"))
        scales = _doubles(dim_weights, count, "dim_weights")
        texts = (objective.encode(), algorithm.encode() or None)
        return handle, count, _ints(dims), _wraps(periods, count), *neighbors, scales, *texts

    refused = (handle, 0, None, None, 0, None, None, None, None, None)
    return _made("cart_create", arguments, refused)


def cart_report(comm: Any) -> Report:
    """Return what a communicator of `cart_create()` or `cart_weighted_create()` has changed.

    Raises:
        ArgumentError: the communicator was made by something else.
    """
    levels = (_CLevel * 32)()
    num_levels = ctypes.c_int()
    algorithm = ctypes.create_string_buffer(_NAME_LEN)
    api.check(
        api.library().espalier_f_cart_report(
            comm.py2f(), len(levels), levels, ctypes.byref(num_levels), algorithm
        )
    )
    return Report(
        algorithm.value.decode(),
        tuple(
            Level(
                level.name.decode(),
                *(getattr(level, name) for name, _ in _CLevel._fields_[1:]),
            )
            for level in levels[: num_levels.value]
        ),
    )
