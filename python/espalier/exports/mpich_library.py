# SPDX-License-Identifier: Apache-2.0
"""The trees by which a library of MPICH chooses algorithms; they are inside it, as JSON.

A tuning file takes the place of a whole tree, so that it has to hold what the library chooses by
itself as well. There are two: `mpir` chooses the algorithm, and `ch4`, before it, whether the nodes
of a communicator are told apart.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier import installation
from espalier.errors import FileError, FormatError
from espalier.launch import programs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_TREE = re.compile(rb'\{"collective=[^\0]+')
_ADVICE = "name the library of MPICH 4.0 to 4.2 that programs use with --library"


@dataclass(frozen=True)
class Trees:
    """What a library chooses by itself, and the names of all of its algorithms."""

    mpir: Mapping[str, Any]
    ch4: Mapping[str, Any] | None
    names: frozenset[str]


def find() -> Path:
    """Return the library that programs of Espalier for MPICH use.

    Raises:
        FileError: there is no such program, or its library is not there.
    """
    program = installation.measurement_program("mpich")
    library = None if program is None else programs.linked_library(program, "mpich")
    if library is None:
        raise FileError(
            "expected the library of MPICH beside our program for it, got none", _ADVICE
        )
    return library


def read(path: Path) -> Trees:
    """Return the trees in a library.

    Raises:
        FileError: it cannot be read.
        FormatError: it has no such trees.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(
            f"{path}: expected a readable library, got '{error.strerror}'", _ADVICE
        ) from error
    texts = [match[0].decode("utf-8", "replace") for match in _TREE.finditer(content)]
    mpir = next((text for text in texts if "algorithm=MPIR_" in text), None)
    if mpir is None:
        raise FormatError(
            f"{path}: expected a library of MPICH with trees of choices, got none", _ADVICE
        )
    ch4 = next((text for text in texts if "composition=" in text), None)
    names = re.findall(rb"algorithm=(\w+)", content)
    return Trees(
        mpir=json.loads(mpir),
        ch4=None if ch4 is None else json.loads(ch4),
        names=frozenset(name.decode() for name in names),
    )
