# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import check_quotes
from check_quotes import Example, Quote

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "Of 1200 messages 40 are left."
EXAMPLE = Example("map --grid 4x3", (Quote("README.md", TEXT, "neighbours"),), mark="1200")
PRINTED = "12 processes\n  neighbours 1200 -> 40, worst 96/28\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("Of 1200 messages\n**40** are left.\n", encoding="utf-8")
    return tmp_path


def problems(root: Path, printed: str = PRINTED, example: Example = EXAMPLE) -> list[str]:
    return check_quotes.check(root, lambda command: f"{command}: {printed}", [example])


def test_what_the_command_prints_is_accepted(root: Path) -> None:
    assert problems(root) == []


def test_a_command_that_prints_something_else_is_reported(root: Path) -> None:
    assert problems(root, "neighbours 1200 -> 44, 40.5\n") == [
        "README.md: quotes 40, which `espalier map --grid 4x3` does not print"
    ]


def test_numbers_of_other_lines_do_not_count(root: Path) -> None:
    assert len(problems(root, "neighbours 1200 -> 44\n40\n")) == 1


def test_a_line_that_is_gone_is_reported(root: Path) -> None:
    expected = "README.md: expected `espalier map --grid 4x3` to print 'neighbours'"
    assert expected in problems(root, "1200 40\n")


def test_a_text_that_changed_is_reported(root: Path) -> None:
    (root / "README.md").write_text("Of 1200 messages 44 are left.\n", encoding="utf-8")
    assert problems(root) == [f"README.md: expected the text '{TEXT}' of tools/check_quotes.py"]


def test_pairs_are_one_number(root: Path) -> None:
    quotes = (Quote("README.md", "96/28"), Quote("README.md", "96/40"))
    found = problems(root, example=Example("map", quotes))
    assert "README.md: quotes 96/40, which `espalier map` does not print" in found
    assert "README.md: quotes 96/28, which `espalier map` does not print" not in found


def test_the_number_in_a_file_without_a_row_is_reported(root: Path) -> None:
    (root / "docs" / "page.md").write_text("\nIt was 1200 -> 44.\n", encoding="utf-8")
    (problem,) = problems(root)
    assert problem.startswith("docs/page.md:2: 1200 belongs to `espalier map --grid 4x3`")


def test_parts_of_other_numbers_are_no_mark(root: Path) -> None:
    (root / "docs" / "page.md").write_text("12001 and 0.1200 and x1200\n", encoding="utf-8")
    assert problems(root) == []
