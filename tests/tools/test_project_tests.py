# SPDX-License-Identifier: Apache-2.0
"""cmake/ProjectTests.cmake, on a project with two small programs in place of GoogleTest's."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

PROJECT = f"""\
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
set(ESPALIER_WITH_TESTS ON)
include({ROOT}/cmake/ProjectLayer.cmake)
include({ROOT}/cmake/ProjectTests.cmake)
enable_testing()
add_library(GTest::gtest_main INTERFACE IMPORTED)
unit_test(plain SOURCES one_test.cpp)
unit_test(proved SOURCES one_test.cpp LABELS property slow TIMEOUT 300)
"""

# What a program of GoogleTest prints when it is asked for its tests.
PROGRAM = """\
#include <cstdio>
int main() { std::puts("Suite.\\n  Test"); }
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project, configured."""
    (tmp_path / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "one_test.cpp").write_text(PROGRAM, encoding="utf-8")
    run("cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build")
    return tmp_path / "build"


def run(*command: str | Path) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def properties_after_building(project: Path, name: str, *targets: str) -> dict[str, Any]:
    """Return a property of each test that has it, once these programs are built."""
    run("cmake", "--build", project, "--target", *targets)
    listed = json.loads(run("ctest", "--test-dir", project, "--show-only=json-v1"))
    return {
        test["name"]: entry["value"]
        for test in listed["tests"]
        for entry in test["properties"]
        if entry["name"] == name
    }


def test_each_program_has_its_own_labels(project: Path) -> None:
    labels = properties_after_building(project, "LABELS", "test_plain", "test_proved")
    assert labels == {
        "plain.Suite.Test": ["unit"],
        "proved.Suite.Test": ["property", "slow", "unit"],
    }


def test_labels_of_a_program_that_is_not_built_are_nobodys(project: Path) -> None:
    labels = properties_after_building(project, "LABELS", "test_plain")
    assert labels == {"plain.Suite.Test": ["unit"]}


def test_tests_that_may_take_long_begin_first(project: Path) -> None:
    costs = properties_after_building(project, "COST", "test_plain", "test_proved")
    assert costs == {"plain.Suite.Test": -940, "proved.Suite.Test": -700}
