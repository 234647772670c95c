# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import check_tidy

ROOT = Path(__file__).parents[2]

SOUND = (
    "namespace espalier {\nint twice(int value) { return 2 * value; }\n}  // namespace espalier\n"
)
# A name that is not ours, and a variable without a value.
UNSOUND = "int twice(int Value) { int sum; sum = 2 * Value; return sum; }\n"


def git(root: Path, *words: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *identity, *words], cwd=root, check=True)  # noqa: S607


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with two sources, one header, and a build of them."""
    (tmp_path / "espalier" / "base").mkdir(parents=True)
    shutil.copy(ROOT / ".clang-tidy", tmp_path)
    shutil.copy(ROOT / ".clang-format", tmp_path)
    write(tmp_path, "first.hpp", "#pragma once\n")
    write(tmp_path, "first.cpp", f'#include "espalier/base/first.hpp"\n{SOUND}')
    write(tmp_path, "second.cpp", SOUND)
    entries = [
        {
            "directory": str(tmp_path),
            "file": str(tmp_path / name),
            "command": f"c++ -std=c++20 -I{tmp_path} -o x.o -c {tmp_path / name}",
        }
        for name in ("espalier/base/first.cpp", "espalier/base/second.cpp", "tests/third.cpp")
    ]
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / ".gitignore").write_text("build\n", encoding="utf-8")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "base: begin")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "base: go on")
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    (root / "espalier" / "base" / name).write_text(text, encoding="utf-8")


def concerned(root: Path) -> list[str]:
    sources = check_tidy.sources_of(root / "build", root)
    return check_tidy.concerned(sources, check_tidy.changed_since("main", root))


def test_what_did_not_change_is_left_out(root: Path) -> None:
    assert concerned(root) == []


def test_changes_count_before_they_are_committed_and_after(root: Path) -> None:
    write(root, "second.cpp", UNSOUND)
    assert concerned(root) == ["espalier/base/second.cpp"]
    git(root, "checkout", "-q", "-b", "branch")
    git(root, "commit", "-q", "-a", "-m", "base: change")
    git(root, "commit", "-q", "--allow-empty", "-m", "base: go on")
    assert concerned(root) == ["espalier/base/second.cpp"]


def test_the_last_commit_counts_on_the_branch_itself(root: Path) -> None:
    write(root, "second.cpp", UNSOUND)
    git(root, "commit", "-q", "-a", "-m", "base: change")
    assert concerned(root) == ["espalier/base/second.cpp"]


def test_a_header_stands_for_the_source_that_begins_with_it(root: Path) -> None:
    write(root, "first.hpp", "#pragma once\nint twice(int value);\n")
    assert concerned(root) == ["espalier/base/first.cpp"]


def test_without_origin_there_is_nothing_to_compare_with(root: Path) -> None:
    assert not check_tidy.can_compare(root)
    git(root, "update-ref", "refs/remotes/origin/main", "HEAD")
    assert check_tidy.can_compare(root)
    git(root, "checkout", "-q", "--orphan", "first")
    git(root, "commit", "-q", "-m", "base: begin again")
    assert not check_tidy.can_compare(root)


def test_files_that_moved_are_left_out(root: Path) -> None:
    git(root, "mv", "espalier/base/first.hpp", "espalier/base/second.hpp")
    git(root, "commit", "-q", "-m", "base: move")
    assert check_tidy.changed_since("main", root) == {}


def test_changed_lines_are_those_of_the_new_file(root: Path) -> None:
    write(root, "second.cpp", f"// More.\n{SOUND}// Last.\n")
    write(root, "new.cpp", SOUND)
    assert check_tidy.changed_since("main", root) == {
        "espalier/base/second.cpp": [(1, 1), (5, 5)],
        "espalier/base/new.cpp": [(1, check_tidy.END)],
    }


@pytest.fixture
def _tools_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.usefixtures("_tools_of_the_environment")
def test_findings_in_changed_lines_count(root: Path) -> None:
    write(root, "second.cpp", f"{SOUND}{UNSOUND}")
    place = "espalier/base/second.cpp"
    build = root / "build"
    assert "second.cpp:4:" in check_tidy.findings_in(place, build, root, {place: [(4, 4)]})
    assert check_tidy.findings_in(place, build, root, {place: [(1, 3)]}) == ""


@pytest.mark.usefixtures("_tools_of_the_environment")
def test_findings_are_returned(root: Path) -> None:
    write(root, "second.cpp", UNSOUND)

    def find(source: str) -> str:
        return check_tidy.findings_in(source, root / "build", root)

    sources = list(check_tidy.sources_of(root / "build", root))
    (text,), left = check_tidy.check(sources, 60, find)
    assert left == []
    assert "second.cpp:1:" in text
    assert "readability-identifier-naming" in text
    assert "cppcoreguidelines-init-variables" in text


def test_files_that_were_not_begun_in_time_are_named() -> None:
    assert check_tidy.check(["a.cpp", "b.cpp"], -1, lambda _: "found") == ([], ["a.cpp", "b.cpp"])
