# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest
from native_messages import Mpich, OpenMpi, missing


@pytest.fixture(scope="session")
def openmpi(tmp_path_factory: pytest.TempPathFactory) -> OpenMpi:
    """Open MPI, with a program that makes calls; its messages are counted."""
    if absent := missing("mpirun.openmpi", "mpicc.openmpi"):
        pytest.skip(absent)
    return OpenMpi(tmp_path_factory.mktemp("openmpi"))


@pytest.fixture(scope="session")
def mpich(tmp_path_factory: pytest.TempPathFactory) -> Mpich:
    """MPICH, with a program that makes calls; its messages are counted."""
    if absent := missing("mpiexec.mpich", "mpicc.mpich", "cc"):
        pytest.skip(absent)
    return Mpich(tmp_path_factory.mktemp("mpich"))
