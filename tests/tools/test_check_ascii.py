# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import TYPE_CHECKING

import check_ascii

if TYPE_CHECKING:
    from pathlib import Path


def test_other_characters_are_reported_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("int a;\n// \u03b1 + \u03b2\n", encoding="utf-8")
    assert check_ascii.check(tmp_path) == ["a.cpp:2: not ASCII: U+03B1 U+03B2"]


def test_ascii_binary_formats_and_build_results_are_accepted(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text("int a;\n", encoding="ascii")
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "b.txt").write_bytes(b"\xff")
    assert check_ascii.check(tmp_path) == []
