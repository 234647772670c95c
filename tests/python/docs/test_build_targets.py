# SPDX-License-Identifier: Apache-2.0
"""`make build` builds what is used; simulator, tests and benchmarks are targets of their own."""

from __future__ import annotations

import shutil
import subprocess

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


def simulated_of(target):
    """Return the files for simulated machines that a target needs, also through others."""
    parts_of(target)
    words = ["ninja", "-C", str(installation.build_folder()), "-t", "inputs", target]
    if shutil.which("ninja") is None:
        pytest.skip("no ninja")
    files = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    return {file for file in files if "smpi" in file and file.endswith((".o", ".a", ".so"))}


def test_programs_for_simulated_machines_are_a_target():
    if not parts_of("simulator"):
        pytest.skip("SimGrid is not installed")
    assert simulated_of("all") == set()
    assert simulated_of("simulator") <= simulated_of("tests")
    assert "lib/libespalier_plan_smpi.a" in simulated_of("simulator")


def test_tests_and_benchmarks_are_targets():
    assert {"bin/test_plan_settings", "benchmarks"} <= parts_of("tests")
    assert parts_of("benchmarks")
