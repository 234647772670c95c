# SPDX-License-Identifier: Apache-2.0
"""espalier.neighbors on several ranks, under both MPIs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from mpi4py_runs import run
from places import repository
from table import read_table

from espalier import neighbors
from espalier.errors import MpiError
from espalier.neighbors import functions

if TYPE_CHECKING:
    from pathlib import Path

SUPPORT = repository / "tests" / "python" / "support"
# Grids of 6 ranks have two dimensions. Waiting ranks of MPICH keep their processor: there are few.
RUNS = [("openmpi", 1), ("openmpi", 2), ("openmpi", 3), ("openmpi", 5), ("openmpi", 6)]
RUNS += [("mpich", 1), ("mpich", 2), ("mpich", 3)]


@pytest.mark.mpi
@pytest.mark.parametrize(("vendor", "num_ranks"), RUNS)
def test_results_refusals_and_lifetimes(vendor: str, num_ranks: int, tmp_path: Path) -> None:
    assert run(vendor, num_ranks, SUPPORT / "neighbors_program.py", tmp_path) == "ok\n"


@pytest.mark.mpi
def test_the_example_prints_what_its_page_says(tmp_path: Path) -> None:
    folder = repository / "examples" / "08_neighbors"
    expected = (folder / "expected.txt").read_text(encoding="utf-8")
    assert run("openmpi", 4, folder / "halo.py", tmp_path) == expected


def test_all_collectives_have_the_arguments_of_the_table_of_calls() -> None:
    served = [f for f in read_table(repository / "espalier/calls/functions.json") if f.neighborhood]
    assert {function.native for function in served} == functions.ARGUMENTS.keys()
    for function in served:
        kinds = tuple(argument.kind.name for argument in function.own_arguments)
        assert functions.ARGUMENTS[function.native] == kinds
        method = function.native.removeprefix("neighbor_")
        assert hasattr(neighbors.Neighborhood, method)
        assert hasattr(neighbors.Neighborhood, f"{method}_init")


def test_without_mpi4py_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(MpiError, match="pip install mpi4py"):
        neighbors.neighborhood_of(None)
