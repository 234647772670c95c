# SPDX-License-Identifier: Apache-2.0
"""Sources of MPI programs, compiled for the simulator with Espalier in them.

Programs are kept under a name that stands for their contents, those of their headers and of what is
linked into them: what has not changed is not compiled again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from espalier import installation
from espalier.errors import ArgumentError, FileError, MpiError, NotBuiltError, UnsupportedError
from espalier.io.console import say
from espalier.simulate.options import sorted_options

if TYPE_CHECKING:
    from collections.abc import Sequence

_C = (".c",)
_CXX = (".cc", ".cpp", ".cxx", ".C")
_FORTRAN = (".f", ".F", ".f77", ".f90", ".F90", ".f95", ".f03", ".f08", ".F08")
_LINK_FILE = "espalier-smpi.link"


@dataclass(frozen=True)
class Sources:
    """Files that make one program, and options for the compiler and the linker."""

    files: tuple[Path, ...]
    options: tuple[str, ...] = ()


def is_source(name: str) -> bool:
    """Return whether a name is that of a source."""
    return Path(name).suffix in (*_C, *_CXX, *_FORTRAN)


def compiled(sources: Sources) -> Path:
    """Return the program of sources, compiled now or before.

    Raises:
        UnsupportedError: a language that the simulator's compilers do not have.
        MpiError: there is no compiler, or it refused; what it wrote is on standard error.
        NotBuiltError: our part of such programs is not built.
    """
    for file in sources.files:
        _check(file)
    link_file = _find_link_file()
    program = _cache_folder() / _name(sources, link_file)
    if not program.is_file():
        _build(sources, link_file, program)
    return program


def _check(file: Path) -> None:
    if file.suffix in _FORTRAN:
        raise UnsupportedError(
            f"{file}: expected sources in C or C++, got Fortran",
            "compile it with smpif90 and give the program: it runs without Espalier",
        )
    if file.suffix not in (*_C, *_CXX):
        raise ArgumentError(
            f"{file}: expected a source ({' '.join((*_C, *_CXX))}), got '{file.suffix}'"
        )
    if not file.is_file():
        raise FileError(f"{file}: expected a source, found no file")


def _compiler(file: Path) -> str:
    name = "smpicc" if file.suffix in _C else "smpicxx"
    found = shutil.which(name)
    if found is None:
        raise MpiError(
            f"expected SimGrid's compiler '{name}' on the PATH, found none",
            "install SimGrid (Debian: libsimgrid-dev)",
        )
    return found


def _find_link_file() -> Path:
    folder = installation.build_folder()
    file = None if folder is None else folder / "lib" / _LINK_FILE
    missing = [] if file is None or not file.is_file() else _missing(file)
    if file is None or not file.is_file() or missing:
        raise NotBuiltError(
            f"expected {missing[0] if missing else _LINK_FILE}, found none",
            "install SimGrid (Debian: libsimgrid-dev), then run make simulator",
        )
    return file


def _linked(file: Path) -> list[Path]:
    return [Path(line) for line in file.read_text().splitlines() if line.startswith("/")]


def _missing(file: Path) -> list[Path]:
    return [path for path in _linked(file) if not path.is_file()]


def _cache_folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    folder = (Path(home) if home else Path.home() / ".cache") / "espalier" / "simulated"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"{folder}: expected a folder for compiled programs, got '{error.strerror}'",
            "set XDG_CACHE_HOME to another",
        ) from error
    return folder


def _options(sources: Sources) -> list[str]:
    include = installation.package.parent.parent / "include"
    ours = [f"-I{include}"] if include.is_dir() else []
    return ["-O2", *ours, *sorted_options(sources.options).for_sources]


def _name(sources: Sources, link_file: Path) -> str:
    """Return a name that is another one if anything is that goes into the program."""
    digest = hashlib.sha256("\0".join(sources.options).encode())
    for file in sources.files:
        words = [_compiler(file), *_options(sources), "-E", str(file)]
        digest.update(_output(words, file))
    for path in [*_linked(link_file), *sorted_options(sources.options).linked_files]:
        facts = path.stat()
        digest.update(f"{path} {facts.st_mtime_ns} {facts.st_size}".encode())
    return f"{sources.files[0].stem}-{digest.hexdigest()[:16]}"


def _output(words: Sequence[str], file: Path) -> bytes:
    answer = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if answer.returncode != 0:
        say(answer.stderr.decode(errors="replace").rstrip())
        raise MpiError(
            f"{file}: expected a source that {Path(words[0]).name} compiles, got exit code"
            f" {answer.returncode}",
            "correct it, or name folders and libraries with --compile",
        )
    return answer.stdout


def _build(sources: Sources, link_file: Path, program: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="espalier-compile-") as folder:
        objects = []
        for number, file in enumerate(sources.files):
            target = Path(folder) / f"{number}.o"
            words = [_compiler(file), *_options(sources), "-c", str(file), "-o", str(target)]
            _output(words, file)
            objects.append(str(target))
        # Beside its final place, so that it appears there as a whole.
        part = program.with_name(f"{program.name}.{os.getpid()}")
        linker = _compiler(Path("any.cpp"))
        options = sorted_options(sources.options).for_linker
        # What is linked may call us, but we call nothing of it.
        words = [linker, *objects, *options, f"@{link_file}", "-lm", "-s", "-o", str(part)]
        try:
            _output(words, sources.files[0])
            part.replace(program)
        finally:
            part.unlink(missing_ok=True)
