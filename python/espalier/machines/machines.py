# SPDX-License-Identifier: Apache-2.0
"""Machines as short texts and as files, and where ranks lie on them.

What a user gives as a machine is a text such as `8n x 2s x 12c`, or the path of a machine file
(schema `espalier-machine`). docs/explanation/machine.md has the grammar.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.errors import ArgumentError, UnsupportedError
from espalier.io import documents
from espalier.io.names import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from espalier._core import Placement

schema = "espalier-machine"
version = 1
placements = ("block", "cyclic", "cyclic:2", "folded")
_KINDS = ("block", "cyclic", "folded", "list:")


@dataclasses.dataclass(frozen=True)
class Link:
    """What messages of a level cost; None is without limit. See espalier/machine/link.hpp."""

    latency_us: float = 0.0
    overhead_send_us: float = 0.0
    overhead_receive_us: float = 0.0
    gap_us: float = 0.0
    bandwidth_bytes_per_s: float | None = None
    channels: float | None = None
    shared_channels: float | None = None
    full_duplex: bool = True
    eager_bytes: int | None = None
    rendezvous_latency_us: float = 0.0

    @property
    def alpha_us(self) -> float:
        """Return the start-up time of Hockney's model."""
        return self.latency_us + self.overhead_send_us + self.overhead_receive_us

    @property
    def is_known(self) -> bool:
        """Return whether anything is said of the link."""
        return self != Link()


@dataclasses.dataclass(frozen=True)
class Level:
    """A level of a machine: for each object of the level above how many of this one it has."""

    name: str
    counts: tuple[int, ...]
    num_objects: int
    link: Link


@dataclasses.dataclass(frozen=True)
class Machine:
    """A machine: what it is called, the contents of its file, and these as a document."""

    name: str
    text: str
    document: dict[str, Any]

    @property
    def short_text(self) -> str:
        """Return the shortest text that means this machine."""
        return _core.machine_text(self.text, self.name)

    @property
    def levels(self) -> list[Level]:
        """Return the levels, outermost first."""
        levels: list[Level] = []
        for level in self.document["levels"]:
            above = levels[-1].num_objects if levels else 1
            counts = tuple(level["counts"])
            total = sum(counts) * (above if len(counts) == 1 else 1)
            levels.append(Level(level["name"], counts, total, Link(**level.get("link", {}))))
        return levels

    @property
    def num_cores(self) -> int:
        """Return how many ranks can have a core of their own."""
        return self.levels[-1].num_objects

    @property
    def core_of_rank(self) -> list[int]:
        """Return where the ranks of a job ran; empty if the file does not say it."""
        cores: list[int] = self.document.get("core_of_rank", [])
        return cores

    def names(self, level: str) -> list[str]:
        """Return the names of the objects of a level; empty if the file does not say them."""
        names: list[str] = self.document.get("object_names", {}).get(level, [])
        return names

    def place(self, placement: str | None, num_ranks: int) -> Placement:
        """Return where ranks lie; see setting()."""
        return _core.place(self.text, *setting(self, placement, num_ranks))


def parse(text: str, name: str = "machine") -> Machine:
    """Return the machine of a text or of the contents of a machine file.

    Raises:
        ArgumentError: for a text that is wrong.
        FormatError: for a file that is wrong.
    """
    text, name = printable(text), printable(name)
    contents = _core.machine_json(text, name)
    return Machine(name, contents, documents.parse(contents, name, schema, version))


def load(what: str) -> Machine:
    """Return the machine of a text, or of the machine file with this path."""
    is_path = what.endswith(".json") or "/" in what.partition("[")[0]
    if is_path or documents.is_file(what):
        return parse(documents.read_text(Path(what)), what)
    machine = parse(what, what)
    return with_origin(machine, {"found_by": "text", "text": what})


def of_document(document: Mapping[str, Any], name: str = "machine") -> Machine:
    """Return the machine of a document; complaints name it."""
    return parse(json.dumps(document, allow_nan=False), name)


def with_origin(machine: Machine, origin: Mapping[str, Any]) -> Machine:
    """Return the machine with facts on how it was found instead of those it had."""
    return of_document({**machine.document, "origin": dict(origin)}, machine.name)


def check_simulated(machine: Machine) -> None:
    """Raise UnsupportedError unless the simulator can be this machine.

    Better to know before programs are compiled, candidates are chosen, or other machines simulated.
    """
    try:
        _core.check_simulated(machine.text, machine.name)
    except UnsupportedError as error:
        raise UnsupportedError(
            f"{machine.name}: {error.text}",
            "give all levels the same overhead and eager, and neither gap nor rendezvous;"
            " 'espalier model profile' takes the machine as it is",
        ) from error


