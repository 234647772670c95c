# SPDX-License-Identifier: Apache-2.0
"""Which ranks are on one node: what they say of themselves, or what round trips show.

Groups that can share memory are trusted when there are several with several ranks, and host names
when memory is nowhere shared. When neither tells ranks apart (one group, or one rank each, as in
containers), groups in the round trips are taken for nodes if crossing them takes much longer. But
ranks of one name that can share memory under one operating system are one node, whatever the round
trips say: on a crowded node they tell who waited for whose processor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from espalier.base.ranges import ranks_text
from espalier.conditions.cautions import Caution
from espalier.probing import groups
from espalier.probing.matrix import between, completed_if_enough

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from espalier.probing.matrix import Matrix, Times
    from espalier.probing.samples import Header
    from espalier.probing.splits import Group, Split

# How many times longer a crossing takes between nodes at least, and if all ranks say that they
# share the memory of one host.
_RATIO = 2.0
_RATIO_SHARED = 5.0


@dataclass(frozen=True)
class Nodes:
    """The node of each rank, counted as they first occur, and how that is known."""

    of_rank: tuple[int, ...]
    evidence: tuple[str, ...]
    cautions: tuple[Caution, ...] = ()
    splits: tuple[Split, ...] = ()

    @property
    def members(self) -> list[tuple[int, ...]]:
        """Return the ranks of each node."""
        return members_of(self.of_rank)


def numbered(labels: Iterable[Hashable]) -> tuple[int, ...]:
    """Return labels as numbers from 0, in the order in which they first occur."""
    numbers: dict[Hashable, int] = {}
    return tuple(numbers.setdefault(label, len(numbers)) for label in labels)


def members_of(object_of_rank: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the ranks of each object."""
    members: list[list[int]] = [[] for _ in range(max(object_of_rank) + 1)]
    for rank, number in enumerate(object_of_rank):
        members[number].append(rank)
    return list(map(tuple, members))


def find(header: Header, matrix: Matrix) -> Nodes:
    """Return the nodes of a job."""
    said = _as_said(header)
    if said is not None:
        return said
    shared = numbered(rank.node for rank in header.ranks)
    plain = Nodes(shared, (_plain_text(header, shared),))
    if matrix.is_empty or header.num_ranks < 3:
        return plain
    times = completed_if_enough(matrix.fastest_us)
    if times is None:
        text = "too few pairs were measured to look for groups that could be nodes"
        return replace(plain, evidence=(*plain.evidence, text))
    return _as_measured(header, times) or plain


def _as_said(header: Header) -> Nodes | None:
    """Return what the ranks say, None if that leaves open whether they are on one node."""
    shared = numbered(rank.node for rank in header.ranks)
    hosts = numbered(rank.host for rank in header.ranks)
    num_shared, num_hosts = max(shared) + 1, max(hosts) + 1
    p = header.num_ranks
    if 1 < num_shared < p:
        text = f"{num_shared} nodes: groups of ranks that can share memory, as MPI says"
        return Nodes(shared, (text,), _name_cautions(shared, hosts))
    if num_shared == p and 1 < num_hosts < p:
        caution = Caution(
            "no-shared-memory",
            f"{num_hosts} host names for {p} ranks, but no two ranks can share memory",
            "let the containers of a host share /dev/shm and the process namespace",
        )
        return Nodes(hosts, (f"{num_hosts} nodes: host names",), (caution,))
    if num_shared == num_hosts == 1 < p and _have_one_kernel(header):
        return Nodes(shared, (_plain_text(header, shared) + "; one operating system runs them",))
    return None


def _have_one_kernel(header: Header) -> bool:
    kernels = {rank.kernel for rank in header.ranks}
    return len(kernels) == 1 and kernels != {""}


def _name_cautions(shared: tuple[int, ...], hosts: tuple[int, ...]) -> tuple[Caution, ...]:
    # Several names on one node are containers; one name on several nodes misleads.
    if len(set(zip(shared, hosts, strict=True))) == len(set(hosts)):
        return ()
    return (
        Caution(
            "names-contradict",
            f"{len(set(hosts))} host names, but {len(set(shared))} groups of ranks that share"
            " memory; the groups are taken for nodes",
            "give each node a host name of its own; some MPIs place ranks by it",
        ),
    )


