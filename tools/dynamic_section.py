# SPDX-License-Identifier: Apache-2.0
"""What a program or library asks of the machine on which it runs, and what it shows to others.

Usage: dynamic_section.py FILE... prints a line for each thing that another machine may lack; exit
code 1 if there is any.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_ELF = b"\x7fELF"
# Parts of the C library, which every machine has; its symbols have versions.
_C_LIBRARY = re.compile(r"(lib(c|m|dl|rt|pthread)|ld-linux-[\w-]+)\.so\.\d+")
_MPI = re.compile(r"libmpi(ch)?\.so\.\d+")


@dataclass(frozen=True)
class DynamicSection:
    """Of one file: libraries that are loaded with it, and where it looks for them.

    `glibc_minor` is 36 if the file works with version 2.36 of the GNU C library and newer ones.
    """

    file: Path
    needed: frozenset[str]
    folders: str
    glibc_minor: int

    def strange(self) -> list[str]:
        """Return a line for each thing that another machine may lack."""
        lines = [
            f"{self.file.name}: expected nothing but the C library and an MPI, needs {library}"
            for library in sorted(self.needed)
            if not _C_LIBRARY.fullmatch(library) and not _MPI.fullmatch(library)
        ]
        if self.folders:
            lines.append(f"{self.file.name}: expected no folders of libraries, got {self.folders}")
        return lines


def _output_of(*command: str | Path) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def read(file: Path) -> DynamicSection:
    """Read a program or a shared library.

    Raises:
        subprocess.CalledProcessError: it is neither.
    """
    text = _output_of("readelf", "--dynamic", "--version-info", "--wide", file)
    folders = re.search(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", text)
    versions = re.findall(r"Name: GLIBC_2\.(\d+)", text)
    return DynamicSection(
        file,
        frozenset(re.findall(r"\(NEEDED\).*\[(.*)\]", text)),
        folders[1] if folders else "",
        max(map(int, versions), default=0),
    )


def exported(library: Path) -> frozenset[str]:
    """Return the symbols that a library defines for others, without their versions.

    Versions themselves, which are absolute symbols, are left out.
    """
    lines = _output_of("nm", "--dynamic", "--defined-only", library).splitlines()
    symbols = (line.split()[1:] for line in lines)
    return frozenset(name.partition("@")[0] for kind, name in symbols if kind != "A")


def binaries_in(folder: Path) -> list[Path]:
    """Return the programs and shared libraries below a folder."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and _is_binary(path))


def _is_binary(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_ELF)) == _ELF


if __name__ == "__main__":
    problems = [text for name in sys.argv[1:] for text in read(Path(name)).strange()]
    print(*problems, sep="\n", end="\n" if problems else "")
    sys.exit(bool(problems))
