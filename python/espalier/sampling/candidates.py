# SPDX-License-Identifier: Apache-2.0
"""Which choices of the catalog are candidates for a call, and at which sizes it can be measured."""

from __future__ import annotations

import functools
import os
from collections import defaultdict
from typing import TYPE_CHECKING

from espalier import _core
from espalier.base import calls
from espalier.catalog import catalog
from espalier.errors import ArgumentError
from espalier.sampling.manner import PLAIN, Manner
from espalier.sampling.samples import Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.sampling.goal import Goal
    from espalier.sampling.setting import Setting

# The measuring program reduces elements of this size, and cuts some calls into equal parts.
_REDUCED_BYTES = 8
_EQUAL_PARTS = ("allgather", "alltoall", "gather", "reduce_scatter_block", "scatter")


def requests_for(goal: Goal, num_ranks: int, nodes: Sequence[int] = ()) -> list[Request]:
    """Return the points to measure, each with all its candidates.

    Args:
        goal: what to tune.
        num_ranks: how many ranks there are.
        nodes: the node of each rank, for some candidates that fit them; empty if unknown.

    Raises:
        ArgumentError: there is no candidate at all.
    """
    requests: dict[tuple[str, int], Request] = {}
    for call in goal.collectives:
        variants = _of_nodes(call, tuple(nodes)) if nodes else _of_ranks(call, num_ranks)
        candidates = _in_turns(_matching(call, num_ranks, goal.patterns, variants))
        for size in goal.sizes:
            # Sizes that a call cannot have become the same after rounding.
            real = real_size(call, size, num_ranks)
            request = Request(call, real, candidates, manner=_manner_of(call, goal))
            requests.setdefault((call, real), request)
    if not any(request.algorithms for request in requests.values()):
        raise ArgumentError(
            f"expected algorithms for {num_ranks} ranks among {', '.join(goal.patterns)}, got none",
            "'espalier list' prints all algorithms",
        )
    return list(requests.values())


def _in_turns(choices: Sequence[str]) -> tuple[str, ...]:
    """Return the first choice of each algorithm, then the second of each, ...

    Where the time does not suffice for all, something is known of most algorithms.
    """
    turns: dict[str, int] = defaultdict(int)
    places = []
    for choice in choices:
        name = catalog.name_of(choice)
        places.append(turns[name])
        turns[name] += 1
    order = sorted(range(len(choices)), key=lambda i: places[i])
    return tuple(choices[i] for i in order)


def _manner_of(call: str, goal: Goal) -> Manner:
    return Manner(work=goal.work) if calls.is_nonblocking(call) else PLAIN


def real_size(call: str, size: int, num_ranks: int) -> int:
    """Return the next size that a call can have in the measuring program."""
    call = calls.blocking(call)
    if call == "barrier":
        return 0
    element = element_bytes(call)
    unit = element * num_ranks if call in _EQUAL_PARTS else element
    return -(-size // unit) * unit


def element_bytes(call: str) -> int:
    """Return of what parts of a call are multiples in the measuring program."""
    return _REDUCED_BYTES if _core.collective_of(call) in _reducing() else 1


@functools.cache
def _reducing() -> frozenset[str]:
    return frozenset(row["name"] for row in _core.collectives() if row["reduces"])


def candidates_for(
    call: str,
    num_ranks: int,
    patterns: Sequence[str],
    setting: Setting | None = None,
    *,
    is_measured: bool = False,
) -> list[str]:
    """Return the choices for a call that accept this many ranks and match one of the patterns.

    Where the machine is known there are more of them: with groups that are its nodes, in the order
    of nodes to which ranks were dealt in turn, in pipelines. What is measured afterwards, and not
    only modelled, may also leave phases to the MPI library.
    """
    return list(_candidates(call, num_ranks, tuple(patterns), setting, is_measured))


@functools.cache
def _candidates(
    call: str,
    num_ranks: int,
    patterns: tuple[str, ...],
    setting: Setting | None,
    is_measured: bool,
) -> tuple[str, ...]:
    if setting is None:
        variants = _of_ranks(call, num_ranks)
    else:
        variants = _core.machine_variants(
            _core.collective_of(call), num_ranks, setting.machine, setting.placement, is_measured
        )
    return _matching(call, num_ranks, patterns, variants)


def _of_ranks(call: str, num_ranks: int) -> list[str]:
    return _core.variants(_core.collective_of(call), num_ranks)


def _of_nodes(call: str, nodes: tuple[int, ...]) -> list[str]:
    choices = _core.node_variants(_core.collective_of(call), nodes, with_native_phases=True)
    return choices + memory_variants(call, choices, nodes)


def memory_variants(call: str, choices: Sequence[str], nodes: Sequence[int]) -> list[str]:
    """Return choices with the memory that ranks of a node share, where that may be worth measuring.

    No model knows the difference, so these are for whoever measures them afterwards.
    """
    if os.environ.get("ESPALIER_NODE") == "off":
        return []
    shared = _core.memory_variants(choices, nodes)
    return [choice for choice in shared if not _core.call_refuses(call, choice, len(nodes))]


def _matching(
    call: str, num_ranks: int, patterns: Sequence[str], variants: Sequence[str]
) -> tuple[str, ...]:
    choices = [choice for choice in variants if not _core.call_refuses(call, choice, num_ranks)]
    if not patterns:
        return tuple(choices)
    wanted: list[str] = []
    for pattern in patterns:
        if "[" in pattern:
            choice = _core.canonical(pattern)
            wanted += [] if _core.call_refuses(call, choice, num_ranks) else [choice]
        else:
            names = {catalog.full_name(entry) for entry in catalog.find(pattern)}
            wanted += [choice for choice in choices if catalog.name_of(choice) in names]
    return tuple(dict.fromkeys(wanted))
