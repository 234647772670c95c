# SPDX-License-Identifier: Apache-2.0
"""A collective is planned on all ranks or on none, whatever is wrong on one of them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from espalier import api
from espalier.errors import ArgumentError
from espalier.onesided.dropped import Dropped
from espalier.onesided.request import Request
from espalier.planned import functions

if TYPE_CHECKING:
    from collections.abc import Callable

    from mpi4py import MPI

    from espalier.planned.functions import Value

Result = TypeVar("Result")

# Requests are kept while they are under way, and their arrays with them.
_underway: set[Request] = set()
_dropped = Dropped()


@dataclass(frozen=True)
class Ranks:
    """The communicator of a call, as this rank sees it."""

    rank: int
    size: int


@dataclass(frozen=True)
class Call:
    """What is handed to C, and what has to live as long as the request."""

    values: tuple[Value, ...]
    kept: tuple[object, ...] = ()


def _ranks(comm: MPI.Intracomm) -> Ranks:
    if comm == api.mpi().COMM_NULL or comm.Is_inter():
        raise ArgumentError("expected an intracommunicator of mpi4py, got another one")
    return Ranks(comm.Get_rank(), comm.Get_size())


def attempted(action: Callable[[], Result]) -> tuple[Result | None, bytes | None]:
    """Return what an action gives, or what is wrong on this rank.

    Whatever is raised is told to the other ranks, which would wait for this one otherwise.
    """
    try:
        return action(), None
    except ArgumentError as error:
        complaint = str(error)
    except Exception as error:
        complaint = f"expected arguments that can be used, got {type(error).__name__}: {error}"
    return None, complaint.encode(errors="replace")


def plan(
    name: str, comm: MPI.Intracomm, algorithm: str, call_of: Callable[[Ranks], Call]
) -> Request:
    """Plan a collective. Collective over `comm`.

    Args:
        name: of the collective, as C has it.
        comm: an intracommunicator.
        algorithm: empty if the program names none.
        call_of: checks the arrays of this rank. What it finds wrong is told to the other ranks.
    """
    ranks = _ranks(comm)
    found, complaint = attempted(lambda: (call_of(ranks), algorithm.encode() or None))
    call, named = found or (Call(functions.nothing(name)), None)
    options = functions.PlannedOptions(
        size=ctypes.sizeof(functions.PlannedOptions), flags=0, algorithm=named
    )
    made = ctypes.c_void_p()
    _dropped.free()
    init: Any = functions.init(name)
    code = init(*call.values, comm.py2f(), ctypes.byref(options), complaint, ctypes.byref(made))
    api.check(code)
    return Request(made, call.kept, _underway, _dropped)
