# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import re
from pathlib import Path

import pytest

import check_includes

ROOT = Path(__file__).parents[2]


def write(root: Path, name: str, text: str) -> None:
    file = root / "espalier" / "base" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_this_repository_includes_what_it_uses() -> None:
    assert check_includes.check(ROOT) == []


def test_every_header_that_is_compiled_ahead_has_names() -> None:
    text = (ROOT / "cmake" / "StandardHeaders.cmake").read_text(encoding="utf-8")
    ahead = re.findall(r"^ +<(\w+)>$", text, re.MULTILINE)
    assert len(ahead) > 10
    assert set(ahead) <= set(check_includes.NAMES)


@pytest.mark.parametrize("include", ["", "#include <vector>\n", '#include "other.hpp"\n'])
def test_a_missing_header_is_named(tmp_path: Path, include: str) -> None:
    write(tmp_path, "other.hpp", "#include <set>\n")
    write(tmp_path, "name.hpp", f"{include}\nstd::string name();\nstd::string other();\n")
    line = 2 + include.count("\n")
    expected = f"espalier/base/name.hpp:{line}: expected <string> for std::string, found none"
    assert check_includes.check(tmp_path) == [expected]


@pytest.mark.parametrize(
    "include",
    ["<string>", '"other.hpp"', '"espalier/base/other.hpp"', '"over.hpp"'],
)
def test_headers_of_ours_may_include_it(tmp_path: Path, include: str) -> None:
    write(tmp_path, "other.hpp", "#include <string>\n")
    write(tmp_path, "over.hpp", '#include "other.hpp"\n')
    write(tmp_path, "name.hpp", f"#include {include}\nstd::string name();\n")
    assert check_includes.check(tmp_path) == []


@pytest.mark.parametrize(
    "text",
    ["// std::string\n", "/* std::string\n*/\n", 'auto x = "std::string";\n', "std::byte b;\n"],
)
def test_comments_texts_and_other_names_need_none(tmp_path: Path, text: str) -> None:
    write(tmp_path, "name.cpp", text)
    assert check_includes.check(tmp_path) == []


@pytest.mark.parametrize("include", ["<cmath>", "<cstdlib>"])
def test_some_names_have_several_headers(tmp_path: Path, include: str) -> None:
    write(tmp_path, "name.cpp", f"#include {include}\nint a = std::abs(-1);\n")
    assert check_includes.check(tmp_path) == []


def test_ranges_need_their_header(tmp_path: Path) -> None:
    write(tmp_path, "name.cpp", "void f() { std::ranges::sort(list); }\n")
    assert check_includes.check(tmp_path) == [
        "espalier/base/name.cpp:1: expected <algorithm> for std::sort, found none"
    ]
