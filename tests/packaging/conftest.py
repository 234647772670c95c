# SPDX-License-Identifier: Apache-2.0
"""The release build, and programs run as somebody runs them who has only what is installed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from places import repository

if TYPE_CHECKING:
    from collections.abc import Callable

    from _pytest.tmpdir import TempPathFactory

# Open MPI refuses root, and more ranks than cores, without these.
_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl": "vader,self",
    "ESPALIER_MEMORY": "off",
}


@pytest.fixture(scope="session")
def build() -> Path:
    """The folder of the release build."""
    folder = Path(os.environ.get("ESPALIER_BUILD_DIR", repository / "build" / "release")).resolve()
    if not (folder / "lib" / "libespalier-openmpi.so").is_file():
        pytest.skip(f"no preload library for Open MPI in {folder}")
    return folder


@pytest.fixture(scope="session")
def run() -> Callable[..., str]:
    """Run a command without variables of this checkout; return what it prints, on both streams."""

    def run(*command: str | Path, **environment: str | Path) -> str:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("ESPALIER_", "PYTHON", "LD_"))
        }
        result = subprocess.run(
            [str(word) for word in command],
            env={**kept, **_MPI, **{name: str(value) for name, value in environment.items()}},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        assert result.returncode == 0, result.stdout
        return result.stdout

    return run


@pytest.fixture(scope="session")
def prefix(build: Path, run: Callable, tmp_path_factory: TempPathFactory) -> Path:
    """An installation that lies elsewhere than where it was installed.

    Who installed it has a umask by which others may not read new files.
    """
    folder = tmp_path_factory.mktemp("prefix")
    install = ("cmake", "--install", build, "--prefix", folder / "installed")
    run("sh", "-c", 'umask 077; exec "$@"', "sh", *install)
    return (folder / "installed").rename(folder / "moved")
