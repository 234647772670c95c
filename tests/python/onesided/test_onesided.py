# SPDX-License-Identifier: Apache-2.0
"""espalier.onesided on several ranks, under both MPIs and on both transports."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from mpi4py_runs import run
from places import repository

from espalier.errors import MpiError
from espalier.onesided import Conduit

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.mpi

SUPPORT = repository / "tests" / "python" / "support"
# Waiting ranks of MPICH keep their processor, so there are few.
RUNS = [("openmpi", 1), ("openmpi", 2), ("openmpi", 3), ("openmpi", 5), ("mpich", 1), ("mpich", 2)]


@pytest.mark.parametrize("transport", ["node", "rma"])
@pytest.mark.parametrize(("vendor", "num_ranks"), RUNS)
@pytest.mark.parametrize(
    "program", ["transfers", "messages", "teams", "arrays", "errors", "lifetime", "leaving"]
)
def test_programs(
    program: str, vendor: str, num_ranks: int, transport: str, tmp_path: Path
) -> None:
    path = SUPPORT / f"onesided_{program}_program.py"
    assert run(vendor, num_ranks, path, tmp_path, transport) == "ok\n"


@pytest.mark.parametrize("example", ["05_onesided", "07_shared_arrays"])
def test_examples_print_what_their_pages_say(example: str, tmp_path: Path) -> None:
    folder = repository / "examples" / example
    expected = (folder / "expected.txt").read_text(encoding="utf-8")
    program = folder / f"{example.partition('_')[2]}.py"
    assert run("openmpi", 4, program, tmp_path) == expected


def test_without_mpi4py_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(MpiError, match="pip install mpi4py"):
        Conduit(None, 8)
