# SPDX-License-Identifier: Apache-2.0
"""What a build says about what is missing: cmake/Packages.cmake and install_dependencies.sh."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from places import repository

if TYPE_CHECKING:
    from pathlib import Path

PACKAGES = repository / "cmake" / "Packages.cmake"
INSTALL = repository / "tools" / "install_dependencies.sh"
DEBIAN = repository / "packaging" / "debian"
PAGE = repository / "docs" / "howto" / "install.md"
ROWS = [
    line.split("|") for line in re.findall(r'^  "(.*\|.*)"$', PACKAGES.read_text(), re.MULTILINE)
]


def missing(part: str, folder: Path) -> tuple[int, str]:
    script = folder / "script.cmake"
    words = f'project_missing({part} "Or do" " without.")'
    script.write_text(f"cmake_minimum_required(VERSION 3.25)\ninclude({PACKAGES})\n{words}\n")
    command = ("cmake", "-P", script)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def test_what_is_needed_is_named_for_each_system(tmp_path: Path) -> None:
    code, said = missing("fmt", tmp_path)
    assert code == 1
    assert "expected fmt, found none" in said
    assert "Debian, Ubuntu: libfmt-dev" in said
    assert "Spack: fmt" in said
    assert "Or do without." in said


def test_what_is_optional_is_one_line_with_what_is_lost(tmp_path: Path) -> None:
    code, said = missing("Scotch", tmp_path)
    assert code == 0
    assert said.count("\n") == 1
    assert "(Debian: libscotch-dev); left out: mappings of graphs have one" in said


def test_an_unknown_part_is_an_error(tmp_path: Path) -> None:
    assert missing("nonsense", tmp_path)[0] == 1


def test_the_packages_of_debian_are_installed() -> None:
    text = INSTALL.read_text(encoding="utf-8")
    for row in ROWS:
        assert all(name in text for name in row[2].split(" or ")), row


def test_the_page_has_all_names() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for part, lost, *names in ROWS:
        assert f"| {part} | {lost or 'everything'} | {' | '.join(names)} |" in page


def packages_of(field: str) -> set[str]:
    """Return the packages that a field of Debian's control file lists, without versions."""
    control = (DEBIAN / "control").read_text(encoding="utf-8")
    match = re.search(rf"^{field}:\n((?: .*\n)+)", control, re.MULTILINE)
    assert match, field
    return set(re.findall(r"^ ([a-z0-9][a-z0-9.+-]*)", match[1], re.MULTILINE))


def test_what_a_package_of_debian_is_built_with_is_installed() -> None:
    words = set(re.findall(r"[a-z0-9][a-z0-9.+-]*", INSTALL.read_text(encoding="utf-8")))
    wanted = packages_of("Build-Depends") - {"debhelper-compat"} | {"debhelper"}
    assert len(wanted) > 20
    assert wanted - words == set()


def test_a_package_of_debian_is_built_with_all_that_it_may_use() -> None:
    # Else what it has depends on what else is on the machine that builds it.
    left_out = {"standard ABI", "SimGrid", "GoogleTest"}  # packaging/debian/rules
    wanted = {name for row in ROWS if row[0] not in left_out for name in row[2].split(" or ")}
    assert len(wanted) > 6
    assert wanted - packages_of("Build-Depends") == set()


def test_a_package_of_debian_runs_with_the_python_packages_it_is_built_with() -> None:
    needed = {name for name in packages_of("Depends") if name != "python3"}
    assert "python3-numpy" in needed
    assert needed == {
        name
        for name in packages_of("Build-Depends") - {"python3-dev", "python3-venv"}
        if name.startswith("python3-")
    }


def test_a_package_of_debian_has_the_version_of_the_project() -> None:
    project = (repository / "CMakeLists.txt").read_text(encoding="utf-8")
    changelog = (DEBIAN / "changelog").read_text(encoding="utf-8")
    version = re.search(r"^  VERSION ([0-9.]+)$", project, re.MULTILINE)
    assert version
    assert changelog.startswith(f"espalier ({version[1]}-")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the script beside an environment of Python that is up to date."""
    (tmp_path / "tools").mkdir()
    shutil.copy2(INSTALL, tmp_path / "tools")
    project = tmp_path / "pyproject.toml"
    project.write_text("")
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to("/usr/bin/python3")
    command = ("sha256sum", "pyproject.toml", os.path.realpath("/usr/bin/python3"))
    sums = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert hashlib.sha256(b"").hexdigest() in sums
    (tmp_path / ".venv" / ".requirements.sha256").write_text(sums)
    header = tmp_path / ".venv" / "include" / "mpi_abi.h"
    header.parent.mkdir()
    header.touch()
    return tmp_path


def installed(copy: Path, group: str, tools: list[str]) -> tuple[int, str]:
    """Run the script where there are no other tools than these and those that every system has."""
    folder = copy / "bin"
    folder.mkdir(exist_ok=True)
    for name in ("bash", "dirname", "readlink", "sha256sum", "sed"):
        (folder / name).symlink_to(shutil.which(name) or name)
    for name in tools:
        (folder / name).symlink_to("/bin/true")
    done = subprocess.run(
        [copy / "tools" / INSTALL.name, group],
        env={"PATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_without_apt_it_names_the_packages_and_goes_on(copy: Path) -> None:
    code, said = installed(copy, "build", ["cmake", "ninja", "c++"])
    assert code == 0, said
    assert "no apt-get here; in Debian they are called build-essential cmake" in said
    assert "python environment: up to date" in said


@pytest.mark.parametrize(
    ("group", "tools", "wanted"),
    [
        ("build", [], {"libopenmpi-dev"}),
        ("build", ["mpicc"], set()),
        ("compilers", ["mpicc"], set()),
        ("demo", ["mpicc"], {"libopenmpi-dev"}),
        ("standard-abi", ["mpicc"], {"libopenmpi-dev", "libmpich-dev"}),
        ("test", [], {"libopenmpi-dev", "libmpich-dev"}),
    ],
)
def test_a_build_is_for_the_mpi_that_is_there(
    copy: Path, group: str, tools: list[str], wanted: set[str]
) -> None:
    code, said = installed(copy, group, ["cmake", "ninja", "c++", *tools])
    assert code == 0, said
    assert {"libopenmpi-dev", "libmpich-dev"} & set(said.split()) == wanted


def test_what_this_release_has_is_installed_whatever_its_name(copy: Path) -> None:
    apt_cache = shutil.which("apt-cache")
    known = ("apt-cache", "show", "g++-11", "clang-14")
    if not apt_cache or subprocess.run(known, capture_output=True, check=False).returncode != 0:
        pytest.skip("no lists of packages that have the oldest compilers")
    tools = ["cmake", "ninja", "c++", "mpicc", "apt-get", "sudo", "env", "dpkg-query"]
    (copy / "bin").mkdir()
    (copy / "bin" / "apt-cache").symlink_to(apt_cache)
    code, said = installed(copy, "compilers", tools)
    assert code == 0, said
    assert "left out" not in said
    match = re.search(r"system packages \((.*)\): done", said)
    assert match
    assert {"g++-11", "clang-14"} <= set(match[1].split())


def test_without_cmake_it_says_where_to_get_it(copy: Path) -> None:
    code, said = installed(copy, "build", ["ninja", "c++"])
    assert code == 1
    assert "expected cmake on the PATH, found none" in said


def test_an_unknown_group_is_an_error(copy: Path) -> None:
    code, said = installed(copy, "nonsense", ["cmake", "ninja", "c++"])
    assert code == 1
    assert "distributions, compilers or debian-package, got 'nonsense'" in said
