# SPDX-License-Identifier: Apache-2.0
"""What 'espalier profile export --for intel' writes is accepted by Intel MPI, as itself says.

With I_MPI_DEBUG=5 the library repeats each variable, and complains about values that it ignores.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import mpi_runs
from espalier.exports import equivalents
from mpi_members import BUILD, ROOT, Member, members

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SECONDS = 60
_NUM_RANKS = 2
TABLE = equivalents.read("intel").table["calls"]
_ENTRIES = [(call, choice) for call, facts in TABLE.items() for choice in facts["algorithms"]]


@pytest.fixture
def intel() -> Member:
    """Intel MPI."""
    found = next(one for one in members() if one.name == "impi")
    if found.why_missing:
        pytest.skip(found.why_missing)
    return found


def _exported(call: str, choice: str, folder: Path) -> dict[str, str]:
    """Export a rule for two ranks, and return the variables."""
    size = TABLE[call]["sizes"] != "none"
    rule = {
        "collective": call,
        "num_ranks": _NUM_RANKS,
        "num_nodes": 1,
        "algorithm": choice,
        "min_bytes": 1024 if size else 0,
        "max_bytes": 65535 if size else None,
        "reason": "r",
    }
    profile = {"schema": "espalier-profile", "version": 1, "rules": [rule]}
    profile["mpi"] = {"vendor": "mpich", "version": "any"}
    (folder / "profile.json").write_text(json.dumps(profile), encoding="utf-8")
    words = [sys.executable, "-m", "espalier", "profile", "export", str(folder / "profile.json")]
    words += ["--for", "intel", "-o", str(folder / "adjust.sh")]
    python = {"PYTHONPATH": str(ROOT / "python"), "ESPALIER_BUILD_DIR": str(BUILD)}
    subprocess.run(words, check=True, env={**os.environ, **python}, stdout=subprocess.DEVNULL)
    lines = (folder / "adjust.sh").read_text(encoding="utf-8").splitlines()
    pairs = (shlex.split(line)[1] for line in lines if line.startswith("export "))
    return {name: value for name, _, value in (pair.partition("=") for pair in pairs)}


def _said(intel: Member, variables: Mapping[str, str]) -> str:
    program = str(BUILD / "bin" / "mpi_shim_program_mpich")
    told = {**variables, "I_MPI_DEBUG": "5"}
    done = mpi_runs.run(
        [*intel.with_variables(told), "-n", str(_NUM_RANKS), program], intel, _SECONDS
    )
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


@pytest.mark.parametrize(("call", "choice"), _ENTRIES)
def test_each_variable_is_accepted(intel: Member, tmp_path: Path, call: str, choice: str) -> None:
    variables = _exported(call, choice, tmp_path)
    assert list(variables) == [TABLE[call]["variable"]]
    said = _said(intel, variables)
    assert all(f"{name}={value}" in said for name, value in variables.items())
    assert "Incorrect" not in said


@pytest.mark.parametrize("value", ["99", "1:many"])
def test_other_values_are_complained_about(intel: Member, value: str) -> None:
    assert "Incorrect" in _said(intel, {"I_MPI_ADJUST_BCAST": value})
