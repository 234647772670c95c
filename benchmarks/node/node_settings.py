# SPDX-License-Identifier: Apache-2.0
"""The settings of MPI libraries whose collectives are compared, from experiments.toml."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

from mpi_members import BUILD, members

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mpi_members import Member

# Collectives that MPICH can do in shared memory, or by messages.
_IN_SHARED_MEMORY = ("ALLREDUCE", "BARRIER", "BCAST", "REDUCE")


@dataclasses.dataclass(frozen=True)
class Setting:
    """One library with some options, and so many ranks."""

    member: Member
    name: str
    num_ranks: int
    options: tuple[str, ...]
    shares_cores: bool

    @property
    def key(self) -> str:
        """What this is called in the data."""
        return f"{self.member.name}/{self.name}/{self.num_ranks}"

    def launcher(self, variables: Mapping[str, str], *preloaded: str) -> list[str]:
        """Return the launcher with all its options, for ranks with variables and libraries."""
        libraries = [BUILD / "lib" / name for name in preloaded]
        if self.shares_cores:
            libraries += [BUILD / "lib" / helper for helper in self.member.helpers]
        preload = {"LD_PRELOAD": ":".join(map(str, libraries))} if libraries else {}
        program = [self.member.launcher[0], *self.options]
        words = dataclasses.replace(self.member, launcher=program).with_variables(
            {**variables, **preload}
        )
        return [*words, "-n", str(self.num_ranks)]


def declared_settings(
    declared: Mapping[str, Any], num_cores: int | None = None
) -> list[tuple[Setting, Mapping[str, Any]]]:
    """Return all settings, each with what is declared for its number of ranks.

    Args:
        declared: The contents of experiments.toml.
        num_cores: With more ranks than this, ranks share cores; those that there are if left out.
    """
    known = {member.name: member for member in members()}
    cores = num_cores or len(os.sched_getaffinity(0))
    return [
        (_setting(known[mpi["member"]], mpi, row, ranks["number"], cores), ranks)
        for ranks in declared["ranks"]
        for mpi in declared["mpi"]
        for row in mpi["setting"]
        if ranks["number"] in row.get("ranks", [ranks["number"]])
    ]


def _setting(
    member: Member, mpi: Mapping[str, Any], row: Mapping[str, Any], num_ranks: int, num_cores: int
) -> Setting:
    shares = num_ranks > num_cores
    options: Sequence[str] = [
        *mpi["sharing" if shares else "bound"],
        *row.get("options", []),
        *_intra_node(row.get("intra_algorithm", "")),
    ]
    return Setting(member, row["name"], num_ranks, tuple(options), shares)


def _intra_node(algorithm: str) -> list[str]:
    """Return options with which MPICH does collectives of the ranks of a node in one way."""
    return [
        word
        for call in (_IN_SHARED_MEMORY if algorithm else ())
        for word in ("-genv", f"MPIR_CVAR_{call}_POSIX_INTRA_ALGORITHM", algorithm)
    ]
