# SPDX-License-Identifier: Apache-2.0
"""Experiments as they are declared: which calls, sizes and places, and what may take how long."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.base.units import parse_bytes_list
from espalier.errors import ArgumentError, FormatError
from espalier.io import documents
from espalier.peers.cells import PlatformCell
from espalier.sampling.candidates import real_size
from espalier.tuning.exact import WIDEST_STEP

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# What SMPI imitates: Open MPI 4.1.2, MPICH 3.3b, MVAPICH2 1.9, Intel MPI.
PEERS = ("ompi", "mpich", "mvapich2", "impi")
# A call for each collective of the catalog.
COLLECTIVES = (
    "allgather",
    "allreduce",
    "alltoall",
    "barrier",
    "bcast",
    "exscan",
    "gather",
    "reduce",
    "reduce_scatter_block",
    "scan",
    "scatter",
)
SIZES = "8,1KiB,16KiB,128KiB,1MiB"
# Real seconds for a message of a linear algorithm whose messages are all under way at once.
_SECONDS_PER_MESSAGE = 10e-6
_SECONDS_PER_CROWDED_MESSAGE = 0.3e-3
_CROWDED_RANKS = 128
_CROWDED = ("alltoall", "exscan", "scan")
# The simulator has one algorithm, a linear one, for all peers.
SAME_FOR_ALL = ("exscan", "scan")


@dataclass(frozen=True)
class Run:
    """Calls and sizes in one place.

    Profiles are tuned at `tuned_sizes`, and between two with different choices until these are at
    most a factor `refined_to` apart. A point that takes more processor time to simulate than
    `seconds_per_point` is given up; a call that would take more than `seconds_per_call` is not
    tried.
    """

    place: PlatformCell
    machine: str
    sizes: Mapping[str, tuple[int, ...]]  # of each call, as asked for
    tuned_sizes: tuple[int, ...] = ()
    tuned_candidates: int = 6
    refined_to: float = WIDEST_STEP
    seconds_per_point: float = 60.0
    seconds_per_call: float = 30.0

    @property
    def num_ranks(self) -> int:
        """Return the number of ranks."""
        return self.place.num_ranks

    def simulated(self) -> list[str]:
        """Return the calls that are not too much to simulate."""
        return [
            name
            for name in self.sizes
            if most_seconds(name, self.num_ranks) <= self.seconds_per_call
        ]

    def tuned_at(self, collective: str) -> tuple[int, ...]:
        """Return where the profile is tuned: up to the largest size of the call, and no further.

        Fewer sizes if the call has fewer here.
        """
        own = self.sizes[collective]
        if len(own) < len(self.tuned_sizes):
            return own
        usual = [size for size in self.tuned_sizes if size < max(own)]
        return (*usual, max(own))

    def tunes_native(self, collective: str) -> bool:
        """Return whether tuning compares with native calls: not where they crowd the simulator."""
        return not _is_crowded(collective, self.num_ranks)

    def points(self, collective: str) -> list[tuple[int, int]]:
        """Return the sizes as asked for, and as the call can have them, each of these once."""
        points: dict[int, int] = {}
        for asked in self.sizes[collective]:
            points.setdefault(real_size(collective, asked, self.num_ranks), asked)
        return [(asked, size) for size, asked in sorted(points.items())]


@dataclass(frozen=True)
class Experiment:
    """Several runs, and whom to compare with."""

    name: str
    runs: tuple[Run, ...]
    peers: tuple[str, ...] = PEERS
    # The MPI below ours: who serves what the profile leaves native.
    under: str = "mpich"
    # No launch begins after this real time; None: no limit.
    seconds: float | None = None

    def only(self, platforms: Sequence[str], collectives: Sequence[str]) -> Experiment:
        """Return the part that is about these; all of them if there are none.

        Raises:
            ArgumentError: nothing is left.
        """
        runs = []
        for run in self.runs:
            sizes = {
                name: values
                for name, values in run.sizes.items()
                if not collectives or name in collectives
            }
            if sizes and (not platforms or run.place.platform in platforms):
                runs.append(dataclasses.replace(run, sizes=sizes))
        if not runs:
            known = dict.fromkeys(run.place.platform for run in self.runs)
            raise ArgumentError(
                f"expected a platform of {', '.join(known)} with these collectives, got none of"
                f" {', '.join([*platforms, *collectives])}"
            )
        return dataclasses.replace(self, runs=tuple(runs))


def check_collectives(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names; `all` means one call for each collective of the catalog.

    Raises:
        ArgumentError: there is no such call.
    """
    if list(names) == ["all"]:
        return COLLECTIVES
    known = _core.calls()
    for name in names:
        if name not in known:
            raise ArgumentError(f"expected a collective of {', '.join(known)}, got '{name}'")
    return tuple(names)


