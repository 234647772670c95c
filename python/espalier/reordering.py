# SPDX-License-Identifier: Apache-2.0
"""Communicators in which the trees of a collective are faster, for programs that use mpi4py.

The functions are those of `espalier_order.h`, with communicators of mpi4py.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from espalier import api

_NAME_LEN = 32
_SOURCES = ("measured", "remembered", "described")


class _COptions(ctypes.Structure):
    """espalier_order_options."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("flags", ctypes.c_uint),
        ("num_trial_calls", ctypes.c_int),
        ("order", ctypes.c_char_p),
        ("machine", ctypes.c_char_p),
        ("memory", ctypes.c_char_p),
        ("measure_seconds", ctypes.c_double),
    )


class _CReport(ctypes.Structure):
    """espalier_order_report."""

    _fields_ = (
        ("order", ctypes.c_char * _NAME_LEN),
        ("source", ctypes.c_int),
        ("num_groups", ctypes.c_int),
        ("channels_across", ctypes.c_double),
        ("channels_inside", ctypes.c_double),
        ("num_pairs", ctypes.c_int),
        ("num_trial_calls", ctypes.c_int),
        ("standard_us", ctypes.c_double),
        ("chosen_us", ctypes.c_double),
        ("model_standard_us", ctypes.c_double),
        ("model_chosen_us", ctypes.c_double),
        ("find_us", ctypes.c_double),
        ("measure_us", ctypes.c_double),
        ("compute_us", ctypes.c_double),
        ("create_us", ctypes.c_double),
        ("trial_us", ctypes.c_double),
        ("num_calls_to_pay", ctypes.c_double),
    )


@dataclass(frozen=True)
class OrderReport:
    """What an order promises and what it took, on the slowest rank, in microseconds.

    Attributes:
        order: the one that was chosen.
        source: where distances came from: `measured`, `remembered` or `described`.
        num_groups: of ranks near each other; 1 if all are alike.
        channels_across: messages at once between two groups without loss, perhaps infinite.
        channels_inside: the same inside a group.
        num_pairs: of ranks whose round trips were measured.
        num_trial_calls: that were timed in each order; 0 if the next two times are of the model.
        standard_us: a call in the order of the old communicator.
        chosen_us: a call in the order that was chosen.
        model_standard_us: a call in the order of the old communicator, by the model.
        model_chosen_us: a call in the order that the model chose.
        find_us: where ranks run.
        measure_us: round trips, or reading what is remembered.
        compute_us: the orders.
        create_us: the communicator.
        trial_us: calls that were timed.
        num_calls_to_pay: calls that save as much as all this took; infinity if none do.
    """

    order: str
    source: str
    num_groups: int
    channels_across: float
    channels_inside: float
    num_pairs: int
    num_trial_calls: int
    standard_us: float
    chosen_us: float
    model_standard_us: float
    model_chosen_us: float
    find_us: float
    measure_us: float
    compute_us: float
    create_us: float
    trial_us: float
    num_calls_to_pay: float


@dataclass(frozen=True)
class StepTime:
    """The messages of one step of a tree, on the slowest rank."""

    mean_us: float
    sd_us: float


@dataclass(frozen=True)
class OrderOptions:
    """How to find an order; equal on all ranks.

    Attributes:
        order: one by name; the best of standard, fef and cao if it is left out.
        machine: a machine text or file; ESPALIER_MACHINE if it is left out.
        memory: a file that keeps measured distances, or `off`; the usual one if it is left out.
        measure_seconds: how long round trips are measured; 0.1 if it is 0.
        num_trial_calls: of MPI's own collective that are timed in both orders.
    """

    order: str = ""
    machine: str = ""
    memory: str = ""
    measure_seconds: float = 0.0
    num_trial_calls: int = 0

    def to_c(self) -> _COptions:
        """Return them as C has them."""
        return _COptions(
            ctypes.sizeof(_COptions),
            0,
            self.num_trial_calls,
            self.order.encode() or None,
            self.machine.encode() or None,
            self.memory.encode() or None,
            self.measure_seconds,
        )


def order_create(
    comm: Any,
    collective: str,
    root: int,
    num_bytes: int,
    options: OrderOptions = OrderOptions(),
) -> tuple[Any, OrderReport]:
    """Make a communicator of the same ranks in which the tree of a collective is faster.

    Args:
        comm: an intracommunicator of mpi4py.
        collective: `bcast`, `gather`, `reduce` or `scatter`.
        root: a rank of `comm`, which becomes rank 0.
        num_bytes: of a rank's part, or of the message.
        options: how to find the order.

    Returns:
        An `Intracomm`, and what it promises.

    Raises:
        ArgumentError: arguments that cannot be, on any rank.
        MpiError: mpi4py is missing, or a call of MPI failed.
    """
    made = ctypes.c_int()
    report = _CReport()
    api.check(
        api.library().espalier_f_order_create(
            comm.py2f(),
            collective.encode(),
            root,
            ctypes.c_size_t(num_bytes),
            ctypes.byref(options.to_c()),
            ctypes.byref(made),
            ctypes.byref(report),
        )
    )
    return api.mpi().Comm.f2py(made.value), _report(report)


def order_ranks(comm: Any, ordered: Any) -> list[int]:
    """Return the rank in `comm` of each rank of a communicator that was made of it."""
    ranks = (ctypes.c_int * ordered.size)()
    api.check(api.library().espalier_f_order_ranks(comm.py2f(), ordered.py2f(), ranks))
    return list(ranks)


def order_steps(
    comm: Any, collective: str, num_bytes: int, num_calls: int = 20
) -> tuple[StepTime, ...]:
    """Time each step of the binomial tree of a collective from or to rank 0, one by one.

    A gather and a reduce begin with the step of the leaves.
    """
    most_steps = 31
    means = (ctypes.c_double * most_steps)()
    deviations = (ctypes.c_double * most_steps)()
    num_steps = ctypes.c_int()
    api.check(
        api.library().espalier_f_order_steps(
            comm.py2f(),
            collective.encode(),
            ctypes.c_size_t(num_bytes),
            num_calls,
            most_steps,
            means,
            deviations,
            ctypes.byref(num_steps),
        )
    )
    return tuple(StepTime(means[i], deviations[i]) for i in range(num_steps.value))


def _report(report: _CReport) -> OrderReport:
    values = {name: getattr(report, name) for name, _ in _CReport._fields_}
    values["order"] = values["order"].decode()
    values["source"] = _SOURCES[values["source"]]
    return OrderReport(**values)
