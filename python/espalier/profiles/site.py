# SPDX-License-Identifier: Apache-2.0
"""The site file: rules that an administrator shares with all users of an installation.

Preloaded programs read it after what they learned themselves (shim/site.hpp says where it is and
when it is trusted).
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

from espalier import _core, installation
from espalier.errors import FileError, InputError
from espalier.io import documents
from espalier.io.console import say
from espalier.io.kept_beside import MEASUREMENTS
from espalier.profiles import profiles, union

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_IF_UNWRITTEN = "run this as who installed Espalier"
_OPEN_TO_ALL = 0o755


def share(paths: Sequence[Path], *, is_across_machines: bool = False) -> dict[str, Any]:
    """Add the rules of profiles to the site file, and return what was taken as a document.

    Raises:
        InputError: they are for several MPI libraries or kinds of machines.
        FileError: one cannot be read, or the site file not be written.
    """
    paths = [path for path in paths if not _is_of_another_kind(path)]
    if not paths:
        raise InputError("expected profiles, or what programs learned, got none")
    output = _common_file(paths)
    _make_folder(output.parent)
    return union.merge_files(paths, output, is_across_machines=is_across_machines, is_for_all=True)


def _is_of_another_kind(path: Path) -> bool:
    """Return whether Espalier keeps something else in a file, and say that it is left out."""
    schema = documents.schema_of(path)
    if schema not in MEASUREMENTS:
        return False
    say(f"note: {path} has {MEASUREMENTS[schema][1]}, and no rules; it is left out")
    return True


def _common_file(paths: Sequence[Path]) -> Path:
    files = [_file_for(path) for path in paths]
    for path, file in zip(paths, files, strict=True):
        if file != files[0]:
            raise InputError(
                f"{path}: expected rules for {files[0].name}, as {paths[0]} has, got some for"
                f" {file.name}",
                "share the profiles of one MPI library and kind of machine at a time",
            )
    return files[0]


def _file_for(path: Path) -> Path:
    """Return the site file that a profile belongs to."""
    mpi = profiles.read(path).document["mpi"]
    folder = installation.site_folder(mpi["vendor"])
    if folder is None:
        raise InputError(
            f"{path}: expected a profile for an MPI that Espalier is built for, got one for"
            f" {mpi['vendor']}",
            "see 'espalier doctor' for these",
        )
    version = mpi["version"]
    is_named = _core.is_learned_file_name(path.name, version)
    return folder / (path.name if is_named else _core.learned_file_name(version))


def _make_folder(folder: Path) -> None:
    """Make the folder and those above it, as far as they are missing, open to all."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for one in missing:
            one.chmod(_OPEN_TO_ALL)
        reason = "" if os.access(folder, os.W_OK) else os.strerror(errno.EACCES)
    except OSError as error:
        reason = error.strerror or str(error)
    if reason:
        raise FileError(
            f"{folder}: expected a folder that can be written, got '{reason}'", _IF_UNWRITTEN
        )
