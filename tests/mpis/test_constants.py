# SPDX-License-Identifier: Apache-2.0
"""Libraries of a family have one binary interface: mpi.h of each says the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mpi_constants import constants_of, has_standard_interface, standard_constants_of
from mpi_members import Member, home_of, members

if TYPE_CHECKING:
    from pathlib import Path


def test_constants_are_those_of_the_family(member: Member, tmp_path: Path) -> None:
    home = home_of(member.family)
    if home.why_missing:
        pytest.skip(home.why_missing)
    expected = constants_of(home, tmp_path)
    assert expected["sizeof(MPI_Status)"] in {"20", "24"}
    assert constants_of(member, tmp_path) == expected


def test_the_standard_interface_is_the_same_but_for_a_known_handle(tmp_path: Path) -> None:
    having = [one for one in members() if not one.why_missing and has_standard_interface(one)]
    if len(having) < 2:
        pytest.skip("fewer than two libraries with the standard ABI are installed; see 'make mpis'")
    told = [standard_constants_of(one, tmp_path) for one in having]
    # Intel MPI 2021.18 numbers it by a draft of the standard.
    different = {name for one in told for name in one if one[name] != told[0][name]}
    assert different <= {"MPI_ERRORS_RETURN"}
    assert told[0]["sizeof(MPI_Status)"] == "32"
