# SPDX-License-Identifier: Apache-2.0
"""Orders to choose from, and what a model says of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.errors import ArgumentError, FormatError
from espalier.io import documents

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from espalier.orders.distances import Distances

# The document in which orders are written (outcome) and read again.
SCHEMA = "espalier-order"
VERSION = 1
STANDARD = "standard"
USUAL = ("standard", "random", "fef", "cao")
NAMES = (*USUAL, "cao_published", "smp", "round_robin", "folded")
CUSTOM = "custom"
# The standard order once more, on a communicator of its own: only measured, see comparison.
CONTROL = "control"
COLLECTIVES = ("scatter", "gather", "bcast")
# Times of a model that differ by less are the same: what is left is the order of additions.
LEAST_GAIN = 1e-9


@dataclass(frozen=True)
class Order:
    """A rank vector with a name: ranks[i] stands at position i."""

    name: str
    ranks: tuple[int, ...]


def make(
    names: Sequence[str], distances: Distances, root: int, seed: int, custom: Path | None = None
) -> list[Order]:
    """Return the orders of these names, the standard one first.

    Raises:
        ArgumentError: there is no such order, or no such root.
        FormatError: the file is no order of these ranks with the root in front.
    """
    unknown = next((name for name in names if name not in NAMES), None)
    if unknown is not None:
        raise ArgumentError(f"expected orders among {', '.join(NAMES)}, got '{unknown}'")
    wanted = dict.fromkeys([STANDARD, *names])
    orders = [Order(name, tuple(_ranks(name, distances, root, seed))) for name in wanted]
    if custom is not None:
        orders.append(Order(CUSTOM, _of_file(custom, distances.num_ranks, root)))
    return orders


def _ranks(name: str, distances: Distances, root: int, seed: int) -> list[int]:
    rtt, groups = distances.rtt, distances.group_of_rank
    channels = distances.channels.across
    if name == STANDARD:
        return _core.standard_order(distances.num_ranks, root)
    if name == "random":
        return _core.random_order(distances.num_ranks, root, seed)
    if name == "fef":
        return _core.fastest_edge_first(rtt, root)
    if name == "cao":
        return _core.channel_aware(rtt, groups, channels, distances.channels.inside, root)
    if name == "cao_published":
        return _core.channel_aware_as_published(rtt, channels, root)
    return _rooted(_core.node_order(name, groups), root)


def _rooted(ranks: list[int], root: int) -> list[int]:
    """Return an order of groups turned so that it begins with the root."""
    start = ranks.index(root) if root in ranks else 0
    return ranks[start:] + ranks[:start]


def _of_file(path: Path, num_ranks: int, root: int) -> tuple[int, ...]:
    """Return the order in an `espalier-order` document, or in a text of rank numbers."""
    text = documents.read_text(path)
    if text.lstrip().startswith("{"):
        document = documents.parse(text, str(path), SCHEMA, VERSION)
        found = [int(rank) for rank in document["best"]["ranks"]]
    else:
        words = [word for word in re.split(r"[\s,\[\]]+", text) if word]
        if not all(word.isdecimal() for word in words):
            raise FormatError(f"{path}: expected rank numbers, got '{text[:40].strip()}'")
        found = [int(word) for word in words]
    # What the compiled module takes is not as large as numbers in files may be.
    beyond = next((rank for rank in found if rank >= num_ranks), None)
    if beyond is not None:
        raise FormatError(f"{path}: expected ranks below {num_ranks}, got {beyond}")
    complaint = _core.order_refuses(found, num_ranks)
    if not complaint and found[0] != root:
        complaint = f"expected the root {root} in front, got {found[0]}"
    if complaint:
        raise FormatError(f"{path}: {complaint}")
    return tuple(found)


def model(
    orders: Sequence[Order], distances: Distances, collective: str, num_bytes: int
) -> dict[str, Any]:
    """Return modelled times of a binomial tree, of each step and in all.

    Args:
        orders: the first one is what others are compared with.
        distances: between the ranks.
        collective: scatter, gather or bcast.
        num_bytes: a rank's part, or the message of a bcast.
    """
    times: list[dict[str, Any]] = []
    for order in orders:
        found = _core.tree_times(
            distances.times(num_bytes),
            order.ranks,
            distances.group_of_rank,
            distances.channels.across,
            distances.channels.inside,
            collective == "bcast",
        )
        steps = found["steps"][::-1] if collective == "gather" else found["steps"]
        total = found["completion"]
        times.append({"order": order.name, "steps": steps, "sum": sum(steps), "total": total})
    for entry in times:
        entry["ratio"] = times[0]["total"] / entry["total"] if entry["total"] else 1.0
    return {
        "collective": collective,
        "bytes": num_bytes,
        "unit": distances.unit,
        "times": times,
        "best": _best(times),
    }


def _best(times: Sequence[dict[str, Any]]) -> str:
    best = times[0]
    for entry in times[1:]:
        if entry["total"] < best["total"] * (1 - LEAST_GAIN):
            best = entry
    return str(best["order"])
