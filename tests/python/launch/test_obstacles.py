# SPDX-License-Identifier: Apache-2.0
"""Programs that nothing can be preloaded into: one line, and they run natively."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from espalier.errors import MpiError, NotBuiltError
from espalier.launch import elf, libraries, programs, versions
from espalier.launch.command import parse_command
from espalier.launch.preload import find_target

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fake_mpi import FakeMpi

# Fails if the launcher was told to preload something.
_SOURCE = '#include <stdlib.h>\nint main(void) { return getenv("FAKE_PRELOAD") != NULL; }\n'
_LDD = 'echo "\t{name} => {path} (0x00007f0000000000)"'


@pytest.fixture
def static_program(tmp_path: Path) -> Path:
    """A program without shared libraries."""
    source, program = tmp_path / "static.c", tmp_path / "static"
    source.write_text(_SOURCE)
    words = [shutil.which("cc") or "cc", "-static", "-o", str(program), str(source)]
    if subprocess.run(words, capture_output=True, check=False).returncode != 0:
        pytest.skip("the compiler has no static C library")
    return program


@pytest.fixture
def own_program(tmp_path: Path) -> Path:
    """A dynamic program of this user."""
    return shutil.copy("/bin/true", tmp_path / "own")


def test_dynamic_programs_have_no_obstacle(own_program: Path) -> None:
    assert elf.has_interpreter(own_program)
    assert programs.inspect(str(own_program)).obstacle == ""


def test_what_is_no_program_has_no_obstacle(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF\x02\x01")
    broken.chmod(0o755)
    for path in (script, broken, tmp_path / "missing"):
        assert programs.inspect(str(path)).obstacle == ""


def test_static_programs_are_known(static_program: Path) -> None:
    assert "is static: the dynamic linker loads" in programs.inspect(str(static_program)).obstacle


@pytest.mark.parametrize(
    ("mode", "patched", "text"),
    [(0o4755, "geteuid", "is setuid"), (0o2755, "getegid", "is setgid")],
)
def test_privileges_of_others_are_obstacles(
    own_program: Path, monkeypatch: pytest.MonkeyPatch, mode: int, patched: str, text: str
) -> None:
    own_program.chmod(mode)
    assert programs.inspect(str(own_program)).obstacle == ""
    other = getattr(os, patched)() + 1
    monkeypatch.setattr(os, patched, lambda: other)
    assert text in programs.inspect(str(own_program)).obstacle


def test_capabilities_are_obstacles(own_program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(os, "listxattr", lambda _: ["security.capability"])
    assert "has capabilities" in programs.inspect(str(own_program)).obstacle


@pytest.mark.parametrize(
    ("name", "interface"),
    [
        ("libmpi.so.40", "openmpi"),
        ("libmpi.so.12", "mpich"),
        ("libmpich.so.12", "mpich"),
        ("libmpi_abi.so.1", "abi"),
        ("libmpi_abi.so.2", None),
        ("libmpi_cxx.so.40", None),
    ],
)
def test_the_interface_follows_from_the_name_of_the_library(
    fake: FakeMpi, own_program: Path, name: str, interface: str | None
) -> None:
    fake.script("ldd", _LDD.format(name=name, path=f"/opt/lib/{name}"))
    program = programs.inspect(str(own_program))
    assert program.interface == interface
    assert program.obstacle == ""


@pytest.fixture
def standard_program(
    fake: FakeMpi, own_program: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Path]:
    """Make a program of the standard ABI, whose library calls itself as it is told."""
    path = "/opt/lib/libmpi_abi.so.1"

    def make(version: str) -> Path:
        fake.script("ldd", _LDD.format(name="libmpi_abi.so.1", path=path))
        monkeypatch.setattr(versions, "ask_version", lambda *_: version)
        return own_program

    return make


@pytest.mark.parametrize(
    ("version", "vendor"),
    [
        ("MPICH Version:\t5.0.2\n", "mpich"),
        ("Intel(R) MPI Library 2021.18 for Linux* OS\n", "mpich"),
        ("Open MPI v6.0.0, package: x", "openmpi"),
        ("", None),
    ],
)
def test_a_library_of_the_standard_interface_says_whose_it_is(
    standard_program: Callable[[str], Path], version: str, vendor: str | None
) -> None:
    program = programs.inspect(str(standard_program(version)))
    assert (program.interface, program.vendor) == ("abi", vendor)


def test_programs_of_the_standard_interface_get_the_library_for_it(
    fake: FakeMpi, standard_program: Callable[[str], Path]
) -> None:
    words = ["mpiexec", "-n", "2", str(standard_program("MPICH Version:\t5.0.2\n"))]
    with pytest.raises(NotBuiltError, match=r"expected libespalier-abi\.so"):
        find_target(words, None)
    library = fake.library.with_name("libespalier-abi.so")
    library.write_bytes(b"")
    target = find_target(words, None)
    # What measures beside the program is that of the launcher.
    assert (target.library, target.vendor) == (library, "mpich")


def test_launcher_and_program_of_the_standard_interface_are_of_one_family(
    standard_program: Callable[[str], Path],
) -> None:
    words = ["mpirun", "-n", "2", str(standard_program("MPICH Version:\t5.0.2\n"))]
    with pytest.raises(MpiError, match="every rank would run alone"):
        find_target(words, None)


def test_a_static_program_runs_natively_after_one_line(
    fake: FakeMpi, cli: Callable, static_program: Path
) -> None:
    result = cli("run", "--summary", "--force", "bcast=flat", "--", fake.mpirun, static_program)
    assert result.code == 0
    assert result.err.count("\n") == 1
    assert "is static" in result.err


def test_a_static_program_behind_a_colon_is_told_before_anything_starts(
    fake: FakeMpi, cli: Callable, static_program: Path
) -> None:
    words = [fake.mpirun, "-n", "1", fake.program, ":", "-n", "1", static_program]
    with pytest.raises(MpiError, match="is static"):
        find_target(list(map(str, words)), None)
    result = cli("run", "--force", "bcast=flat", "--", *words)
    assert result.err.count("\n") == 1
    assert "is static" in result.err


@pytest.mark.usefixtures("fake")
def test_a_static_program_cannot_be_compared(static_program: Path) -> None:
    with pytest.raises(MpiError, match="is static"):
        find_target(["mpirun", "-n", "2", str(static_program)], None)


def test_a_summary_says_which_library_and_why(fake: FakeMpi, cli: Callable) -> None:
    result = cli("run", "--summary", "--", "mpirun", "-n", "2", fake.program)
    line = "espalier: preloaded libespalier-openmpi.so: mpirun is a launcher of Open MPI, and the"
    assert line in result.err
    words = ["run", "--summary", "--mpi", "openmpi", "--", "mpirun", "-n", "2", fake.program]
    assert "libespalier-openmpi.so: --mpi openmpi says so" in cli(*words).err


def test_the_library_beside_the_launcher_is_used_by_our_programs(
    fake: FakeMpi, own_program: Path, tmp_path: Path
) -> None:
    fake.script("ldd", _LDD.format(name="libmpich.so.12", path="/usr/lib/libmpich.so.12"))
    command = parse_command(["mpiexec", "-n", "2"])
    assert libraries.variables_for(own_program, command, tmp_path) == {}
    library = fake.bin.parent / "lib" / "libmpi.so.12"
    library.parent.mkdir()
    library.write_bytes(b"")
    found = libraries.variables_for(own_program, command, tmp_path)
    folders = found["LD_LIBRARY_PATH"].split(":")
    assert folders[:2] == [str(tmp_path), str(library.parent)]
    assert (tmp_path / "libmpich.so.12").resolve() == library
    fake.script("ldd", _LDD.format(name="libmpi.so.12", path=library))
    assert libraries.variables_for(own_program, command, tmp_path) == {}
