# SPDX-License-Identifier: Apache-2.0
"""An MPI library without variables that select its algorithms: one line, and the ordinary call."""

from __future__ import annotations

import pytest

import mpi_runs
from mpi_members import BUILD, Member, members

_SECONDS = 60
_NUM_RANKS = 2


@pytest.mark.parametrize(
    "guest",
    [one for one in members() if one.name in {"impi", "impi-abi"}],
    ids=lambda one: one.name,
)
def test_algorithm_of_intel_mpi_cannot_be_selected(guest: Member) -> None:
    if guest.why_missing:
        pytest.skip(guest.why_missing)
    program = BUILD / "bin" / f"mpi_shim_program_{guest.family}"
    if not program.exists():
        pytest.skip(f"{program} is not built; 'make mpis' builds it")
    told = {"ESPALIER_FORCE": "bcast=native[algorithm=binomial]"}
    words = [*mpi_runs.launcher_of(guest, told), "-n", str(_NUM_RANKS), str(program)]
    done = mpi_runs.run(words, guest, _SECONDS)
    assert done.returncode == 0, done.stdout[-2000:]
    (line,) = (one for one in done.stdout.splitlines() if one.startswith("espalier: "))
    assert "the MPI library has no control variable MPIR_CVAR_BCAST_INTRA_ALGORITHM" in line
    assert line.endswith("; using the native call")
