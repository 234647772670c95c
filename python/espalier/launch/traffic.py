# SPDX-License-Identifier: Apache-2.0
"""What a program sent: the files that its ranks left in ESPALIER_TRAFFIC."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.errors import FormatError
from espalier.io import documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

schema = "espalier-traffic"
version = 1
_NAMES = "traffic-*.json"


@dataclass(frozen=True)
class Traffic:
    """Bytes between ranks of MPI_COMM_WORLD, and the host on which each of them ran.

    `sent` has the bytes from the first rank of a pair to the second; pairs without any are absent,
    and so is what ranks send to themselves. `num_messages` is how many they are.
    """

    origin: str
    hosts: tuple[str, ...]
    sent: Mapping[tuple[int, int], int]
    num_messages: int

    @property
    def num_ranks(self) -> int:
        """Return how many ranks the program had."""
        return len(self.hosts)

    @property
    def nodes(self) -> list[str]:
        """Return the names of the hosts, in the order of their first ranks."""
        return list(dict.fromkeys(self.hosts))

    @property
    def node_of_rank(self) -> list[int]:
        """Return the number of each rank's host in `nodes`."""
        numbers = {name: number for number, name in enumerate(self.nodes)}
        return [numbers[host] for host in self.hosts]

    def leaving(self, node_of_rank: Sequence[int]) -> dict[int, int]:
        """Return the bytes that leave each node if ranks ran so."""
        of_node = dict.fromkeys(node_of_rank, 0)
        for (sender, receiver), size in self.sent.items():
            if node_of_rank[sender] != node_of_rank[receiver]:
                of_node[node_of_rank[sender]] += size
        return of_node

    def bytes_between(self, node_of_rank: Sequence[int]) -> int:
        """Return the bytes between nodes if ranks ran so."""
        return sum(self.leaving(node_of_rank).values())


def clear(folder: Path) -> None:
    """Remove what an earlier run left."""
    for old in folder.glob(_NAMES):
        old.unlink()


def read(folder: Path) -> Traffic:
    """Return what the ranks of a run sent.

    Raises:
        FormatError: a file is missing, or is not what it should be.
    """
    paths = sorted(folder.glob(_NAMES))
    if not paths:
        raise FormatError(
            f"{folder}: expected files traffic-0.json, traffic-1.json, ..., found none",
            "count with: espalier run --traffic FOLDER -- mpirun ...",
        )
    ranks = {int(one["rank"]): one for one in (_document(path) for path in paths)}
    num_ranks = max(rank["num_ranks"] for rank in ranks.values())
    missing = [str(rank) for rank in range(num_ranks) if rank not in ranks]
    if missing or len(ranks) != num_ranks:
        raise FormatError(
            f"{folder}: expected a file of each of {num_ranks} ranks, found none of"
            f" {', '.join(missing[:8]) or 'one job alone'}",
            "ranks leave none if they are killed, or do not see the folder; let the program end,"
            " and use an empty folder that all hosts see",
        )
    return _of_ranks(str(folder), [ranks[rank] for rank in range(num_ranks)])


def _document(path: Path) -> dict[str, Any]:
    return documents.read(path, schema, version)


def _of_ranks(origin: str, ranks: Iterable[dict[str, Any]]) -> Traffic:
    sent: dict[tuple[int, int], int] = defaultdict(int)
    hosts = []
    num_messages = 0
    for rank in ranks:
        hosts.append(str(rank["host"]))
        own = int(rank["rank"])
        rows = [(own, other, *counted) for other, *counted in rank["sent"]]
        rows += [(other, own, *counted) for other, *counted in rank["fetched"]]
        for sender, receiver, messages, size in rows:
            if sender != receiver:
                sent[sender, receiver] += size
                num_messages += messages
    return Traffic(origin, tuple(hosts), dict(sent), num_messages)
