# SPDX-License-Identifier: Apache-2.0
"""What is known about a program before it runs: where it is, and which MPI it is linked with."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from espalier.errors import MpiError
from espalier.launch import elf, versions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.launch.command import LaunchCommand

# Library names that change only with the binary interface: all of Open MPI 2 to 5, and everything
# that keeps the interface of MPICH 3.1 (MPICH, Intel MPI, MVAPICH).
_LIBRARIES = {
    "openmpi": re.compile(r"libmpi\.so\.(20|40)"),
    "mpich": re.compile(r"libmpi(ch)?\.so\.12"),
}
# The standard ABI of MPI-5, which libraries of several families have beside their own.
STANDARD = "abi"
_INTERFACES = {**_LIBRARIES, STANDARD: re.compile(r"libmpi_abi\.so\.1")}
_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", "smpi": "SimGrid SMPI"}


@dataclass(frozen=True)
class Program:
    """A program on this host. Other hosts may differ, so nothing here is a reason to refuse.

    `library` is the MPI library that it is linked with, `vendor` the family of that library, and
    `interface` names the preload library that goes under it: the family, or `abi`.
    """

    name: str
    path: Path | None
    is_binary: bool
    vendor: str | None
    library: Path | None = None
    interface: str | None = None

    @property
    def obstacle(self) -> str:
        """Return why nothing can be preloaded into it; empty if nothing is known against it."""
        if self.path is None:
            return ""
        native = "the dynamic linker loads nothing into it, so it runs natively"
        if self.is_binary and not elf.has_interpreter(self.path):
            return f"expected a program with shared libraries, '{self.name}' is static: {native}"
        if privilege := _privilege(self.path):
            return f"expected a program without privileges, '{self.name}' {privilege}: {native}"
        return ""


def inspect(name: str) -> Program:
    """Look at a program; scripts and missing programs have no vendor."""
    found = shutil.which(name)
    if found is None:
        return Program(name, None, is_binary=False, vendor=None)
    path = Path(found)
    is_binary = elf.is_elf(path)
    interface, library = _linked_mpi(path) if is_binary else (None, None)
    vendor = interface
    if interface == STANDARD:
        # The name of the library does not tell.
        vendor = None if library is None else versions.family_of(versions.ask_version(library))
    return Program(name, path, is_binary, vendor, library, interface)


def obstacle_of(joined: Sequence[Program]) -> str:
    """Return why nothing can be preloaded into programs that ':' joins; empty if all can have it.

    Collectives of ranks with our library do not match those of ranks without.
    """
    obstacle = next((program.obstacle for program in joined if program.obstacle), "")
    return f"{obstacle}, and so do the others" if obstacle and len(joined) > 1 else obstacle


def binary_of(command: LaunchCommand) -> Path | None:
    """Return the compiled program of a command, all links followed; None if it is a script."""
    found = shutil.which(command.program[0]) if command.program else None
    path = Path(found).resolve() if found else None
    return path if path is not None and elf.is_elf(path) else None


def vendor_of(command: LaunchCommand) -> str:
    """Return the MPI whose library to preload.

    Raises:
        MpiError: launcher and program belong to different MPIs, or neither says.
    """
    return choose_vendor(command, inspect(command.program[0]) if command.program else None)


def choose_vendor(command: LaunchCommand, program: Program | None) -> str:
    """Return the MPI whose library to preload into a program that was inspected.

    Raises:
        MpiError: launcher and program belong to different MPIs, or neither says.
    """
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


def preloaded_for(vendor: str, program: Program | None) -> str:
    """Return which preload library goes under a program of an MPI: that of the MPI, or `abi`."""
    is_standard = program is not None and program.interface == STANDARD
    return STANDARD if is_standard else vendor


def why_chosen(command: LaunchCommand, program: Program | None) -> str:
    """Return what `choose_vendor` goes by."""
    if program is not None and program.interface is not None:
        return f"'{program.name}' is linked with {program.library or 'a library not found here'}"
    launcher = f"{command.launcher} is a launcher of {command.family.title}"
    return f"{launcher}, and the program does not say which MPI it uses"


def _privilege(path: Path) -> str:
    """Return what makes the dynamic linker ignore LD_PRELOAD; empty if nothing does."""
    status = path.stat()
    if status.st_mode & stat.S_ISUID and status.st_uid != os.geteuid():
        return "is setuid"
    if status.st_mode & stat.S_ISGID and status.st_gid != os.getegid():
        return "is setgid"
    with contextlib.suppress(OSError):
        if os.geteuid() != 0 and "security.capability" in os.listxattr(path):
            return "has capabilities"
    return ""


def linked_library(program: Path, vendor: str) -> Path | None:
    """Return the library of an MPI that a program is linked with, None if it cannot be told."""
    found, library = _linked_mpi(program)
    return library if found == vendor else None


def needed_library(program: Path) -> tuple[str, Path | None] | None:
    """Return the name by which a program asks for an MPI library, and what is found for it."""
    for name, path in _linked(program):
        if any(pattern.fullmatch(name) for pattern in _LIBRARIES.values()):
            return name, path
    return None


def linked_files(path: Path) -> list[Path]:
    """Return the shared libraries that a program or library is linked with, as far as found."""
    return [file for _, file in _linked(path) if file is not None]


def _linked_mpi(path: Path) -> tuple[str | None, Path | None]:
    """Return interface and file of the MPI library; no file if it is not found, or None of both."""
    for name, library in _linked(path):
        for interface, pattern in _INTERFACES.items():
            if pattern.fullmatch(name):
                return interface, library
    return None, None


def _linked(path: Path) -> list[tuple[str, Path | None]]:
    """Return the names of libraries that a file asks for, and what the dynamic linker finds."""
    linked = []
    for line in _told_by_ldd(path).splitlines():
        name, _, rest = line.strip().partition(" => ")
        file = Path(rest.rpartition(" (")[0]) if rest.startswith("/") else None
        linked.append((name, file))
    return linked


def _told_by_ldd(path: Path) -> str:
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
