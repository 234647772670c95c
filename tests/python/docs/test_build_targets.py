# SPDX-License-Identifier: Apache-2.0
"""`make build` builds what is used; tests and benchmarks are targets of their own."""

from __future__ import annotations

import pytest

from espalier import installation


def parts_of(target):
    """Return what a target of the build folder stands for."""
    folder = installation.build_folder()
    if folder is None or not (folder / "build.ninja").is_file():
        pytest.skip("no build folder of Ninja")
    begin = f"build {target}: phony "
    for line in (folder / "build.ninja").read_text(encoding="utf-8").splitlines():
        if line.startswith(begin):
            return set(line.removeprefix(begin).split())
    return set()


def test_all_has_what_is_used():
    parts = parts_of("all")
    assert {"espalier/measure/all", "shim/all", "python/all", "examples/all"} <= parts


def test_all_has_neither_tests_nor_benchmarks():
    assert not {part for part in parts_of("all") if part.startswith(("tests", "benchmarks"))}


def test_tests_and_benchmarks_are_targets():
    assert {"bin/test_plan_settings", "benchmarks"} <= parts_of("tests")
    assert parts_of("benchmarks")
