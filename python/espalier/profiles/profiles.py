# SPDX-License-Identifier: Apache-2.0
"""Reading profiles, and what they choose for a call."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.base import calls
from espalier.errors import FormatError
from espalier.io import documents
from espalier.io.console import json_text
from espalier.io.names import printable
from espalier.io.output_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from espalier._core import Decision

schema = "espalier-profile"
version = 1


@dataclasses.dataclass(frozen=True)
class Shape:
    """A communicator of so many ranks on so many nodes.

    How its ranks lie on these is `block`, `cyclic` or `other`; empty if it does not matter. Rules
    for neighborhood collectives are also for a topology (`grid`, `graph` or `disconnected`) whose
    ranks have at most so many neighbours, a power of two; others for none.
    """

    num_ranks: int
    num_nodes: int
    placement: str = ""
    topology: str = ""
    max_neighbors: int = 0

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Shape:
        """Return the shape that a rule, or an entry of another document, is about."""
        return cls(
            entry["num_ranks"],
            entry["num_nodes"],
            entry.get("placement", ""),
            entry.get("topology", ""),
            entry.get("max_neighbors", 0),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the members of rules and of other documents."""
        placed = {"placement": self.placement} if self.placement else {}
        topology = {"topology": self.topology, "max_neighbors": self.max_neighbors}
        return {
            "num_ranks": self.num_ranks,
            "num_nodes": self.num_nodes,
            **placed,
            **(topology if self.topology else {}),
        }

    def covers(self, needed: Shape) -> bool:
        """Return whether rules for this shape were made for such a communicator."""
        is_alike = "" in (self.placement, needed.placement) or self.placement == needed.placement
        return self.numbers == needed.numbers and is_alike and self.around == needed.around

    @property
    def numbers(self) -> tuple[int, int]:
        """Return ranks and nodes."""
        return self.num_ranks, self.num_nodes

    @property
    def around(self) -> tuple[str, int]:
        """Return the topology and its largest number of neighbours."""
        return self.topology, self.max_neighbors

    @property
    def order(self) -> tuple[int, int, str, str, int]:
        """Return the key by which shapes are sorted."""
        return *self.numbers, self.placement, *self.around

    def text(self) -> str:
        """Return `8 ranks on 2 nodes`, or `8 ranks on 2 nodes (cyclic)`, or with a topology."""
        ranks = "rank" if self.num_ranks == 1 else "ranks"
        nodes = "node" if self.num_nodes == 1 else "nodes"
        placed = f" ({self.placement})" if self.placement else ""
        near = neighbors_text(self.to_json())
        return f"{self.num_ranks} {ranks} on {self.num_nodes} {nodes}{placed}{near}"


def neighbors_text(entry: Mapping[str, Any]) -> str:
    """Return `, grid of up to 4 neighbours` for what has a topology, else nothing."""
    if not entry.get("topology"):
        return ""
    most = entry["max_neighbors"]
    return f", {entry['topology']} of up to {most} neighbour{'s' if most != 1 else ''}"


# What rules are decided for: a call and a shape.
Part = tuple[str, Shape]


@dataclasses.dataclass(frozen=True)
class Profile:
    """A profile file: its text, and the document in it."""

    path: Path
    text: str
    document: dict[str, Any]

    @property
    def rules(self) -> list[dict[str, Any]]:
        """Return the rules as they stand in the file."""
        rules: list[dict[str, Any]] = self.document["rules"]
        return rules

    def shapes(self, call: str) -> list[Shape]:
        """Return the shapes of rules that a call may follow, in order of the file."""
        shapes = [Shape.of(rule) for rule in self.rules if is_for(rule, call)]
        return list(dict.fromkeys(shapes))

    def decide(self, call: str, shape: Shape, sizes: list[int]) -> list[Decision]:
        """Return what a preloaded program would do for results of these sizes."""
        return _core.decide(self.text, call, *shape.numbers, sizes, shape.placement, *shape.around)

    def decisions(self, call: str, shape: Shape) -> Iterator[tuple[int, int | None, Decision]]:
        """Yield first and last size (None: no limit) and decision, rising, all sizes covered."""
        starts = starts_of(rule for rule in self.rules if is_for(rule, call))
        decisions = self.decide(call, shape, starts)
        first = 0
        for position, decision in enumerate(decisions):
            is_last = position + 1 == len(decisions)
            if is_last:
                yield first, None, decision
            elif decisions[position + 1] != decision:
                yield first, starts[position + 1] - 1, decision
                first = starts[position + 1]


def is_for(rule: Mapping[str, Any], call: str) -> bool:
    """Return whether a call may follow a rule, which may be for another form of it."""
    return rule["collective"] in calls.followed(call)


def starts_of(rules: Iterable[Mapping[str, Any]]) -> list[int]:
    """Return the sizes, rising from 0, between which no rule begins or ends."""
    starts = {0}
    for rule in rules:
        starts.add(rule["min_bytes"])
        if rule["max_bytes"] is not None:
            starts.add(rule["max_bytes"] + 1)
    return sorted(starts)


def intervals_of(rules: Iterable[Mapping[str, Any]]) -> list[tuple[int, int | None]]:
    """Return first and last size (None: no limit) of each part that no rule divides."""
    starts = starts_of(rules)
    return [*((first, end - 1) for first, end in pairwise(starts)), (starts[-1], None)]


def covering(rules: Iterable[Mapping[str, Any]], size: int) -> Mapping[str, Any] | None:
    """Return the rule that covers a size, None if there is none."""
    for rule in rules:
        last = rule["max_bytes"]
        if rule["min_bytes"] <= size and (last is None or size <= last):
            return rule
    return None


def write(
    path: Path, document: dict[str, Any], advice: str, permissions: int | None = None
) -> None:
    """Write a profile that read() takes; what stood there stays if this one is not right.

    Args:
        path: The file.
        document: The whole profile.
        advice: What to do if the file cannot be written.
        permissions: Of the file; None: those that it has.

    Raises:
        FileError: it cannot be written.
        FormatError: programs would not take it.
    """
    text = json_text(document)
    _core.check_profile(text, printable(path))
    write_whole(path, text, "profile", advice, permissions)


def part_of(rule: Mapping[str, Any]) -> Part:
    """Return what a rule was decided for."""
    return rule["collective"], Shape.of(rule)


def read(path: Path) -> Profile:
    """Read a profile; complaints are those that a preloaded program would print."""
    text = documents.read_text(path)
    _core.check_profile(text, printable(path))
    found = documents.parse(text, str(path), schema, version)
    for complaint in wrong_runs(found):
        raise FormatError(f"{path}: {complaint}")
    return Profile(path, text, found)


def run_of(profile: Mapping[str, Any], rule: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return when, where and how a rule of a profile was found: its run, or the profile itself."""
    found: Mapping[str, Any] = profile["runs"][rule["run"]] if "run" in rule else profile
    return found


def wrong_runs(profile: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the runs that rules say to be from."""
    num_runs = len(profile.get("runs", ()))
    for position, rule in enumerate(profile["rules"]):
        if rule.get("run", -1) >= num_runs:
            yield (
                f"rules[{position}].run: expected the position of one of {num_runs} runs,"
                f" got {rule['run']}"
            )
