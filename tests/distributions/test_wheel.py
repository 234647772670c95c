# SPDX-License-Identifier: Apache-2.0
"""What README says of the wheel, on systems with an MPI and pip and little else."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from places import repository

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Machine

_PROGRAM = repository / "examples" / "01_preload" / "preload.c"
_NUM_RANKS = 4
_RUN = f"""
set -e
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch="mpirun -n {_NUM_RANKS} $OVERSUBSCRIBE"
~/espalier/bin/espalier run --force allgather=ring --summary -- $launch "$PROGRAM"
"""
# Of Open MPI 4 and 5; MPICH asks for nothing.
_OVERSUBSCRIBE = {"bookworm": "--oversubscribe", "trixie": "--map-by slot:oversubscribe"}


@pytest.fixture(params=[True, False], ids=["root", "user"])
def is_root(request: pytest.FixtureRequest) -> bool:
    """Who installs and runs."""
    return bool(request.param)


def compiled(machine: Machine, folder: Path) -> str:
    """Compile a program here, as there is no compiler there; return its path there."""
    program = folder / "program"
    compiler = f"mpicc.{machine.distribution.mpi}"
    subprocess.run([compiler, _PROGRAM, "-o", program, "-lm"], check=True)
    return machine.system.put(program, "/opt")


def test_two_lines_are_enough(machine: Machine, is_root: bool, tmp_path: Path) -> None:
    program = compiled(machine, tmp_path)
    machine.run("python3", "-m", "venv", "espalier", is_root=is_root)
    install = ("espalier/bin/pip", "install", "-q", "--no-index", "--find-links", "/wheels")
    machine.run(*install, machine.wheel, is_root=is_root)
    options = _OVERSUBSCRIBE[machine.distribution.suite]
    if machine.distribution.mpi == "mpich":
        options = ""
    variables = (f"PROGRAM={program}", f"OVERSUBSCRIBE={options}")
    printed = machine.run("env", *variables, "sh", "-c", _RUN, is_root=is_root)
    assert "allgather/ring" in printed
    assert "forced" in printed


def test_there_is_no_compiler(machine: Machine) -> None:
    found = machine.run("sh", "-c", "command -v cc gcc mpicc || true", is_root=True)
    assert found == ""
