# SPDX-License-Identifier: Apache-2.0
"""What has to be known of a measurement besides its numbers."""

from __future__ import annotations

import datetime
import os
import platform
import shutil
import subprocess
from typing import Any

from espalier import __version__, installation
from espalier.conditions.machine import lscpu

# Variables that change what an MPI does, or which one runs.
_PREFIXES = (
    "ESPALIER_",
    "FI_",
    "HYDRA_",
    "I_MPI_",
    "MPICH_",
    "MPIR_",
    "OMPI_",
    "OMP_",
    "OPAL_",
    "PMIX_",
    "PRTE_",
    "SLURM_",
    "UCX_",
)
_NAMES = ("LD_PRELOAD", "LD_LIBRARY_PATH")


def now() -> str:
    """Return the time in ISO 8601, UTC, to the second."""
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def machine() -> dict[str, Any]:
    """Return what this host is, in the form of a profile."""
    return {
        "hostname": platform.node(),
        "cpu": lscpu().get("Model name", platform.processor() or "unknown processor"),
        "num_cores": os.cpu_count() or 1,
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "kernel": f"{platform.system()} {platform.release()}",
    }


def environment() -> dict[str, str]:
    """Return the variables that matter for MPI."""
    return {
        name: value
        for name, value in sorted(os.environ.items())
        if name in _NAMES or name.startswith(_PREFIXES)
    }


def code_version() -> str:
    """Return version and, in a git checkout, the revision: `0.1.0 (1a2b3c4-dirty)`."""
    root = installation.package.parent.parent
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return __version__
    answer = subprocess.run(
        [git, "-C", str(root), "describe", "--always", "--dirty"],
        capture_output=True,
        text=True,
        check=False,
    )
    revision = answer.stdout.strip()
    return f"{__version__} ({revision})" if revision else __version__
