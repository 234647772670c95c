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
    return check_headers.check([root / "build"], root)


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


def batch(root: Path, *, include: str = "") -> None:
    """Let the build compile the source in a batch."""
    source = root / "espalier" / "base" / "name.cpp"
    file = root / "build" / "CMakeFiles" / "base.dir" / "Unity" / "unity_0_cxx.cxx"
    file.parent.mkdir(parents=True)
    file.write_text(f'#include "{source}"\n', encoding="utf-8")
    command = f"c++ -I{root} {include} -DEXPECTED -o unity_0.o -c {file}"
    entry = {"directory": str(root), "file": str(file), "command": command}
    (root / "build" / "compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")


def test_a_source_in_a_batch_proves_nothing(root: Path) -> None:
    write(root, "name.cpp", '#include "espalier/base/name.hpp"\n')
    batch(root)
    assert problems(root) == []
    write(root, "name.hpp", INCOMPLETE)
    (problem,) = problems(root)
    assert problem.startswith("espalier/base/name.hpp: does not compile alone\n")


def test_a_build_without_batches_proves_what_another_one_does_not(root: Path) -> None:
    write(root, "name.cpp", '#include "espalier/base/name.hpp"\n')
    write(root, "name.hpp", INCOMPLETE)
    alone = root / "alone"
    alone.mkdir()
    (root / "build" / "compile_commands.json").rename(alone / "compile_commands.json")
    batch(root)
    assert len(problems(root)) == 1
    assert check_headers.check([root / "build", alone], root) == []


@pytest.mark.parametrize(("ahead", "num_problems"), [("ours", 1), ("standard", 0)])
def test_headers_of_ours_that_are_precompiled_prove_nothing(
    root: Path, ahead: str, num_problems: int
) -> None:
    write(root, "name.cpp", '#include "espalier/base/name.hpp"\n')
    write(root, "name.hpp", "#pragma once\nNumber name();\n")
    write(root, "number.hpp", "#pragma once\nusing Number = int;\n")
    write(root, "number.cpp", '#include "espalier/base/number.hpp"\n')
    commands = root / "build" / "compile_commands.json"
    text = commands.read_text(encoding="utf-8")
    names = {"ours": f'"{root}/espalier/base/number.hpp"', "standard": "<string>"}
    precompiled = root / "build" / "cmake_pch.hxx"
    precompiled.write_text(f"#include {names[ahead]}\n", encoding="utf-8")
    option = f"-include {precompiled}"
    commands.write_text(text.replace("-DEXPECTED", f"{option} -DEXPECTED"), encoding="utf-8")
    found = [problem for problem in problems(root) if "name.hpp" in problem]
    # Where the source proves it, it is the build that fails.
    assert len(found) == num_problems


def test_commands_are_written_for_each_source_of_a_batch(root: Path) -> None:
    batch(root)
    check_headers.write_commands(check_headers.commands_of(root / "build", root), root)
    (entry,) = json.loads((root / "compile_commands.json").read_text(encoding="utf-8"))
    source = str(root / "espalier" / "base" / "name.cpp")
    assert entry["file"] == source
    assert entry["command"].endswith(f"-c {source}")
