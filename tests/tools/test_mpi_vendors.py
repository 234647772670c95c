# SPDX-License-Identifier: Apache-2.0
"""By what a build tells MPI libraries apart: cmake/MpiVendors.cmake."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from places import repository

if TYPE_CHECKING:
    from pathlib import Path

_MPICH = '/* Of MPICH */\n#define MPI_VERSION 4\n#define MPICH_VERSION "4.2.0"\n'
_OPENMPI = "#define OMPI_MAJOR_VERSION 5\n"
_OTHER = '/* Other than MPICH_VERSION */\n#define OTHER_VERSION "1.0"\n'


def wrapper(tmp_path: Path, folder: str, header: str | None, version: str = "exit 1") -> Path:
    """Make a wrapper whose flags name a folder with such a header."""
    include = tmp_path / folder / "include"
    include.mkdir(parents=True)
    if header is not None:
        (include / "mpi.h").write_text(header, encoding="utf-8")
    shown = f"gcc -I/nowhere -I{include} -L{include.parent}/lib -lmpi"
    made = tmp_path / "mpicc"
    made.write_text(f"#!/bin/sh\n[ $1 = -show ] && echo '{shown}' && exit\n{version}\n")
    made.chmod(0o755)
    return made


def said(tmp_path: Path, command: str, *options: str) -> str:
    """Return what a command of CMake says that follows cmake/MpiVendors.cmake."""
    script = tmp_path / "script.cmake"
    vendors = repository / "cmake" / "MpiVendors.cmake"
    script.write_text(f"cmake_minimum_required(VERSION 3.25)\ninclude({vendors})\n{command}\n")
    words = ("cmake", *options, "-P", script)
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    return done.stderr.strip()


def vendor_of(made: Path) -> str:
    command = f'project_mpi_classify(vendor {made})\nmessage("<${{vendor}}>")'
    return said(made.parent, command).strip("<>")


@pytest.mark.parametrize(
    ("folder", "header", "vendor"),
    [
        ("apps/MPICH/4.2", _MPICH, "mpich"),
        ("apps/parallel", _MPICH, "mpich"),
        ("apps/parallel", _OPENMPI, "openmpi"),
        ("apps/parallel", _OTHER, ""),
        ("apps/MPICH/4.2", None, "mpich"),
        ("apps/parallel", None, ""),
    ],
)
def test_the_header_or_the_folder_tells(
    tmp_path: Path, folder: str, header: str | None, vendor: str
) -> None:
    assert vendor_of(wrapper(tmp_path, folder, header)) == vendor


def test_open_mpi_says_what_it_is(tmp_path: Path) -> None:
    made = wrapper(tmp_path, "apps", None, "echo 'mpicc: Open MPI 5.0.3'")
    assert vendor_of(made) == "openmpi"


@pytest.mark.parametrize(("options", "is_found"), [((), True), (("-DFOUND=OFF",), False)])
def test_a_wrapper_that_is_off_is_not_looked_for(
    tmp_path: Path, options: tuple[str, ...], is_found: bool
) -> None:
    made = wrapper(tmp_path, "apps", _MPICH)
    command = f"""set(ENV{{PATH}} {tmp_path})
set(CMAKE_SYSTEM_PROGRAM_PATH "")
project_mpi_find_wrapper(FOUND mpich mpicc)
if(FOUND)
  message("${{FOUND}}")
endif()"""
    assert said(tmp_path, command, *options) == (str(made) if is_found else "")
