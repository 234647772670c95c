# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import check_headers

if TYPE_CHECKING:
    from pathlib import Path

COMPLETE = "#pragma once\n#include <string>\nstd::string name();\n"
# Compiles only behind something that includes <string>.
INCOMPLETE = "#pragma once\nstd::string name();\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A layer with one header, one source, and the command that compiles the source."""
    folder = tmp_path / "espalier" / "base"
    folder.mkdir(parents=True)
    source = folder / "name.cpp"
    (tmp_path / "build").mkdir()
    command = f"c++ -I{tmp_path} -DEXPECTED -o name.o -c {source}"
    entry = {"directory": str(tmp_path), "file": str(source), "command": command}
    (tmp_path / "build" / "compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
    write(tmp_path, "name.hpp", COMPLETE)
    write(tmp_path, "name.cpp", '#include <string>\n#include "espalier/base/name.hpp"\n')
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    (root / "espalier" / "base" / name).write_text(text, encoding="utf-8")


def problems(root: Path) -> list[str]:
    return check_headers.check(root / "build", root)


def test_a_complete_header_is_accepted(root: Path) -> None:
    assert problems(root) == []


def test_a_header_that_needs_another_one_is_reported(root: Path) -> None:
    write(root, "name.hpp", INCOMPLETE)
    (problem,) = problems(root)
    assert problem.startswith("espalier/base/name.hpp: does not compile alone\n")
    assert "name.hpp:2" in problem


def test_a_source_that_begins_with_a_header_proves_it(root: Path) -> None:
    write(root, "name.hpp", INCOMPLETE)
    write(root, "name.cpp", '// A comment.\n\n/* more */\n#include "espalier/base/name.hpp"\n')
    # It is the build that fails.
    assert problems(root) == []


def test_the_definitions_of_the_source_are_kept(root: Path) -> None:
    write(root, "name.hpp", "#ifndef EXPECTED\n#error none\n#endif\n")
    assert problems(root) == []


@pytest.mark.parametrize("before", ["#define NAME\n", "#include <string>\n", "int i;\n"])
def test_a_source_with_something_before_proves_nothing(root: Path, before: str) -> None:
    write(root, "name.hpp", INCOMPLETE)
    write(root, "name.cpp", f'{before}#include "espalier/base/name.hpp"\n')
    assert len(problems(root)) == 1


def test_headers_are_reached_by_commands(root: Path) -> None:
    write(root, "forced.hpp", COMPLETE)
    (problem,) = problems(root)
    assert "espalier/base/forced.hpp: expected a source that includes it" in problem
    commands = root / "build" / "compile_commands.json"
    (entry,) = json.loads(commands.read_text(encoding="utf-8"))
    entry["command"] += f" -include {root}/espalier/base/forced.hpp"
    commands.write_text(json.dumps([entry]), encoding="utf-8")
    assert problems(root) == []
    write(root, "forced.hpp", INCOMPLETE)
    assert any(
        problem.startswith("espalier/base/forced.hpp: does not") for problem in problems(root)
    )


def test_headers_are_reached_over_others(root: Path) -> None:
    write(root, "name.hpp", '#include "inner.hpp"\n' + COMPLETE)
    write(root, "inner.hpp", INCOMPLETE)
    assert problems(root) != []
    write(root, "inner.hpp", COMPLETE)
    assert problems(root) == []


def test_a_header_that_nobody_includes_is_reported(root: Path) -> None:
    write(root, "lost.hpp", COMPLETE)
    place = "espalier/base/lost.hpp"
    assert problems(root) == [
        f"{place}: expected a source that includes it, directly or not, found none"
    ]
