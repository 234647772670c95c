# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import check_readmes

if TYPE_CHECKING:
    from pathlib import Path

TABLE = "| file | noun |\n|---|---|\n"


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    """A layer with files a, b in two versions, and a README that names both."""
    folder = tmp_path / "espalier" / "base"
    folder.mkdir(parents=True)
    for name in ("a.cpp", "a.hpp", "b_real.cpp", "b_simulated.cpp", "CMakeLists.txt"):
        (folder / name).touch()
    write(folder, TABLE + "| `a`, `b` | two |\n")
    return folder


def write(folder: Path, text: str) -> None:
    (folder / "README.md").write_text(text, encoding="utf-8")


def problems(layer: Path) -> list[str]:
    return check_readmes.check(layer.parents[1])


def test_what_names_all_files_is_accepted(layer: Path) -> None:
    assert problems(layer) == []
    write(layer, "    a   the first\n\n* `b.hpp`: the second\n")
    assert problems(layer) == []


def test_a_file_without_a_word_is_reported(layer: Path) -> None:
    write(layer, TABLE + "| `a` | one |\n")
    expected = "espalier/base/README.md: expected a word about `b`, which is there"
    assert problems(layer) == [expected]


def test_a_row_without_a_file_is_reported(layer: Path) -> None:
    write(
        layer, TABLE + "| `a`, `b` | two |\n| `gone` | |\n\n| test | on |\n|---|---|\n| `x` | |\n"
    )
    expected = "espalier/base/README.md: expected files of the folder, got `gone`"
    assert problems(layer) == [expected]


def test_a_star_stands_for_what_begins_so(layer: Path) -> None:
    (layer / "a_more.cpp").touch()
    write(layer, TABLE + "| `a`, `a_*`, `b` | three |\n")
    assert problems(layer) == []


def test_a_folder_needs_a_readme_or_a_word_above(layer: Path) -> None:
    (layer / "room").mkdir()
    (layer / "room" / "c.cpp").touch()
    expected = "espalier/base/room/README.md: expected a table of the files there, found none"
    assert problems(layer) == [expected]
    write(layer, TABLE + "| `a`, `b` | two |\n| `room/` | one file for each thing |\n")
    assert problems(layer) == []
