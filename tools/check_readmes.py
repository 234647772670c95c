# SPDX-License-Identifier: Apache-2.0
"""Check that the README of each folder of the core names its files, and no others.

A file is named by its stem, as code anywhere in the README; `x_*` stands for all stems that begin
so, and `x/` in the README of the folder above excuses a folder with one file for each thing.
Versions of a file that are chosen when linking (`x_real`, `x_simulated`, `x_absent`) go by `x`.
First columns of tables of files name nothing that is not there.

Usage: check_readmes.py [root]. Prints one line per problem; exit code 1 if there is any.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOTS = ("espalier", "shim")
SOURCES = {".cpp", ".hpp", ".c", ".h", ".in"}
VERSIONS = re.compile(r"_(real|simulated|absent)$")
TABLE = re.compile(
    r"^\| (?:room or )?(?:file|room) \|.*\n\|[-|]+\|\n(?P<rows>(?:\|.*\n?)+)", re.MULTILINE
)
CODE = re.compile(r"`([^`\n]+)`|^ {4,}(\S.*)$", re.MULTILINE)
NAME = re.compile(r"[\w*/]+")


def stems_in(folder: Path) -> set[str]:
    """Return the names that the README of a folder has to have."""
    files = (file for file in folder.iterdir() if file.suffix in SOURCES)
    return {VERSIONS.sub("", file.name.split(".")[0]) for file in files}


def text_of(folder: Path) -> str:
    """Return the README of a folder, "" if it has none."""
    readme = folder / "README.md"
    return readme.read_text(encoding="utf-8") if readme.is_file() else ""


def words_in(text: str) -> set[str]:
    """Return all that a README writes as code, word by word."""
    return {word for code in CODE.findall(text) for word in NAME.findall("".join(code))}


def first_columns(text: str) -> set[str]:
    """Return the names in the first columns of tables of files."""
    rows = (row for table in TABLE.finditer(text) for row in table["rows"].splitlines())
    return {name for row in rows for name in re.findall(r"`([a-z]\w*\*?)`", row.split("|")[1])}


def is_named(stem: str, names: set[str]) -> bool:
    """Tell whether one of the names stands for a stem."""
    patterns = [name[:-1] for name in names if name.endswith("*")]
    return stem in names or any(stem.startswith(pattern) for pattern in patterns)


def stands_for_something(name: str, folder: Path, stems: set[str]) -> bool:
    """Tell whether a name is that of something in the folder."""
    if name.endswith("*"):
        return any(stem.startswith(name[:-1]) for stem in stems)
    return name in stems or (folder / name).exists()


def problems_of(folder: Path, root: Path) -> list[str]:
    """Return a line for each problem of one folder."""
    stems = stems_in(folder)
    text = text_of(folder)
    place = (folder / "README.md").relative_to(root).as_posix()
    if not text:
        is_excused = not stems or f"{folder.name}/" in words_in(text_of(folder.parent))
        return [] if is_excused else [f"{place}: expected a table of the files there, found none"]
    words = words_in(text)
    missing = sorted(stem for stem in stems if not is_named(stem, words))
    strange = sorted(
        name for name in first_columns(text) if not stands_for_something(name, folder, stems)
    )
    return [f"{place}: expected a word about `{stem}`, which is there" for stem in missing] + [
        f"{place}: expected files of the folder, got `{name}`" for name in strange
    ]


def check(root: Path) -> list[str]:
    """Return a line `file: what is wrong` for each problem below a root."""
    folders = [
        path
        for top in ROOTS
        for path in sorted([root / top, *(root / top).rglob("*")])
        if path.is_dir()
    ]
    return [problem for folder in folders for problem in problems_of(folder, root)]


def main() -> int:
    """Check the tree given as argument, by default the one this script is in."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    problems = check(root)
    print("\n".join(problems) or "readmes: ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
