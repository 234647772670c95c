# SPDX-License-Identifier: Apache-2.0
"""What the binary interface of an MPI library consists of, as its mpi.h gives it to a compiler."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from mpi_members import ROOT, Member

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = ROOT / "tests" / "mpis" / "constants.c"


def constants_of(member: Member, folder: Path) -> dict[str, str]:
    """Return sizes, constants and handles by name; `folder` holds the program that says them."""
    compiler = [member.compiler]
    if member.is_standard:
        include, library = (f"{member.folder}/{name}" for name in ("include", "lib"))
        compiler = ["cc", "-DSTANDARD_ABI", f"-I{include}", f"-L{library}", "-Wl,--no-as-needed"]
        compiler += ["-lmpi_abi"]
    return _told(compiler, member, folder / f"constants-{member.name}")


def _told(compiler: list[str], member: Member, program: Path) -> dict[str, str]:
    environment = {**os.environ, **member.environment}
    compile_words = [*compiler, "-o", str(program), str(SOURCE), "-ldl"]
    subprocess.run(compile_words, env=environment, check=True)
    printed = subprocess.run(
        [str(program)], env=environment, check=True, capture_output=True, text=True
    ).stdout
    return dict(line.rsplit(" ", 1) for line in printed.splitlines())
