# SPDX-License-Identifier: Apache-2.0
"""Algorithms of each MPI library are selected, or a line says why not and the usual call runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import mpi_runs
from mpi_members import BUILD, Member, members

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping
    from pathlib import Path

_SECONDS = 60
_NUM_RANKS = 2


_INTEL = ("impi", "impi-abi")
_BINOMIAL = "bcast/native[algorithm=binomial]"


def launch(guest: Member, told: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a program that calls every collective, and expect it to end well."""
    program = BUILD / "bin" / f"mpi_shim_program_{guest.family}"
    if not program.exists():
        pytest.skip(f"{program} is not built; 'make mpis' builds it")
    words = [*mpi_runs.launcher_of(guest, told), "-n", str(_NUM_RANKS), str(program)]
    done = mpi_runs.run(words, guest, _SECONDS)
    assert done.returncode == 0, done.stdout[-2000:]
    return done


def test_an_algorithm_is_selected(member: Member, tmp_path: Path) -> None:
    """Also where another component of Open MPI would serve the communicator."""
    if member.name in _INTEL:
        pytest.skip("Intel MPI has no variables that select algorithms")
    told = {
        "ESPALIER_FORCE": "bcast=native[algorithm=binomial]",
        "ESPALIER_STATISTICS": str(tmp_path),
    }
    done = launch(member, told)
    assert "espalier: " not in done.stdout
    for rank in range(_NUM_RANKS):
        report = json.loads((tmp_path / f"rank-{rank}.json").read_text(encoding="utf-8"))
        (row,) = (row for row in report["calls"] if row["function"] == "MPI_Bcast")
        assert row["algorithm"] == _BINOMIAL


def test_a_component_before_all_others_is_not_taken_over(member: Member) -> None:
    if member.family != "openmpi":
        pytest.skip("only Open MPI has components")
    told = {
        "ESPALIER_FORCE": "bcast=native[algorithm=binomial]",
        "OMPI_MCA_coll_han_priority": "100",
    }
    (line,) = (line for line in launch(member, told).stdout.splitlines() if "espalier: " in line)
    assert "the component coll/han of Open MPI comes before coll/tuned" in line


@pytest.mark.parametrize(
    "guest",
    [one for one in members() if one.name in _INTEL],
    ids=lambda one: one.name,
)
def test_algorithm_of_intel_mpi_cannot_be_selected(guest: Member) -> None:
    if guest.why_missing:
        pytest.skip(guest.why_missing)
    told = {"ESPALIER_FORCE": "bcast=native[algorithm=binomial]"}
    done = launch(guest, told)
    (line,) = (one for one in done.stdout.splitlines() if one.startswith("espalier: "))
    assert "the MPI library has no control variable MPIR_CVAR_BCAST_INTRA_ALGORITHM" in line
    assert line.endswith("; using the native call")
