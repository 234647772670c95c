# SPDX-License-Identifier: Apache-2.0
"""What the user wants simulated: sources, or a program that was compiled for the simulator."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from espalier.errors import ArgumentError, MpiError
from espalier.simulate.sources import Sources, compiled, is_source

if TYPE_CHECKING:
    from collections.abc import Sequence

_ELF = b"\x7fELF"
_SIMULATED = b"libsimgrid"
_OTHER_MPI = b"libmpi"
# Symbol that our layer has in each program it is linked into.
_OURS = b"ESPALIER_STATISTICS"
_UNSAFE = set(" \t\n*?[]")


@dataclass(frozen=True)
class Program:
    """A program that the simulator can load."""

    path: Path
    arguments: tuple[str, ...]
    has_espalier: bool

    @property
    def file_bytes(self) -> int:
        """Return the size of the file, of which every rank has a copy."""
        return self.path.stat().st_size


def find_program(words: Sequence[str], more: Sequence[Path], options: Sequence[str]) -> Program:
    """Return the program of a command line, compiled if it is a source.

    Args:
        words: a source or a program, and its arguments.
        more: further sources of the same program.
        options: of the compiler.

    Raises:
        ArgumentError: sources and a compiled program, or arguments that the launcher would split.
        MpiError: a program that was compiled for another MPI, or is none.
    """
    name, arguments = words[0], tuple(words[1:])
    for argument in arguments:
        if not argument or _UNSAFE & set(argument) or argument.startswith(("--cfg=", "--log=")):
            raise ArgumentError(
                f"expected arguments without blanks, *, ? and [], got '{argument}'",
                "SimGrid's launcher would take it apart; write it to a file that the program reads",
            )
    if is_source(name):
        path = compiled(Sources((Path(name), *more), tuple(options)))
        return Program(path, arguments, has_espalier=True)
    if more or options:
        raise ArgumentError(
            f"expected a source beside --source and --compile, got '{name}'",
            "as in: -- main.c",
        )
    return _inspect(name, arguments)


def _inspect(name: str, arguments: tuple[str, ...]) -> Program:
    found = shutil.which(name)
    if found is None:
        raise MpiError(f"{name}: expected a source or a program, found none", exit_code=127)
    path = Path(found).resolve()
    contents = path.read_bytes()
    if not contents.startswith(_ELF) or _SIMULATED not in contents:
        got = "something else"
        if contents.startswith(_ELF):
            got = "one of another MPI" if _OTHER_MPI in contents else "one without MPI"
        raise MpiError(
            f"{name}: expected a program compiled for SMPI, got {got}",
            "give its source instead (-- main.c), or compile it with smpicc or smpicxx",
        )
    return Program(path, arguments, has_espalier=_OURS in contents)
