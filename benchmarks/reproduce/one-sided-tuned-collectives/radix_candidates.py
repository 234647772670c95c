# SPDX-License-Identifier: Apache-2.0
"""Candidates of a search, and what models say of them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.sampling.candidates import real_size

if TYPE_CHECKING:
    from collections.abc import Mapping

HAS_PARTS = {"scatter", "gather", "alltoall", "allgather"}
SHAPES = ("k_ary", "k_nomial")

_LogGP = tuple[float, float, float, float]


@dataclasses.dataclass(frozen=True)
class Case:
    """One operation and size on one machine; `unit_bytes` of a message or of one part."""

    machine: str
    machine_text: str
    loggp: _LogGP
    operation: str
    num_ranks: int
    unit_bytes: int

    @property
    def num_bytes(self) -> int:
        """Return the bytes of the whole result, as the program rounds them."""
        return result_bytes(self.operation, self.unit_bytes, self.num_ranks)


def result_bytes(operation: str, unit_bytes: int, num_ranks: int) -> int:
    """Return the bytes of a whole result."""
    factor = num_ranks if operation in HAS_PARTS else 1
    return real_size(operation, unit_bytes * factor, num_ranks)


def radices(num_ranks: int) -> list[int]:
    """Return the powers of two from 2 that are below the number of ranks, and that number."""
    found = []
    radix = 2
    while radix < num_ranks:
        found.append(radix)
        radix *= 2
    return [*found, num_ranks]


def trees(operation: str, num_ranks: int) -> list[str]:
    """Return k-ary and k-nomial trees of all radices; the flat one is k-ary."""
    return [
        _core.canonical(f"{operation}/{shape}[k={radix}]")
        for shape in SHAPES
        for radix in radices(num_ranks)
        if shape == "k_ary" or radix < num_ranks
    ]


def radix_of(choice: str, num_ranks: int) -> int:
    """Return the radix of a candidate; the flat one has as many as ranks."""
    if choice.partition("/")[2] in {"linear", "flat"}:
        return num_ranks
    return int(choice.partition("k=")[2].rstrip("]") or 2)


def shape_of(choice: str) -> str:
    """Return the class of a candidate."""
    return choice.partition("/")[2].partition("[")[0]


def loggp_us(case: Case, choice: str) -> float:
    """Return LogGP's time: senders one by one in trees, blocks counted in exchanges."""
    shape, radix = shape_of(choice), radix_of(choice, case.num_ranks)
    if shape in SHAPES:
        return _core.loggp_tree_time(
            shape,
            case.loggp,
            case.num_ranks,
            case.unit_bytes,
            radix,
            case.operation in HAS_PARTS,
        )
    return _closed_form(case, radix, is_refined=True)


def published_us(case: Case, choice: str) -> float:
    """Return the closed form as published; k-nomial trees, of which none is printed, as LogGP."""
    shape, radix = shape_of(choice), radix_of(choice, case.num_ranks)
    if shape == "k_nomial":
        return loggp_us(case, choice)
    return _closed_form(case, radix, is_refined=False)


def replay_us(case: Case, choice: str) -> float:
    """Return the replay on the machine, with all that is shared."""
    found = _core.replay(
        choice, case.num_ranks, 0, case.machine_text, "block", float(case.num_bytes)
    )
    return 1e6 * found["seconds"]


def _closed_form(case: Case, radix: int, *, is_refined: bool) -> float:
    return _core.loggp_time(
        case.operation, case.loggp, (case.num_ranks, 1), case.unit_bytes, radix, is_refined
    )


MODELS = {"published": published_us, "LogGP": loggp_us, "replay": replay_us}


def machine_text(declared: Mapping[str, Any], name: str, num_ranks: int) -> str:
    """Return a machine with a node for each rank."""
    machine = declared["machines"][name]
    dims = machine.get("dims", {}).get(str(num_ranks), "")
    text: str = machine["text"].format(nodes=num_ranks, dims=dims)
    return text


def case_of(
    declared: Mapping[str, Any], name: str, operation: str, num_ranks: int, unit_bytes: int
) -> Case:
    """Return a case on a declared machine."""
    latency, overhead, gap, per_byte = declared["machines"][name]["loggp"]
    return Case(
        name,
        machine_text(declared, name, num_ranks),
        (latency, overhead, gap, per_byte),
        operation,
        num_ranks,
        unit_bytes,
    )
