# SPDX-License-Identifier: Apache-2.0
"""Libraries for programs of others need the C library and the MPI, and show their interface."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import pytest
from places import repository

import dynamic_section

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VENDORS = ("openmpi", "mpich")
STANDARD = "abi"
# Of the preload library: both names of MPI functions (shim/README.md says why both), also those
# that persistent collectives have in Open MPI 4, and what others tell it by: MPICH its progress
# (espalier/plan/progress/progress_mpich.cpp), which the C interface hears of, too, and the C
# interface its own collectives (espalier/capi/own_work.hpp).
WRAPPER = re.compile(r"P?MPI_[A-Z]\w*|P?MPIX_[A-Z]\w*_init|ucp_worker_progress|espalier_own_work")
INTERFACE = re.compile(r"MPIX_(Cart|Dims)_\w+|espalier_\w+|ucp_worker_progress")


def built(library: Path) -> Path:
    if not library.is_file():
        pytest.skip(f"{library.name} is not built")
    return library


@pytest.fixture(params=VENDORS)
def interface(build: Path, request: pytest.FixtureRequest) -> Path:
    """The library of the C interface."""
    return built(build / "lib" / f"libespalier-api-{request.param}.so")


@pytest.fixture(params=[*VENDORS, STANDARD])
def preloaded(build: Path, request: pytest.FixtureRequest) -> Path:
    """The library to preload, also that for the standard ABI."""
    return built(build / "lib" / f"libespalier-{request.param}.so")


def strange_exports(library: Path, expected: re.Pattern[str]) -> list[str]:
    """Return what a library shows that it should not; it has to show something."""
    names = dynamic_section.exported(library)
    assert names
    return sorted(name for name in names if not expected.fullmatch(name))


def needs_nothing_else(library: Path) -> None:
    section = dynamic_section.read(library)
    assert [text for text in section.strange() if "needs" in text] == []
    assert "libc.so.6" in section.needed


def test_the_preloaded_library_needs_the_c_library_and_the_mpi(preloaded: Path) -> None:
    needs_nothing_else(preloaded)


def test_the_interface_needs_the_c_library_and_the_mpi(interface: Path) -> None:
    needs_nothing_else(interface)


def test_it_names_no_mpi_library_where_several_names_serve(preloaded: Path) -> None:
    names = {name for name in dynamic_section.read(preloaded).needed if "mpi" in name}
    assert names == ({"libmpi.so.40"} if "openmpi" in preloaded.name else set())


def test_the_preloaded_library_shows_functions_of_mpi(preloaded: Path) -> None:
    assert strange_exports(preloaded, WRAPPER) == []


def test_the_interface_shows_its_functions(interface: Path) -> None:
    assert strange_exports(interface, INTERFACE) == []


def test_the_preloaded_library_shows_every_function_of_the_table(preloaded: Path) -> None:
    table = json.loads((repository / "espalier" / "calls" / "functions.json").read_text())
    names = dynamic_section.exported(preloaded)
    assert {row["name"] for row in table["functions"]} <= names


@pytest.fixture
def compiled(run: Callable, tmp_path: Path) -> Callable[..., Path]:
    """Compile a library of one line of C++."""
    if shutil.which("c++") is None:
        pytest.skip("no compiler")

    def compile_line(line: str, *options: str) -> Path:
        source, library = tmp_path / "line.cpp", tmp_path / "line.so"
        source.write_text(line, encoding="utf-8")
        run("c++", "-shared", "-fPIC", source, "-o", library, *options)
        return library

    return compile_line


def test_what_else_is_needed_is_told(compiled: Callable) -> None:
    line = "#include <string>\nint f(int n) { return std::to_string(n).size(); }\n"
    section = dynamic_section.read(compiled(line, "-Wl,-rpath,/opt/lib"))
    told = "\n".join(section.strange())
    assert "line.so: expected nothing but the C library and an MPI, needs libstdc++.so.6" in told
    assert "line.so: expected no folders of libraries, got /opt/lib" in told


def test_what_else_is_shown_is_told(compiled: Callable) -> None:
    library = compiled(
        'extern "C" int espalier_known() { return 1; }\nint leaked() { return 1; }\n'
    )
    assert strange_exports(library, INTERFACE) == ["_Z6leakedv"]
