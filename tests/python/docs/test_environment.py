# SPDX-License-Identifier: Apache-2.0
"""The page of variables lists those that the code reads, and no others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from command_mentions import shim_variables
from places import repository

if TYPE_CHECKING:
    from pathlib import Path

PAGE = repository / "docs" / "reference" / "environment.md"
_READ = {
    "espalier/**/*.cpp": r'\b(?:(?:environment_)?variable|getenv)\("(ESPALIER_\w+)"',
    "shim/**/*.cpp": r'\bgetenv\("(ESPALIER_\w+)"',
    "packaging/**/*.in": r"\$\{(ESPALIER_\w+):-",
    "python/**/*.py": r'\benviron(?:\.get\(|\[)"(ESPALIER_\w+)"|^\w+ = "(ESPALIER_\w+)"',
}


def read_in(root: Path) -> set[str]:
    """Return the variables that the files below a root read."""
    found = (
        match
        for pattern, reads in _READ.items()
        for path in root.glob(pattern)
        for match in re.finditer(reads, path.read_text(encoding="utf-8"), re.MULTILINE)
    )
    return {name for match in found for name in match.groups() if name}


def listed_in(text: str) -> set[str]:
    """Return the variables in the first column of the tables of a page."""
    rows = (line.split("|")[1] for line in text.splitlines() if line.startswith("| `"))
    return {name for row in rows for name in re.findall(r"`(ESPALIER_\w+)`", row)}


def test_the_page_lists_what_the_code_reads() -> None:
    read = read_in(repository) | shim_variables()
    assert len(read) > 12
    assert listed_in(PAGE.read_text(encoding="utf-8")) == read


def test_a_new_variable_is_found(tmp_path: Path) -> None:
    (tmp_path / "espalier").mkdir()
    (tmp_path / "espalier" / "new.cpp").write_text('std::getenv("ESPALIER_NEW");')
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "new.py").write_text('_NAME = "ESPALIER_ALSO"\n')
    assert read_in(tmp_path) == {"ESPALIER_NEW", "ESPALIER_ALSO"}


def test_only_the_first_column_counts() -> None:
    assert listed_in("| `ESPALIER_A`, `ESPALIER_B` | as `ESPALIER_C` |\n") == {
        "ESPALIER_A",
        "ESPALIER_B",
    }
