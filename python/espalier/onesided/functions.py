# SPDX-License-Identifier: Apache-2.0
"""The functions and structures of `espalier_onesided.h` and `espalier_array.h` for ctypes."""

from __future__ import annotations

import ctypes
import functools
from ctypes import (
    CFUNCTYPE,
    POINTER,
    c_char_p,
    c_double,
    c_int,
    c_int64,
    c_size_t,
    c_uint,
    c_uint64,
    c_void_p,
)
from typing import Any, ClassVar

from espalier import api
from espalier.errors import NotBuiltError


class Remote(ctypes.Structure):
    """espalier_remote."""

    _fields_: ClassVar = [("rank", c_int), ("offset", c_uint64)]


class TransferState(ctypes.Structure):
    """espalier_transfer."""

    _fields_: ClassVar = [("opaque", c_uint64 * 3)]


HANDLER = CFUNCTYPE(None, c_void_p, c_void_p)
"""espalier_handler."""

CONDITION = CFUNCTYPE(c_int, c_void_p)
"""The condition of espalier_wait_until()."""


class ConduitOptions(ctypes.Structure):
    """espalier_conduit_options."""

    _fields_: ClassVar = [
        ("size", c_size_t),
        ("flags", c_uint),
        ("transport", c_char_p),
        ("scratch_bytes", c_uint64),
        ("handlers", POINTER(HANDLER)),
        ("num_handlers", c_int),
        ("context", c_void_p),
    ]


class OnesidedOptions(ctypes.Structure):
    """espalier_onesided_options."""

    _fields_: ClassVar = [
        ("size", c_size_t),
        ("flags", c_uint),
        ("in", c_int),
        ("out", c_int),
        ("addresses", c_int),
        ("algorithm", c_char_p),
        ("mechanism", c_char_p),
    ]


Meanwhile = CFUNCTYPE(None, c_void_p)


class TuningOptions(ctypes.Structure):
    """espalier_tuning_options."""

    _fields_: ClassVar = [
        ("size", c_size_t),
        ("flags", c_uint),
        ("seconds", c_double),
        ("meanwhile", Meanwhile),
        ("context", c_void_p),
    ]


MAX_DIMS = 4
"""ESPALIER_ARRAY_MAX_DIMS."""


class Distribution(ctypes.Structure):
    """espalier_distribution."""

    _fields_: ClassVar = [
        ("size", c_size_t),
        ("flags", c_uint),
        ("ndims", c_int),
        ("extents", c_int64 * MAX_DIMS),
        ("block", c_int64 * MAX_DIMS),
        ("grid", c_int * MAX_DIMS),
    ]


class BlockInterval(ctypes.Structure):
    """espalier_blocks."""

    _fields_: ClassVar = [("first", c_int64), ("stride", c_int64), ("last", c_int64)]


class RegionOfBlocks(ctypes.Structure):
    """espalier_region."""

    _fields_: ClassVar = [("array", c_void_p), ("blocks", BlockInterval * MAX_DIMS)]


def _handle_type() -> type[Any]:
    """Return what a handle of this MPI is in C: a number under MPICH, a pointer under Open MPI."""
    mpi = api.mpi()
    return c_int if mpi._sizeof(mpi.Comm) == ctypes.sizeof(c_int) else c_void_p


def handle(thing: Any) -> Any:
    """Return the handle of C of a communicator, datatype or operator of mpi4py."""
    return _handle_type().from_address(api.mpi()._addressof(thing))


def _transfer_functions() -> dict[str, tuple[Any, ...]]:
    started = (c_void_p, c_uint64, Remote, c_void_p)
    transfer = (c_void_p, POINTER(TransferState))
    signal = (c_void_p, c_uint64, Remote, c_uint64, c_uint64, c_void_p)
    return {
        "put": started,
        "get": started,
        "put_signal": signal,
        "start_put": (*started, POINTER(TransferState)),
        "start_get": (*started, POINTER(TransferState)),
        "start_put_signal": (*signal, POINTER(TransferState)),
        "transfer_test": (*transfer, POINTER(c_int)),
        "transfer_wait": transfer,
        "transfer_test_local": (*transfer, POINTER(c_int)),
        "transfer_wait_local": transfer,
        "post_put": started,
        "post_get": started,
        "post_put_signal": signal,
        "fence": (c_void_p,),
        "signal": (Remote, c_uint64, c_void_p),
        "counter": (c_void_p, c_uint64, POINTER(c_uint64)),
        "await": (c_void_p, c_uint64, c_uint64),
    }


def _message_functions() -> dict[str, tuple[Any, ...]]:
    numbers = (POINTER(c_uint64), c_int, c_int)
    payload = (c_void_p, c_uint64)
    return {
        "send_short": (*numbers, c_int, c_void_p),
        "send_medium": (*payload, *numbers, c_int, c_void_p),
        "send_long": (*payload, *numbers, Remote, c_void_p),
        "reply_short": (*numbers, c_void_p),
        "reply_medium": (*payload, *numbers, c_void_p),
        "reply_long": (*payload, *numbers, c_uint64, c_void_p),
        "wait_until": (CONDITION, c_void_p, c_void_p),
        "max_medium_bytes": (c_void_p,),
        "message_conduit": (c_void_p,),
        "message_source": (c_void_p,),
        "message_handler": (c_void_p,),
        "message_arguments": (c_void_p, POINTER(c_int)),
        "message_payload": (c_void_p, POINTER(c_uint64)),
    }


