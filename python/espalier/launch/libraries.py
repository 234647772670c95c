# SPDX-License-Identifier: Apache-2.0
"""MPI libraries as files: what they say of themselves, and which one goes with a launcher."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from espalier.launch import programs, versions

if TYPE_CHECKING:
    from espalier.launch.command import LaunchCommand

_FOLDERS = ("lib", "lib64", "lib/release")
_FILES = {"openmpi": ("libmpi.so.40",), "mpich": ("libmpi.so.12", "libmpich.so.12")}


@dataclass(frozen=True)
class Judgement:
    """The version of a library, and why programs run natively with it; empty if they do not."""

    version: str
    why_native: str


def judge(library: Path, family: str, python: str = sys.executable) -> Judgement:
    """Return what the preload library of a family, or `abi`, does with programs of a library.

    `python` is an interpreter that can load it.
    """
    from espalier import _core  # noqa: PLC0415 - doctor works without the module

    version = versions.ask_version(library, python)
    return Judgement(*_core.judge_mpi_library(str(library), version, family))


def beside_launcher(command: LaunchCommand) -> Path | None:
    """Return the MPI library that was installed with a launcher in one folder, None if none was."""
    found = shutil.which(command.launcher)
    if found is None or command.vendor not in _FILES:
        return None
    prefix = Path(found).resolve().parent.parent
    names = _FILES[command.vendor]
    candidates = (prefix / folder / name for folder in _FOLDERS for name in names)
    return next((path for path in candidates if path.exists()), None)


def variables_for(program: Path, command: LaunchCommand, folder: Path) -> dict[str, str]:
    """Return variables under which a program of ours uses the MPI library of the launcher.

    Our programs name the library that they were built with, and libraries of MPICH's binary
    interface have several names: `folder` gets a link of that name. Nothing is to be set if the
    program finds the right library by itself, or if it is not known which one that is.
    """
    library = beside_launcher(command)
    needed = programs.needed_library(program)
    if library is None or needed is None:
        return {}
    name, found = needed
    if found is not None and found.resolve() == library.resolve():
        return {}
    folders = [str(library.parent), *_folders_below(library)]
    if not (library.parent / name).exists():
        link = folder / name
        link.unlink(missing_ok=True)
        link.symlink_to(library)
        folders.insert(0, str(folder))
    inherited = os.environ.get("LD_LIBRARY_PATH")
    return {"LD_LIBRARY_PATH": ":".join([*folders, *([inherited] if inherited else [])])}


def _folders_below(library: Path) -> list[str]:
    """Return further folders below that of a library from which it takes libraries of its own."""
    found = {path.parent for path in programs.linked_files(library)}
    return sorted(str(path) for path in found if library.parent in path.parents)
