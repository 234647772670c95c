# SPDX-License-Identifier: Apache-2.0
"""The wheel that is packed from the release build, installed where there is no compiler."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from places import repository

import dynamic_section

if TYPE_CHECKING:
    from collections.abc import Callable

    from _pytest.tmpdir import TempPathFactory

MAKE_WHEEL = repository / "packaging" / "wheel" / "make_wheel.py"
PROGRAM = repository / "examples" / "01_preload" / "preload.c"
# What `espalier run` starts, and what the launcher of Open MPI looks for; no compiler among it.
TOOLS = ("bash", "env", "ldd", "mpirun.openmpi", "orted", "readlink", "sh", "ssh", "uname")


def made(build: Path, run: Callable, folder: Path) -> Path:
    return Path(run(sys.executable, MAKE_WHEEL, build, folder, PATH=os.environ["PATH"]).split()[-1])


@pytest.fixture(scope="module")
def wheel(build: Path, run: Callable, tmp_path_factory: TempPathFactory) -> Path:
    """The wheel."""
    return made(build, run, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: TempPathFactory) -> Path:
    """An environment of Python with the wheel, and with the packages that it needs from ours."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    install = ["install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python, *install],
        check=True,
    )
    ours = next(Path(path) for path in sys.path if path.endswith("site-packages"))
    theirs = next(folder.glob("lib/python*/site-packages"))
    (theirs / "packages_that_are_needed.pth").write_text(f"{ours}\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def path_without_compiler(environment: Path, tmp_path_factory: TempPathFactory) -> str:
    """A PATH with the environment and few programs."""
    folder = tmp_path_factory.mktemp("tools")
    for name in TOOLS:
        if found := shutil.which(name):
            (folder / name).symlink_to(found)
    return f"{environment / 'bin'}:{folder}"


def test_its_tag_is_that_of_its_files(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    sections = [dynamic_section.read(path) for path in dynamic_section.binaries_in(tmp_path)]
    assert [text for section in sections for text in section.strange()] == []
    minor = re.search(r"-cp310-abi3-manylinux_2_(\d+)_\w+\.whl", wheel.name)
    assert minor
    assert int(minor[1]) == max(section.glibc_minor for section in sections) <= 34


def test_it_has_what_the_command_line_starts(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {
        "espalier/lib/libespalier-openmpi.so",
        "espalier/lib/libespalier-api-openmpi.so.0",
        "espalier/libexec/espalier-measure-openmpi",
        "espalier/libexec/espalier-probe-openmpi",
        "espalier/schemas/profile-1.schema.json",
        "espalier/py.typed",
    } <= names
    assert [name for name in names if re.fullmatch(r"espalier/_core\..*\.so", name)]
    assert not [name for name in names if "__pycache__" in name or "smpi" in name]


def test_the_same_build_gives_the_same_bytes(
    build: Path, run: Callable, wheel: Path, tmp_path: Path
) -> None:
    again = made(build, run, tmp_path)
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


def test_a_program_runs_where_there_is_no_compiler(
    run: Callable, environment: Path, path_without_compiler: str, tmp_path: Path
) -> None:
    program = tmp_path / "program"
    run("mpicc.openmpi", PROGRAM, "-o", program, "-lm")
    assert shutil.which("cc", path=path_without_compiler) is None
    launch = ("mpirun.openmpi", "-n", "2", program)
    command = (environment / "bin" / "espalier", "run", "--force", "allgather=ring", "--summary")
    printed = run(*command, "--", *launch, PATH=path_without_compiler)
    assert "ring" in printed


def test_the_core_comes_from_the_wheel(run: Callable, environment: Path) -> None:
    code = "import espalier._core as core; print(core.__file__)"
    assert run(environment / "bin" / "python", "-c", code).startswith(str(environment))