def _conduit_functions(comm: Any) -> dict[str, tuple[Any, ...]]:
    return {
        "conduit_attach": (comm, c_uint64, POINTER(ConduitOptions), POINTER(c_void_p)),
        "conduit_detach": (POINTER(c_void_p),),
        "conduit_rank": (c_void_p,),
        "conduit_size": (c_void_p,),
        "conduit_transport": (c_void_p,),
        "conduit_segment": (c_void_p,),
        "conduit_segment_bytes": (c_void_p, c_int, POINTER(c_uint64)),
        "conduit_poll": (c_void_p,),
        "conduit_notify": (c_void_p,),
        "conduit_try_barrier": (c_void_p, POINTER(c_int)),
        "conduit_barrier": (c_void_p,),
    }


def _team_functions(mpi_handle: Any) -> dict[str, tuple[Any, ...]]:
    planned = (c_void_p, POINTER(OnesidedOptions), POINTER(c_void_p))
    elements = (c_int, mpi_handle)
    two = (c_void_p, c_void_p, *elements)
    lists = (POINTER(c_int), POINTER(c_int))
    return {
        "team_create": (c_void_p, mpi_handle, c_uint64, POINTER(c_void_p)),
        "team_free": (POINTER(c_void_p),),
        "team_rank": (c_void_p,),
        "team_size": (c_void_p,),
        "team_conduit_rank": (c_void_p, c_int, POINTER(c_int)),
        "team_rank_of": (c_void_p, c_int, POINTER(c_int)),
        "team_bcast_init": (c_void_p, *elements, c_int, *planned),
        "team_scatter_init": (*two, c_int, *planned),
        "team_gather_init": (*two, c_int, *planned),
        "team_reduce_init": (*two, mpi_handle, c_int, *planned),
        "team_allreduce_init": (*two, mpi_handle, *planned),
        "team_allgather_init": (*two, *planned),
        "team_alltoall_init": (*two, *planned),
        "team_barrier_init": planned,
        "team_scatterv_init": (c_void_p, *lists, c_void_p, mpi_handle, c_int, *planned),
        "team_gatherv_init": (c_void_p, c_void_p, *lists, mpi_handle, c_int, *planned),
        "team_allgatherv_init": (c_void_p, c_void_p, *lists, mpi_handle, *planned),
        "team_alltoallv_init": (c_void_p, *lists, c_void_p, *lists, mpi_handle, *planned),
        "team_fence": (c_void_p,),
    }


def _array_functions(mpi_handle: Any) -> dict[str, tuple[Any, ...]]:
    distribution = POINTER(Distribution)
    region = POINTER(RegionOfBlocks)
    planned = (POINTER(OnesidedOptions), POINTER(c_void_p))
    moved = (region, region, c_int, *planned)
    return {
        "array_create": (c_void_p, distribution, mpi_handle, c_uint64, POINTER(c_void_p)),
        "array_free": (POINTER(c_void_p),),
        "array_distribution": (c_void_p, distribution),
        "array_place": (c_void_p, POINTER(c_int64), POINTER(Remote)),
        "region_has_affinity": (region, POINTER(c_int)),
        "array_bcast_init": moved,
        "array_scatter_init": moved,
        "array_gather_init": moved,
        "array_exchange_init": moved,
        "array_reduce_init": (region, region, c_int, mpi_handle, *planned),
        "team_cache_limits": (c_void_p, c_int, c_uint64),
        "team_cache_size": (c_void_p,),
        "team_cache_clear": (c_void_p,),
    }


_REQUEST = {
    "request_start": (c_void_p,),
    "request_test": (c_void_p, POINTER(c_int)),
    "request_wait": (c_void_p,),
    "request_algorithm": (c_void_p,),
    "request_mechanism": (c_void_p,),
    "request_origin": (c_void_p,),
    "request_tune": (c_void_p, POINTER(TuningOptions)),
    "request_free": (POINTER(c_void_p),),
    "explain": (c_void_p, c_char_p, c_int),
}
_RESULTS = {
    "conduit_transport": c_char_p,
    "conduit_segment": c_void_p,
    "max_medium_bytes": c_uint64,
    "message_arguments": POINTER(c_uint64),
    "message_conduit": c_void_p,
    "message_payload": c_void_p,
    "request_algorithm": c_char_p,
    "request_mechanism": c_char_p,
    "request_origin": c_char_p,
}


@functools.cache
def _declared() -> dict[str, Any]:
    """Return the functions by their names without `espalier_`, with their types."""
    library = api.library()
    mpi_handle = _handle_type()
    arguments = {
        **_conduit_functions(mpi_handle),
        **_transfer_functions(),
        **_message_functions(),
        **_team_functions(mpi_handle),
        **_array_functions(mpi_handle),
        **_REQUEST,
    }
    found = {}
    for name, types in arguments.items():
        try:
            function = getattr(library, f"espalier_{name}")
        except AttributeError as error:
            raise NotBuiltError(
                f"expected espalier_{name} in {library._name}, found none",
                "build the library of this version",
            ) from error
        function.argtypes = types
        function.restype = _RESULTS.get(name, c_int)
        found[name] = function
    return found


def ask(name: str, *arguments: Any) -> Any:
    """Call a function that returns what it is asked for."""
    return _declared()[name](*arguments)


def call(name: str, *arguments: Any) -> None:
    """Call a function that returns a code, and raise what it says unless it succeeded."""
    api.check(_declared()[name](*arguments))