def _plain_text(header: Header, shared: tuple[int, ...]) -> str:
    if header.num_ranks == 1:
        return "one rank only: there is nobody to exchange messages with"
    if max(shared) == 0:
        return "one node: all ranks can share memory, as MPI says"
    return f"{header.num_ranks} nodes of one rank: no two ranks can share memory, as MPI says"


def _as_measured(header: Header, times: Times) -> Nodes | None:
    """Return groups in the round trips whose crossing takes so long that they are nodes."""
    tree = groups.find(times, allow_single=True)
    depths = range(tree.depth)
    ratios = [float(np.median([s.ratio for s in tree.splits_at(depth)])) for depth in depths]
    # Switches make less difference than nodes do, so the outermost large one is that of nodes.
    least = _least_ratio(header)
    for depth, ratio in enumerate(ratios):
        if ratio >= least:
            return _nodes_at(tree, depth, ratio, header)
    return None


def _least_ratio(header: Header) -> float:
    hosts = {rank.host for rank in header.ranks}
    is_one = len({rank.node for rank in header.ranks}) == len(hosts) == 1
    return _RATIO_SHARED if is_one and hosts != {""} else _RATIO


def _nodes_at(tree: Group, depth: int, ratio: float, header: Header) -> Nodes:
    of_rank = labels(tree.at_depth(depth + 1), header.num_ranks)
    num_nodes = max(of_rank) + 1
    text = (
        f"{num_nodes} nodes: groups of ranks in the round trips, {ratio:.1f} times longer between"
        " than inside; names say nothing"
    )
    caution = Caution(
        "nameless",
        f"neither host names nor shared memory tell which ranks are on one node; {num_nodes} groups"
        " were found in the round trips instead, the first "
        + ranks_text([rank for rank, node in enumerate(of_rank) if node == 0]),
        "check the groups; start ranks so that nodes have names, or that ranks of a node share"
        " memory",
    )
    return Nodes(of_rank, (text,), (caution,), tuple(tree.splits_at(depth)))


def labels(found: Iterable[Group], num_ranks: int) -> tuple[int, ...]:
    """Return the number of the group of each rank, counted as they first occur."""
    of_rank = [0] * num_ranks
    for number, group in enumerate(found):
        for rank in group.members:
            of_rank[rank] = number
    return numbered(of_rank)


def contradictions(nodes: Nodes, matrix: Matrix) -> list[Caution]:
    """Return where round trips deny what is taken for nodes."""
    fastest = matrix.fastest_us
    same = np.equal.outer(nodes.of_rank, nodes.of_rank)
    across = _median(fastest[~same])
    found = []
    for number, members in enumerate(nodes.members):
        inside = _median(fastest[np.ix_(members, members)])
        if inside > 0.9 * across:
            found.append(
                Caution(
                    "names-contradict",
                    f"{ranks_text(list(members))} are said to be on node {number}, but a round trip"
                    f" there takes {inside:.3g} us, between nodes {across:.3g} us",
                    "check that shared memory is used inside nodes, and that no processor runs two"
                    " ranks",
                )
            )
    return found + _too_near(nodes, fastest)


def _too_near(nodes: Nodes, fastest: Times) -> list[Caution]:
    members = nodes.members
    inside = [_median(fastest[np.ix_(own, own)]) for own in members]
    if len(members) < 2 or all(map(math.isnan, inside)):
        return []
    typical = float(np.nanmedian(inside))
    times = between(fastest, nodes.of_rank)
    near = np.argwhere(np.tril(times < 1.1 * typical, -1))
    if not len(near):
        return []
    first, second = near[0].tolist()
    return [
        Caution(
            "names-contradict",
            f"{len(near)} pairs of nodes are as near as ranks of one node ({typical:.3g} us), the"
            f" first {second} and {first}",
            "they may be one machine under several names; let its ranks share memory",
        )
    ]


def _median(values: Times) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else math.nan
