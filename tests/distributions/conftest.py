# SPDX-License-Identifier: Apache-2.0
"""Minimal systems of Debian in folders, with an MPI, Python and pip, and no compiler."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from places import repository

import chroot
from chroot import Chroot

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from _pytest.tmpdir import TempPathFactory


@dataclass(frozen=True)
class Distribution:
    """A suite of Debian and what its packages are; `mpi` is the family of its MPI."""

    suite: str
    python: str
    package: str
    mpi: str

    def __str__(self) -> str:
        return f"{self.suite}-{self.mpi}"


DISTRIBUTIONS = [
    Distribution("bookworm", "3.11", "openmpi-bin", "openmpi"),
    Distribution("trixie", "3.13", "openmpi-bin", "openmpi"),
    Distribution("trixie", "3.13", "mpich", "mpich"),
]


@dataclass(frozen=True)
class Machine:
    """A distribution in a folder, with the wheel and all that it needs in /wheels."""

    distribution: Distribution
    system: Chroot
    wheel: str

    def run(self, *command: str, is_root: bool, seconds: float = 300) -> str:
        """Run a command; the test fails with its output."""
        try:
            return self.system.run(*command, is_root=is_root, seconds=seconds)
        except subprocess.CalledProcessError as error:
            pytest.fail(f"{' '.join(command)}: exit code {error.returncode}\n{error.output}")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: TempPathFactory) -> Path:
    """The wheel of the release build."""
    folder = tmp_path_factory.mktemp("wheel")
    make = repository / "packaging" / "wheel" / "make_wheel.py"
    build = repository / "build" / "release"
    subprocess.run([sys.executable, make, build, folder], stdout=subprocess.DEVNULL, check=True)
    return next(folder.glob("*.whl"))


def download(wheel: Path, python: str, folder: Path) -> None:
    """Put a wheel and the packages that it needs for a version of Python into a folder."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q"]
    for_python = ["--only-binary", ":all:", "--python-version", python]
    subprocess.run([*command, *for_python, "-d", folder, wheel], check=True)


def made(folder: Path, suite: str, packages: list[str]) -> Chroot:
    """Make a system in a folder of pytest; the test fails with the output of what failed."""
    # mkdtemp gives no rights to others, and a user has to reach the root of the system.
    folder.chmod(0o755)
    try:
        return Chroot.make(folder, suite, packages)
    except subprocess.CalledProcessError as error:
        pytest.fail(f"{suite} was not made: exit code {error.returncode}\n{error.output[-4000:]}")


@pytest.fixture(scope="session", params=DISTRIBUTIONS, ids=str)
def machine(
    request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: TempPathFactory
) -> Iterator[Machine]:
    """Each distribution; its folder is removed after its tests."""
    if reason := chroot.why_not():
        pytest.skip(reason)
    distribution = request.param
    folder = tmp_path_factory.mktemp(distribution.suite)
    wheels = tmp_path_factory.mktemp("wheels") / "wheels"
    download(wheel, distribution.python, wheels)
    system = made(folder, distribution.suite, ["python3-venv", distribution.package])
    try:
        system.put(wheels, "")
        yield Machine(distribution, system, f"/wheels/{wheel.name}")
    finally:
        system.remove()
