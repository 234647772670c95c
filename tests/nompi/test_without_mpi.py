# SPDX-License-Identifier: Apache-2.0
"""The command line of a build without MPI: $ESPALIER_BUILD_DIR, or that of the preset nompi."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = Path(os.environ.get("ESPALIER_BUILD_DIR", ROOT / "build" / "nompi"))

MACHINE = (
    "4n[latency=1.5us,overhead=200ns,bandwidth=8GB/s] x "
    "2c[latency=300ns,overhead=200ns,bandwidth=8GB/s]"
)
# A command of Open MPI; it is not what is missing.
LAUNCH = ("--", "mpirun", "-n", "2")


def environment() -> dict[str, str]:
    root_may_start = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    build = {"ESPALIER_BUILD_DIR": str(BUILD), "PYTHONPATH": str(ROOT / "python")}
    return {**os.environ, **root_may_start, **build}


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(ROOT / "bin" / "espalier"), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment(),
    )


def test_nothing_is_built_for_an_mpi() -> None:
    assert list(BUILD.glob("python/espalier/_core*.so"))
    assert list(BUILD.rglob("*openmpi*")) == []
    assert list(BUILD.rglob("*mpich*")) == []


def test_the_package_loads_no_mpi() -> None:
    program = (
        "import espalier._core, espalier.cli, pathlib\n"
        "maps = pathlib.Path('/proc/self/maps').read_text()\n"
        "print('_core' in maps, [line for line in maps.splitlines() if 'libmpi' in line])"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment())
    assert done.stdout == "True []\n"


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (("list",), "allgather"),
        (("check", "allgather/ring"), "33 proved"),
        (("show", "allgather/sparbit", "-p", "5"), "after round 2"),
        (("map", "--grid", "8x6", "--machine", "4n x 2s x 6c"), "36 -> 28"),
        (
            ("model", "predict", "allgather", "--machine", MACHINE),
            "allgather of 8 ranks, predicted",
        ),
    ],
)
def test_commands_without_ranks_work(words: tuple[str, ...], printed: str) -> None:
    done = run(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert printed in done.stdout


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        (("run", *LAUNCH, "true"), "libespalier-openmpi.so"),
        (("compare", *LAUNCH, "true"), "libespalier-openmpi.so"),
        (("tune", *LAUNCH), "espalier-measure-openmpi"),
        (("tune", "team", *LAUNCH), "espalier-team-openmpi"),
        (("probe", *LAUNCH), "espalier-probe-openmpi"),
        (("order", "--machine", "1s x 2c", *LAUNCH), "espalier-order-openmpi"),
    ],
)
def test_commands_with_ranks_say_what_is_missing(words: tuple[str, ...], missing: str) -> None:
    done = run(*words)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("espalier: expected ")
    assert missing in line
    assert "on a machine with this MPI" in line
