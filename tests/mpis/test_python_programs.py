# SPDX-License-Identifier: Apache-2.0
"""Python opens its MPI library late; its calls are served all the same."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from mpi_members import BUILD, Member, members

if TYPE_CHECKING:
    from pathlib import Path

_NUM_RANKS = 2
# A call without counts: those with counts are large-count functions wherever the library has them.
_PROGRAM = "from mpi4py import MPI; MPI.COMM_WORLD.Barrier()"


@pytest.mark.parametrize(
    "guest",
    # mpi4py has no module for the standard ABI.
    [one for one in members() if one.folder is not None and not one.is_standard],
    ids=lambda one: one.name,
)
def test_calls_of_python_are_served(guest: Member, tmp_path: Path) -> None:
    if guest.why_missing:
        pytest.skip(guest.why_missing)
    if not (guest.folder / "bin" / "python").exists():
        pytest.skip("no mpi4py for this library")
    shim = BUILD / "lib" / f"libespalier-{guest.family}.so"
    if not shim.exists():
        pytest.skip(f"{shim} is not built")
    variables = {
        "LD_PRELOAD": guest.preload(shim),
        "ESPALIER_FORCE": "barrier=dissemination",
        "ESPALIER_LEARN": "off",
        "ESPALIER_STATISTICS": str(tmp_path),
    }
    launcher = guest.with_variables(variables)
    python = f"{guest.folder}/bin/python"
    done = subprocess.run(
        [*launcher, "-n", str(_NUM_RANKS), python, "-c", _PROGRAM],
        env={**os.environ, **guest.environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    files = sorted(tmp_path.glob("rank-*.json"))
    assert len(files) == _NUM_RANKS
    for file in files:
        (call,) = json.loads(file.read_text(encoding="utf-8"))["calls"]
        assert (call["function"], call["algorithm"]) == ("MPI_Barrier", "barrier/dissemination")
