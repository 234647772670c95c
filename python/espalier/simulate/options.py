# SPDX-License-Identifier: Apache-2.0
"""Options of the compiler: what is for sources, what for the linker, and which files that reads."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Each may have its argument in the same word or in the next one.
_OF_SOURCES = ("-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter", "-std", "-x")
_OF_LINKER = ("-l", "-L", "-Wl,", "-Xlinker")
_LINKED = (".o", ".a", ".so")


@dataclass(frozen=True)
class Options:
    """What a command line says, sorted; all but a few are for sources and for the linker."""

    for_sources: tuple[str, ...]
    for_linker: tuple[str, ...]

    @property
    def linked_files(self) -> list[Path]:
        """Return the files that the linker reads, as far as they are there.

        Libraries that it finds without being told a folder belong to the system, and are left out.
        """
        folders = [Path(folder) for folder in self._values("-L")]
        folders += [Path(name) for name in os.environ.get("LIBRARY_PATH", "").split(":") if name]
        found = [Path(word) for word in self.for_linker if _is_linked(word)]
        for name in self._values("-l"):
            names = [name[1:]] if name.startswith(":") else [f"lib{name}.so", f"lib{name}.a"]
            found += [folder / each for folder in folders for each in names]
        return [path for path in found if path.is_file()]

    def _values(self, option: str) -> list[str]:
        parts = _parts(self.for_linker)
        return ["".join(part)[len(option) :] for part in parts if part[0].startswith(option)]


def sorted_options(words: Sequence[str]) -> Options:
    """Return the options of a command line, sorted."""
    parts = list(_parts(words))
    sources = (part for part in parts if not (_is_of(part, _OF_LINKER) or _is_linked(part[0])))
    linker = (part for part in parts if not _is_of(part, _OF_SOURCES))
    return Options(
        tuple(word for part in sources for word in part),
        tuple(word for part in linker for word in part),
    )


def _parts(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Return options with their arguments."""
    left = iter(words)
    for word in left:
        has_argument = word in (*_OF_SOURCES, *_OF_LINKER)
        following = next(left, None) if has_argument else None
        yield (word,) if following is None else (word, following)


def _is_of(part: tuple[str, ...], options: tuple[str, ...]) -> bool:
    return part[0].startswith(options)


def _is_linked(word: str) -> bool:
    return not word.startswith("-") and (word.endswith(_LINKED) or ".so." in word)
