# SPDX-License-Identifier: Apache-2.0
"""The package of `make debian-package` on a minimal Debian 12: installed, used, removed."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from conftest import Distribution, Machine, made
from places import repository

import chroot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.tmpdir import TempPathFactory

_PROGRAM = repository / "examples" / "01_preload" / "preload.c"
_INSTALL = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-q", "-y")
_ALLOW = ("OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
_RUN = "espalier run --force allgather=ring --summary -- mpirun -n 4 --oversubscribe /opt/program"
_PRELOAD = """
library=$(find /usr/lib -name libespalier-openmpi.so)
ESPALIER_FORCE=allgather=ring ESPALIER_STATISTICS=$HOME/statistics LD_PRELOAD=$library \
  mpirun -n 4 --oversubscribe /opt/program >/dev/null && cat "$HOME"/statistics/*
"""
# PT-Scotch orders the points of a mesh; it gives the same order each time.
_PROGRAM_OF_DEBIAN = """
set -e
cd "$HOME"
gmk_m2 60 60 mesh.grf
mpirun -n 2 --oversubscribe dgord mesh.grf native.txt -Cd
espalier run --force allgather=ring --summary -- \
  mpirun -n 2 --oversubscribe dgord mesh.grf preloaded.txt -Cd
test "$(wc -l <native.txt)" -gt 3600
cmp native.txt preloaded.txt
"""
_PAGES = "zcat /usr/share/man/man1/espalier.1.gz /usr/share/man/man1/espalier-run.1.gz"
_PYTHON = "/usr/lib/*/espalier/python/espalier"
# It imports what draws in three dimensions, and warns if that belongs to another version.
_MATPLOTLIB = (
    "/usr/lib/*/espalier/venv/bin/python -W error::UserWarning "
    "-c 'import matplotlib.projections; print(matplotlib.__file__)'"
)
_LEFT = "find /etc /usr /var/lib -name '*espalier*'; dpkg --verify"


@pytest.fixture(scope="module")
def system(tmp_path_factory: TempPathFactory) -> Iterator[Machine]:
    """A system in which the package is installed, beside Open MPI and a program of Debian."""
    if reason := chroot.why_not():
        pytest.skip(reason)
    packages = sorted((repository / "build" / "dist").glob("espalier_*.deb"))
    if not packages:
        pytest.skip("no package in build/dist; 'make debian-package' builds it")
    folder = tmp_path_factory.mktemp("bookworm")
    distribution = Distribution("bookworm", "3.11", "openmpi-bin", "openmpi")
    program = tmp_path_factory.mktemp("program") / "program"
    compiler = f"mpicc.{distribution.mpi}"
    subprocess.run([compiler, _PROGRAM, "-o", program, "-lm"], check=True)
    debian = made(folder, distribution.suite, [distribution.package, "ptscotch", "scotch"])
    try:
        debian.put(program, "/opt")
        machine = Machine(distribution, debian, debian.put(packages[-1], "/opt"))
        install = (*_INSTALL, "--no-install-recommends", machine.wheel)
        machine.run(*install, is_root=True, seconds=900)
        yield machine
    finally:
        debian.remove()


@pytest.fixture(params=[True, False], ids=["root", "user"])
def is_root(request: pytest.FixtureRequest) -> bool:
    """Who runs programs."""
    return bool(request.param)


def test_it_says_its_version_and_no_more(system: Machine, is_root: bool) -> None:
    printed = system.run("espalier", "--version", is_root=is_root)
    assert re.fullmatch(r"espalier [0-9.]+\n", printed)


def test_programs_run_with_it(system: Machine, is_root: bool) -> None:
    assert "openmpi" in system.run("env", *_ALLOW, "espalier", "doctor", is_root=is_root)
    printed = system.run("env", *_ALLOW, *_RUN.split(), is_root=is_root)
    assert "allgather/ring" in printed
    assert "forced" in printed
    counted = system.run("env", *_ALLOW, "sh", "-c", _PRELOAD, is_root=is_root)
    assert counted.count('"allgather/ring"') >= 4


def test_a_program_of_debian_runs_with_it(system: Machine, is_root: bool) -> None:
    printed = system.run("env", *_ALLOW, "sh", "-c", _PROGRAM_OF_DEBIAN, is_root=is_root)
    assert "allgather/ring (forced" in printed


def test_it_has_manual_pages(system: Machine) -> None:
    pages = system.run("sh", "-c", _PAGES, is_root=False)
    assert pages.count(".TH") == 2


def test_users_find_it_compiled(system: Machine) -> None:
    listed = system.run("sh", "-c", f"ls {_PYTHON}/__pycache__", is_root=False)
    assert "__main__.cpython-311.pyc" in listed


def test_it_keeps_its_matplotlib_beside_that_of_debian(system: Machine) -> None:
    install = (*_INSTALL, "--no-install-recommends", "python3-matplotlib")
    system.run(*install, is_root=True, seconds=900)
    assert "/espalier/venv/" in system.run("sh", "-c", _MATPLOTLIB, is_root=False)


def test_it_removes_itself(system: Machine) -> None:
    system.run("dpkg", "--remove", "espalier", is_root=True)
    assert system.run("sh", "-c", _LEFT, is_root=True) == ""
