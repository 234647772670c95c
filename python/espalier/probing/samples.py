# SPDX-License-Identifier: Apache-2.0
"""What espalier-probe-<vendor> writes: a header, one JSON line for each finished set, an end."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from espalier.errors import FormatError
from espalier.io import documents

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SCHEMA = "espalier-probe-samples"
VERSION = 1

Test = Literal[
    "latency",
    "bandwidth",
    "bidirectional",
    "send_overhead",
    "receive_overhead",
    "message_rate",
]
Pair = tuple[int, int]
"""Sender and receiver."""


@dataclass(frozen=True)
class RankFacts:
    """Where a rank says it runs.

    `node` numbers the groups of ranks that can share memory, as MPI sees them. `bound` is true if
    the rank may use fewer processors than the `online` ones of its node.
    """

    rank: int
    host: str
    node: int
    cpus: str
    bound: bool
    online: int
    environment: Mapping[str, str] = field(default_factory=dict)
    kernel: str = ""  # tells the running operating system from others, if known


@dataclass(frozen=True)
class Header:
    """The job that was measured."""

    num_ranks: int
    vendor: str
    version: str
    clock_resolution_us: float
    is_simulated: bool
    ranks: tuple[RankFacts, ...]
    cores: dict[str, float] | None = None  # bytes per second a core combines and copies
    job: dict[str, Any] | None = None  # espalier-job-view

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Header:
        """Return the header a JSON line holds."""
        ranks = tuple(
            RankFacts(
                rank=int(rank["rank"]),
                host=str(rank["host"]),
                node=int(rank["node"]),
                cpus=str(rank["cpus"]),
                bound=bool(rank["bound"]),
                online=int(rank["online"]),
                environment=dict(rank.get("environment", {})),
                kernel=str(rank.get("kernel", "")),
            )
            for rank in value["ranks"]
        )
        if [rank.rank for rank in ranks] != list(range(value["num_ranks"])):
            raise ValueError(f"num_ranks is {value['num_ranks']}, ranks has {len(ranks)} entries")
        return cls(
            num_ranks=int(value["num_ranks"]),
            vendor=str(value["mpi"]["vendor"]),
            version=str(value["mpi"]["version"]),
            clock_resolution_us=float(value["clock_resolution_us"]),
            is_simulated=bool(value["is_simulated"]),
            ranks=ranks,
            cores=dict(value["cores"]) if value.get("cores") else None,
            job=dict(value["job"]) if value.get("job") else None,
        )


@dataclass(frozen=True)
class Result:
    """One test of the pairs that were active at the same time, with one size.

    Times are in microseconds, one for each pair: a round trip (latency), the whole time of all
    messages and the short reply (bandwidth, bidirectional, message_rate), or the time inside one
    call (send_overhead, receive_overhead). `low_us` and `high_us` are the 95 % interval of the
    mean; `slowest_median_us` is of the slowest pair of each repetition.
    """

    test: Test
    label: str
    pairs: tuple[Pair, ...]
    bytes: int
    messages: int
    repetitions: int
    converged: bool
    mean_us: tuple[float, ...]
    sd_us: tuple[float, ...]
    median_us: tuple[float, ...]
    low_us: tuple[float, ...]
    high_us: tuple[float, ...]
    slowest_mean_us: float
    slowest_sd_us: float
    slowest_median_us: float
    test_index: int = 0
    set_index: int = 0
    min_us: tuple[float, ...] = ()

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Result:
        """Return the result a JSON line holds."""
        pairs = tuple((int(pair[0]), int(pair[1])) for pair in value["pairs"])
        times = {
            name: tuple(map(float, value[name]))
            for name in ("mean_us", "sd_us", "median_us", "low_us", "high_us", "min_us")
        }
        if not pairs or {len(of_pairs) for of_pairs in times.values()} != {len(pairs)}:
            raise ValueError("a result needs one time for each of its pairs")
        return cls(
            test=value["test"],
            label=str(value["label"]),
            pairs=pairs,
            bytes=int(value["bytes"]),
            messages=int(value["messages"]),
            repetitions=int(value["repetitions"]),
            converged=bool(value["converged"]),
            slowest_mean_us=float(value["slowest"]["mean_us"]),
            slowest_sd_us=float(value["slowest"]["sd_us"]),
            slowest_median_us=float(value["slowest"]["median_us"]),
            test_index=int(value["test_index"]),
            set_index=int(value["set_index"]),
            **times,
        )


@dataclass(frozen=True)
class Samples:
    """All that one launch of the probe wrote; not complete if ended, or short of time."""

    header: Header
    results: tuple[Result, ...] = ()
    complete: bool = True
    sets_left: int = 0

    @property
    def is_interrupted(self) -> bool:
        """Return whether the probe was ended, and not only short of time for some sets."""
        return not self.complete and self.sets_left == 0

    def of_test(self, test: Test) -> Iterator[Result]:
        """Yield the results of one test, in the order of measuring."""
        return (result for result in self.results if result.test == test)


def read(path: Path) -> Samples:
    """Return what a file of samples holds.

    A last line that was cut off is left out, and the samples are not complete.

    Raises:
        FileError: the file cannot be read.
        FormatError: a line is not what it should be, or there is no header.
    """
    return parse(documents.read_text(path), str(path))


def parse(text: str, origin: str) -> Samples:
    """Return the samples in a text of JSON lines."""
    header: Header | None = None
    end: dict[str, Any] = {"complete": False, "sets_left": 0}
    results: list[Result] = []
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        if not line.endswith("\n"):
            break
        try:
            value = json.loads(line)
            if value["kind"] == "header":
                header = _header(value, origin)
            elif value["kind"] == "result":
                results.append(_result(value, header))
            elif value["kind"] == "end":
                end = value
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise FormatError(
                f"{origin}: expected a line of {SCHEMA} in line {number}, got"
                f" '{line.strip()[:60]}' ({error})"
            ) from error
    if header is None:
        raise FormatError(
            f"{origin}: expected a header of {SCHEMA}, got none",
            "the probe ended before it measured anything; run it again",
        )
    return Samples(header, tuple(results), bool(end["complete"]), int(end["sets_left"]))


def _header(value: dict[str, Any], origin: str) -> Header:
    if value["schema"] != SCHEMA or value["version"] > VERSION:
        raise FormatError(
            f"{origin}: expected {SCHEMA} of version {VERSION} at most, got {value['schema']}"
            f" {value['version']}",
            "build espalier-probe and the command line from one checkout",
        )
    return Header.of(value)


def _result(value: dict[str, Any], header: Header | None) -> Result:
    if header is None:
        raise ValueError("a result before the header")
    result = Result.of(value)
    for rank in (rank for pair in result.pairs for rank in pair):
        if not 0 <= rank < header.num_ranks:
            raise ValueError(f"rank {rank} of {header.num_ranks}")
    return result
