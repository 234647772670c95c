# SPDX-License-Identifier: Apache-2.0
"""Runs of Python programs that use mpi4py, under each MPI that there is."""

from __future__ import annotations

import ctypes.util
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from espalier import installation

LAUNCHERS = {"openmpi": "mpirun.openmpi", "mpich": "mpiexec.mpich"}


def mpich_folder(tmp_path: Path) -> str:
    """Return a folder with MPICH's library under the name that wheels of mpi4py load.

    Debian names it libmpich.so.12, MPICH itself libmpi.so.12.
    """
    name = ctypes.util.find_library("mpich")
    found = None if name is None else next(Path("/usr/lib").glob(f"*/{name}"), None)
    if found is not None:
        (tmp_path / "libmpi.so.12").symlink_to(found)
    return str(tmp_path)


def run(vendor: str, num_ranks: int, program: Path, folder: Path, *arguments: str) -> str:
    """Run a program on several ranks and return what it wrote; skip where it cannot run."""
    launcher = shutil.which(LAUNCHERS[vendor])
    if launcher is None or importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py or its MPI is not installed")
    if installation.api_library(vendor) is None:
        pytest.skip(f"libespalier-api-{vendor}.so is not built")
    words = [launcher]
    if vendor == "openmpi":
        words += ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
        words += ["--mca", "btl", "vader,self"]
    else:
        words += ["-genv", "LD_LIBRARY_PATH", mpich_folder(folder)]
    words += ["-n", str(num_ranks), sys.executable, str(program), *arguments]
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    source = str(Path(installation.__file__).parents[1])
    environment = {**os.environ, **allowed, "MPI4PY_MPIABI": vendor, "PYTHONPATH": source}
    done = subprocess.run(
        words,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    if "cannot open shared object file" in done.stderr:
        pytest.skip(f"this mpi4py is not for {vendor}")
    assert done.returncode == 0, done.stderr
    return done.stdout
