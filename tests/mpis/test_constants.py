# SPDX-License-Identifier: Apache-2.0
"""Libraries of a family have one binary interface: mpi.h of each says the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mpi_constants import constants_of
from mpi_members import Member, home_of

if TYPE_CHECKING:
    from pathlib import Path


# Intel MPI 2021.18 numbers it by a draft of the standard (shim/pointer_constants_standard.cpp).
_DIFFERENT = {"impi-abi": {"MPI_ERRORS_RETURN": "0x142"}}


def test_constants_are_those_of_the_family(member: Member, tmp_path: Path) -> None:
    home = home_of(member.family)
    if home.why_missing:
        pytest.skip(home.why_missing)
    expected = constants_of(home, tmp_path)
    assert expected["sizeof(MPI_Status)"] in {"20", "24", "32"}
    assert constants_of(member, tmp_path) == {**expected, **_DIFFERENT.get(member.name, {})}
