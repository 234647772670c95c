# SPDX-License-Identifier: Apache-2.0
"""What is known of an emulated cluster, kept in its folder."""

from __future__ import annotations

import dataclasses
import getpass
import json
import re
import shlex
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from espalier.errors import ArgumentError

_FILE = "cluster.json"
_CLUSTER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")
_RATE = re.compile(r"(\d+(?:\.\d+)?)(?:([kmgt])(i?))?(bit|bps)", re.IGNORECASE)
_PREFIXES = " kmgt"
# In bytes per second. Less than one is nothing to `tc`, and more than its numbers hold as well.
_LEAST_RATE = 1.0
_MOST_RATE = 125e12
_HOSTS_PER_SUBNET = 250


@dataclass(frozen=True)
class ClusterSize:
    """What a cluster is to be.

    Attributes:
        rate: of the interface of each host, each way, as `tc` writes it; None for no limit.
        burst: what passes at memory speed after the interface was idle.
        mtu_bytes: largest packet.
    """

    num_hosts: int
    ranks_per_host: int
    rate: str | None
    burst: str
    mtu_bytes: int

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if not (1 <= self.num_hosts <= _HOSTS_PER_SUBNET and self.ranks_per_host >= 1):
            raise ArgumentError(
                f"expected 1 to {_HOSTS_PER_SUBNET} hosts with at least 1 rank each, "
                f"got {self.num_hosts} with {self.ranks_per_host}"
            )
        if self.rate is not None:
            _check_rate(self.rate)

    @property
    def hosts(self) -> list[str]:
        """Return the names of the hosts."""
        return [f"node{i}" for i in range(self.num_hosts)]

    @property
    def addresses(self) -> list[str]:
        """Return the addresses of the hosts."""
        return [f"10.77.0.{i + 1}" for i in range(self.num_hosts)]


def _check_rate(rate: str) -> None:
    match = _RATE.fullmatch(rate)
    if match is None:
        raise ArgumentError(
            f"expected a rate such as 100mbit or 1gbit, got '{rate}'", "none for no limit"
        )
    number, prefix, binary, unit = match.groups()
    factor = (1024 if binary else 1000) ** _PREFIXES.index((prefix or " ").lower())
    bytes_per_second = float(number) * factor / (8 if unit.lower() == "bit" else 1)
    if not _LEAST_RATE <= bytes_per_second <= _MOST_RATE:
        raise ArgumentError(
            f"expected a rate of 8bit to 1000tbit, got '{rate}'", "none for no limit"
        )


@dataclass(frozen=True)
class State:
    """A cluster's name and shape, its control group ("" for none), and who started it when."""

    name: str
    shape: ClusterSize
    group: str
    since: float
    user: str
    command: str

    def write(self, folder: Path) -> None:
        """Keep it in the folder of the cluster; readers see all of it or nothing."""
        unfinished = folder / f"{_FILE}.unfinished"
        unfinished.write_text(json.dumps(dataclasses.asdict(self)))
        unfinished.rename(folder / _FILE)

    @classmethod
    def read(cls, folder: Path) -> State | None:
        """Return what a folder says, None while it does not say anything."""
        try:
            found = json.loads((folder / _FILE).read_text())
        except OSError:
            return None
        return cls(**{**found, "shape": ClusterSize(**found["shape"])})


def started_now(name: str, shape: ClusterSize, group: str) -> State:
    """Return the state of a cluster that this process starts."""
    program = Path(sys.argv[0]).name.replace("__main__.py", "espalier")
    command = shlex.join([program, *sys.argv[1:]])
    return State(name, shape, group, time.time(), getpass.getuser(), command)


def check_name(name: str) -> None:
    """Raise ArgumentError for what cannot be the name of a cluster."""
    if not _CLUSTER_NAME.fullmatch(name):
        raise ArgumentError(
            "expected a name of up to 32 letters, digits, '_', '.' and '-' that begins with a "
            f"letter or digit, got '{name}'"
        )