def setting(machine: Machine, placement: str | None, num_ranks: int | None) -> tuple[str, int]:
    """Return placement and number of ranks as the compiled module takes them.

    A placement is a kind, `list:` of cores, or the path of a file with the core of a rank in each
    line. Without one it is that of the job in the machine file if it had as many ranks, else block;
    without a number there are as many ranks as the list or that job has, else one for each core.
    """
    if placement is None:
        num_ranks = num_ranks or len(machine.core_of_rank) or machine.num_cores
        return _usual_placement(machine, num_ranks), num_ranks
    if not placement.startswith(_KINDS) and documents.is_file(placement):
        placement = _list_text(_read_cores(Path(placement)))
    if num_ranks is None:
        is_list = placement.startswith("list:")
        num_ranks = placement.count(",") + 1 if is_list else machine.num_cores
    return printable(placement), num_ranks


def _usual_placement(machine: Machine, num_ranks: int) -> str:
    if len(machine.core_of_rank) == num_ranks:
        return _list_text(machine.core_of_rank)
    return "block"


def _list_text(cores: Sequence[int]) -> str:
    return "list:" + ",".join(map(str, cores))


def _read_cores(path: Path) -> list[int]:
    cores = []
    for number, line in enumerate(documents.read_text(path).splitlines(), start=1):
        text = line.partition("#")[0].strip()
        if text and not (text.isascii() and text.isdigit()):
            raise ArgumentError(
                f"{path}: expected the number of a core in line {number}, got '{text}'"
            )
        if text:
            cores.append(int(text))
    return cores


def node_level(machine: Machine) -> int:
    """Return the number of the level of nodes; the first if none is called so."""
    names = [level.name for level in machine.levels]
    return names.index("node") if "node" in names else 0


def nodes_of_ranks(placement: Placement) -> list[int]:
    """Return the node of each rank."""
    return placement["levels"][placement["node_level"]]["object_of_rank"]


def cores_of_nodes(machine: Machine) -> list[int]:
    """Return how many cores each node has."""
    level = node_level(machine)
    cores = [1] * machine.num_cores
    for inner in reversed(machine.levels[level + 1 :]):
        counts = inner.counts
        if len(counts) == 1:
            counts *= inner.num_objects // counts[0]
        ends = list(itertools.accumulate(counts))
        cores = [sum(cores[end - count : end]) for end, count in zip(ends, counts, strict=True)]
    return cores


def job_placement(machine: Machine) -> str | None:
    """Return the kind of placement of the job in a machine file; None if there is none."""
    if not machine.core_of_rank:
        return None
    placed = machine.place(None, len(machine.core_of_rank))
    return _core.recognise(nodes_of_ranks(placed), cores_of_nodes(machine))["placement"]


def cautions(machine: Machine) -> list[str]:
    """Return what is odd about a machine, each with what it means for results."""
    found = [*_unknown_links(machine), *_faster_outside(machine), *_names(machine)]
    origin = machine.document["origin"]
    if origin.get("is_simulated"):
        found.append("costs were measured on a simulated machine")
    return found + [str(text) for text in origin.get("warnings", [])]


def _unknown_links(machine: Machine) -> list[str]:
    above = [1, *(level.num_objects for level in machine.levels[:-1])]
    crossed = [
        level
        for level, num_above in zip(machine.levels, above, strict=True)
        if level.num_objects > num_above
    ]
    unknown = [level.name for level in crossed if not level.link.is_known]
    if not unknown:
        return []
    if len(unknown) == len(crossed):
        text = "what messages cost is not known, so times cannot be predicted"
        return [f"{text}; 'espalier probe' measures it"]
    return [f"nothing is known of messages of level {', '.join(unknown)}: they cost no time"]


def cautions_of_models(machine: Machine) -> list[str]:
    """Return what makes predictions for a machine doubtful, beside what is odd about it."""
    free = [
        level.name
        for level in machine.levels
        if level.link.is_known and level.link.overhead_send_us + level.link.gap_us == 0
    ]
    if not free:
        return []
    names = ", ".join(free)
    return [
        f"messages of level {names} cost their sender nothing: ranks may send any number at once"
    ]


def _faster_outside(machine: Machine) -> list[str]:
    found = []
    for outer, inner in itertools.pairwise(machine.levels):
        if not (outer.link.is_known and inner.link.is_known):
            continue
        if inner.link.alpha_us > outer.link.alpha_us:
            found.append(
                f"a message between objects of level {inner.name} starts more slowly than one of"
                f" level {outer.name} around it: look whether the two were exchanged"
            )
        if _bandwidth(inner.link) < _bandwidth(outer.link):
            found.append(
                f"level {inner.name} has a smaller bandwidth than level {outer.name} around it:"
                " look whether the two were exchanged"
            )
    return found


def _bandwidth(link: Link) -> float:
    return float("inf") if link.bandwidth_bytes_per_s is None else link.bandwidth_bytes_per_s


def _names(machine: Machine) -> list[str]:
    found = []
    for level in machine.levels:
        names = machine.names(level.name)
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            found.append(
                f"several objects of level {level.name} are called '{twice}': results that name it"
                " do not say which"
            )
    return found
