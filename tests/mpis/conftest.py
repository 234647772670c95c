# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest

from mpi_members import Member, members


@pytest.fixture(params=members(), ids=lambda one: one.name)
def member(request: pytest.FixtureRequest) -> Member:
    """Each MPI library that is installed."""
    if reason := request.param.why_missing:
        pytest.skip(reason)
    return request.param