def check_peers(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names.

    Raises:
        ArgumentError: the simulator knows no such MPI.
    """
    for name in names:
        if name not in PEERS:
            raise ArgumentError(f"expected a peer of {', '.join(PEERS)}, got '{name}'")
    return tuple(names)


def read(path: Path) -> Experiment:
    """Return the experiment declared in a file.

    Raises:
        FileError: it, or its list of platforms, cannot be read.
        FormatError: something in it is missing or not what it should be.
    """
    value = _load(path)
    try:
        platforms = _load(path.parent / value["platforms"])["platform"]
        by_name = {platform["name"]: platform for platform in platforms}
        runs = [run for entry in value["run"] for run in _runs(entry, by_name, value)]
        return Experiment(
            name=value["name"],
            runs=tuple(runs),
            peers=check_peers(value.get("peers", PEERS)),
            under=check_peers([value.get("under", "mpich")])[0],
            seconds=value.get("seconds"),
        )
    except KeyError as error:
        raise FormatError(f"{path}: expected an entry {error}, found none") from error
    except (AttributeError, TypeError, ArgumentError) as error:
        raise FormatError(f"{path}: {error}") from error


def _load(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(documents.read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{path}: expected TOML, got {error}") from error


def _runs(
    entry: Mapping[str, Any], platforms: Mapping[str, Any], defaults: Mapping[str, Any]
) -> list[Run]:
    platform = platforms[entry["platform"]]
    settings = {**defaults, **platform, **entry}
    usual, own = settings["sizes"], settings.get("sizes_of", {})
    sizes = {
        name: tuple(parse_bytes_list(own.get(name, usual)))
        for name in check_collectives(settings.get("collectives", COLLECTIVES))
    }
    return [
        Run(
            place=PlatformCell(platform["name"], placement, num_ranks),
            machine=platform["machine"],
            sizes=sizes,
            tuned_sizes=tuple(parse_bytes_list(settings.get("tuned_sizes", settings["sizes"]))),
            tuned_candidates=int(settings.get("tuned_candidates", 6)),
            refined_to=float(settings.get("refined_to", WIDEST_STEP)),
            seconds_per_point=float(settings.get("seconds_per_point", 60)),
            seconds_per_call=float(settings.get("seconds_per_call", 30)),
        )
        for num_ranks in settings["ranks"]
        for placement in settings["placements"]
    ]


def most_messages(collective: str, num_ranks: int) -> int:
    """Return how many messages the wordier algorithms for a call send."""
    kind = _core.collective_of(collective)
    if kind in {"allgather", "alltoall", "exscan", "reduce_scatter", "scan"}:
        return num_ranks * num_ranks
    if kind in {"allreduce", "bcast"}:
        return 2 * num_ranks * max(num_ranks.bit_length(), num_ranks // 8)
    return num_ranks * num_ranks.bit_length()


def most_seconds(collective: str, num_ranks: int) -> float:
    """Return about how long the simulator needs for a call that sends most messages."""
    messages = most_messages(collective, num_ranks)
    is_crowded = _is_crowded(collective, num_ranks)
    return messages * (_SECONDS_PER_CROWDED_MESSAGE if is_crowded else _SECONDS_PER_MESSAGE)


def _is_crowded(collective: str, num_ranks: int) -> bool:
    return num_ranks >= _CROWDED_RANKS and _core.collective_of(collective) in _CROWDED
