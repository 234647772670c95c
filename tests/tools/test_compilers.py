# SPDX-License-Identifier: Apache-2.0
"""Which compilers a build accepts: cmake/Compilers.cmake, and what pages say of it."""

from __future__ import annotations

import re
import subprocess

import pytest
from places import repository

from repository import output_of

_SCRIPT = repository / "cmake" / "Compilers.cmake"
OLDEST = dict(
    re.findall(r"^set\(ESPALIER_OLDEST_(\w+) (\d+)\)$", _SCRIPT.read_text(), re.MULTILINE)
)


def configured(compiler: str, version: str) -> tuple[int, str]:
    facts = {"ID": compiler, "VERSION": version}
    words = [f"-DCMAKE_CXX_COMPILER_{name}={value}" for name, value in facts.items()]
    command = ("cmake", "-DCMAKE_CXX_COMPILER=/usr/bin/c++", *words, "-P", _SCRIPT)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, " ".join(done.stderr.split())


@pytest.mark.parametrize(("compiler", "version"), [("GNU", "10.2.1"), ("Clang", "13.0.1")])
def test_an_older_compiler_is_refused(compiler: str, version: str) -> None:
    code, said = configured(compiler, version)
    assert code == 1
    line = f"expected {compiler} {OLDEST[compiler]} or later for C++, found {version}: /usr/bin/c++"
    assert line in said


@pytest.mark.parametrize(
    ("compiler", "version"),
    [("GNU", "11.1.0"), ("GNU", "14.2.0"), ("Clang", "14.0.6"), ("Unheard-of", "1.0")],
)
def test_others_are_tried(compiler: str, version: str) -> None:
    assert configured(compiler, version) == (0, "")


@pytest.mark.parametrize("page", ["docs/howto/install.md", "CONTRIBUTING.md"])
def test_pages_name_the_oldest(page: str) -> None:
    text = (repository / page).read_text(encoding="utf-8")
    assert f"gcc {OLDEST['GNU']}" in text
    assert f"clang {OLDEST['Clang']}" in text


def test_the_oldest_are_those_that_are_tried() -> None:
    script = (repository / "tools" / "try_compilers.sh").read_text(encoding="utf-8")
    assert f"gcc-{OLDEST['GNU']} clang-{OLDEST['Clang']}" in script


@pytest.mark.parametrize(
    ("compiler", "said"),
    [
        ("tcc", "expected gcc-VERSION or clang-VERSION, got 'tcc'"),
        ("gcc-1", "expected gcc-1 on the PATH, found none; the package of Debian is g++-1"),
        ("clang-1", "expected clang-1 on the PATH, found none; the package of Debian is clang-1"),
    ],
)
def test_a_compiler_that_is_not_there_is_one_line(compiler: str, said: str) -> None:
    # Nothing is compiled, not with the compilers before it either.
    command = (repository / "tools" / "try_compilers.sh", "gcc", compiler)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_sources_do_without_the_views_that_clang_14_does_not_compile() -> None:
    # Of the C++ library of GCC 12, which it has in Debian 12; `make compilers` finds what is left.
    return_views = "unique|rotate|(stable_)?partition|remove(_if)?|search|find_end|equal_range"
    views = re.compile(rf"std::views::|std::ranges::({return_views}|subrange|\w+_view)\b")
    listed = output_of(repository, "ls-files", "*.cpp", "*.hpp").split()
    found = [name for name in listed if views.search((repository / name).read_text("utf-8"))]
    assert len(listed) > 100
    assert found == []
