# SPDX-License-Identifier: Apache-2.0
"""What is known about a program before it runs: where it is, and which MPI it is linked with."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from espalier.errors import MpiError

if TYPE_CHECKING:
    from espalier.launch.command import LaunchCommand

_ELF = b"\x7fELF"
# Library names that change only with the binary interface: all of Open MPI 2 to 5, and everything
# that keeps the interface of MPICH 3.1 (MPICH, Intel MPI, MVAPICH).
_LIBRARIES = {
    "openmpi": re.compile(r"\blibmpi\.so\.(20|40)\b"),
    "mpich": re.compile(r"\blibmpi(ch)?\.so\.12\b"),
}
_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", "smpi": "SimGrid SMPI"}


@dataclass(frozen=True)
class Program:
    """A program on this host. Other hosts may differ, so nothing here is a reason to refuse."""

    name: str
    path: Path | None
    is_binary: bool
    vendor: str | None


def inspect(name: str) -> Program:
    """Look at a program; scripts and missing programs have no vendor."""
    found = shutil.which(name)
    if found is None:
        return Program(name, None, is_binary=False, vendor=None)
    path = Path(found)
    is_binary = _starts_with(path, _ELF)
    vendor = _linked_vendor(path) if is_binary else None
    return Program(name, path, is_binary, vendor)


def vendor_of(command: LaunchCommand) -> str:
    """Return the MPI whose library to preload.

    Raises:
        MpiError: launcher and program belong to different MPIs, or neither says.
    """
    program = inspect(command.program[0]) if command.program else None
    linked = program.vendor if program else None
    if linked and command.vendor and linked != command.vendor:
        raise MpiError(
            f"expected launcher and program of one MPI, got {_NAMES[command.vendor]} "
            f"({command.launcher}) and {_NAMES[linked]} ({command.program[0]}): every rank would "
            "run alone",
            f"use the launcher of {_NAMES[linked]}",
        )
    vendor = linked or command.vendor
    if vendor is None:
        raise MpiError(
            f"expected a program linked with Open MPI or MPICH under {command.launcher}, could "
            "not tell which from the program",
            "add --mpi openmpi or --mpi mpich",
        )
    return vendor


def _starts_with(path: Path, magic: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(magic)) == magic
    except OSError:
        return False


def linked_library(program: Path, vendor: str) -> Path | None:
    """Return the library of an MPI that a program is linked with, None if it cannot be told."""
    for line in _linked(program).splitlines():
        name, _, rest = line.strip().partition(" => ")
        if _LIBRARIES[vendor].search(name) and rest.startswith("/"):
            return Path(rest.rpartition(" (")[0])
    return None


def _linked_vendor(path: Path) -> str | None:
    linked = _linked(path)
    for vendor, pattern in _LIBRARIES.items():
        if pattern.search(linked):
            return vendor
    return None


def _linked(path: Path) -> str:
    """Return what ldd says of a program, empty if there is no ldd or no answer."""
    ldd = shutil.which("ldd")
    if ldd is None:
        return ""
    try:
        answer = subprocess.run(
            [ldd, str(path)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout
