# SPDX-License-Identifier: Apache-2.0
"""Starting programs under one of the MPI libraries here, with and without the preload library."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from mpi_members import BUILD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mpi_members import Member


def launcher_of(
    member: Member, variables: Mapping[str, str] | None = None, *, preload: bool = True
) -> list[str]:
    """Return the launcher with what ranks get: variables, and the preload library of the family."""
    libraries = [BUILD / "lib" / f"libespalier-{member.family}.so"] if preload else []
    preloaded = member.preload(*libraries)
    own = {"LD_PRELOAD": preloaded} if preloaded else {}
    return member.with_variables({**(variables or {}), **own})


def run(
    words: Sequence[str],
    member: Member,
    seconds: float,
    variables: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with what it prints as one text.

    Settings of Espalier in our own environment do not reach it.

    Args:
        words: The command.
        member: Whose environment it needs.
        seconds: How long it may take.
        variables: More of its environment.
        folder: Where it runs.

    Raises:
        subprocess.TimeoutExpired: it took longer.
    """
    quiet = {name: "" for name in os.environ if name.startswith("ESPALIER_")}
    return subprocess.run(
        words,
        env={**os.environ, **quiet, **(variables or {}), **member.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=seconds,
        check=False,
        cwd=folder,
    )
