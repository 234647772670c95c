# SPDX-License-Identifier: Apache-2.0
"""espalier.mpi: under both MPIs, and without mpi4py."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from mpi4py_runs import run
from places import repository

from espalier import mpi
from espalier.errors import MpiError

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = repository / "tests" / "python" / "support" / "mpi_cart_program.py"


# Waiting ranks of MPICH keep their processor, so there are few.
@pytest.mark.parametrize(("vendor", "num_ranks"), [("openmpi", 3), ("mpich", 2)])
def test_communicators_of_mpi4py(vendor: str, num_ranks: int, tmp_path: Path) -> None:
    assert run(vendor, num_ranks, PROGRAM, tmp_path) == "ok\n"


def test_the_example_prints_what_its_page_says(tmp_path: Path) -> None:
    folder = repository / "examples" / "03_weighted_grid"
    expected = (folder / "expected.txt").read_text(encoding="utf-8")
    assert run("openmpi", 4, folder / "weighted_grid.py", tmp_path) == expected


def test_without_mpi4py_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(MpiError, match="pip install mpi4py"):
        mpi.dims_weighted_create(12, [0, 0])
