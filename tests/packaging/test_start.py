# SPDX-License-Identifier: Apache-2.0
"""How the command line starts, from a prefix and from a checkout."""

from __future__ import annotations

import ast
import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from places import repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Modules that the command line needs, and that break it if they come from elsewhere.
_FOREIGN = {"random": "x = 1", "platform": "x = 1", "typer": "import sys; sys.exit(99)"}
_LAUNCH = ("run", "--", "mpirun.openmpi", "-n", "1")
_START = repository / "packaging" / "prefix" / "start.py"
# An interpreter that says it is an old one.
_OLD_PYTHON = """#!/bin/sh
exec {python} -c '
import runpy, sys
sys.version_info = (3, 8, 18)
sys.executable = "/old/python"
runpy.run_path(sys.argv[2], run_name="__main__")' "$@"
"""


@pytest.fixture(params=["prefix", "checkout"])
def espalier(request: pytest.FixtureRequest) -> Path:
    """The program that users call."""
    if request.param == "prefix":
        return request.getfixturevalue("prefix") / "bin" / "espalier"
    if not (repository / ".venv").is_dir():
        pytest.skip("there is no .venv, without which bin/espalier does not run")
    return repository / "bin" / "espalier"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with modules of somebody else."""
    for name, text in _FOREIGN.items():
        (tmp_path / f"{name}.py").write_text(f"{text}\n", encoding="utf-8")
    return tmp_path


def failing(run: Callable, *words: str | Path, **environment: str | Path) -> str:
    """Return what a command prints that is to fail."""
    return run("sh", "-c", '! "$@" 2>&1', "sh", *words, **environment)


def test_modules_of_the_working_directory_are_not_ours(
    espalier: Path, run: Callable, folder: Path
) -> None:
    assert "allgather/ring" in run("env", "-C", folder, espalier, "list")
    assert "HOME=" in run("env", "-C", folder, espalier, *_LAUNCH, "env")


def test_modules_of_pythonpath_are_for_programs(
    espalier: Path, run: Callable, folder: Path
) -> None:
    assert "allgather/ring" in run(espalier, "list", PYTHONPATH=folder)
    printed = run(espalier, *_LAUNCH, "env", PYTHONPATH=folder)
    assert f"PYTHONPATH={folder}" in printed.splitlines()


def test_programs_get_no_pythonpath_of_ours(espalier: Path, run: Callable) -> None:
    assert "PYTHONPATH" not in run(espalier, *_LAUNCH, "env")


def test_arguments_arrive_as_they_are(espalier: Path, run: Callable) -> None:
    printed = run(espalier, *_LAUNCH, "printf", "<%s>", "a  b", "", "*")
    assert "<a  b><><*>" in printed


def test_the_python_of_the_build_may_lie_below_a_folder_with_a_space(
    run: Callable, tmp_path: Path
) -> None:
    python = tmp_path / "a b" / "python"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\necho started $#\n", encoding="utf-8")
    python.chmod(0o755)
    made = tmp_path / "espalier"
    script = tmp_path / "script.cmake"
    template = repository / "packaging" / "prefix" / "espalier.sh.in"
    script.write_text(f'configure_file("{template}" "{made}" @ONLY)\n', encoding="utf-8")
    run("cmake", f"-DPython_EXECUTABLE={python}", "-Dprivate=private", "-P", script)
    assert run("sh", made, "list") == "started 3\n"


def test_a_python_that_is_too_old_is_one_line(prefix: Path, run: Callable, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(_OLD_PYTHON.format(python=sys.executable), encoding="utf-8")
    python.chmod(0o755)
    printed = failing(run, prefix / "bin" / "espalier", "list", ESPALIER_PYTHON=python)
    found = "found 3.8 (/old/python)"
    assert printed == (f"espalier: expected Python 3.10 or later, {found}; set ESPALIER_PYTHON\n")


def test_a_python_that_is_too_old_reads_what_tells_it_so() -> None:
    ast.parse(_START.read_text(encoding="utf-8"), feature_version=(3, 6))


def test_a_python_without_the_packages_is_one_line(
    prefix: Path, run: Callable, tmp_path: Path
) -> None:
    python = shutil.which("python3", path="/usr/bin")
    words = (prefix / "bin" / "espalier", "list")
    printed = failing(run, *words, ESPALIER_PYTHON=f"{python}", HOME=tmp_path)
    assert printed.startswith("espalier: expected the Python package ")
    assert printed.count("\n") == 1
    private = prefix / "lib" / "espalier"
    for named in (f"{private}/python/requirements.txt", f"{private}/venv", "ESPALIER_PYTHON"):
        assert named in printed
