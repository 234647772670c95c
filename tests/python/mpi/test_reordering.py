# SPDX-License-Identifier: Apache-2.0
"""espalier.reordering: under both MPIs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from mpi4py_runs import run
from places import repository

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = repository / "tests" / "python" / "support" / "mpi_order_program.py"


# Waiting ranks of MPICH keep their processor, so there are few.
@pytest.mark.parametrize(("vendor", "num_ranks"), [("openmpi", 3), ("mpich", 2)])
def test_communicators_of_mpi4py(vendor: str, num_ranks: int, tmp_path: Path) -> None:
    assert run(vendor, num_ranks, PROGRAM, tmp_path) == "ok\n"
