# SPDX-License-Identifier: Apache-2.0
"""The MPI launchers on this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from espalier.conditions.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = (
    "mpirun.openmpi",
    "mpiexec.openmpi",
    "mpiexec.mpich",
    "mpiexec.hydra",
    "mpirun.mpich",
    "mpirun",
    "mpiexec",
    "srun",
)
_SECONDS = 20
_BANNERS = (
    ("openmpi", re.compile(r"\(Open(?:RTE| MPI)\)\s+(\S+)")),
    ("openmpi", re.compile(r"prterun.*?(\d+\.\S+)", re.DOTALL)),
    ("mpich", re.compile(r"HYDRA build details:.*?Version:\s+(\S+)", re.DOTALL)),
    ("mpich", re.compile(r"Intel\(R\) MPI Library.*?Version\s+(\S+)", re.DOTALL)),
    ("slurm", re.compile(r"slurm\S*\s+(\S+)")),
)


def identify(banner: str) -> tuple[str, str] | None:
    """Return vendor and version of what a launcher prints for --version, None if unknown."""
    for vendor, pattern in _BANNERS:
        if match := pattern.search(banner):
            return vendor, match[1]
    return None


def _banner(path: str) -> tuple[int, str]:
    try:
        result = subprocess.run(
            [path, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return -1, f"no answer within {_SECONDS} s"
    except OSError as error:
        return -1, str(error.strerror)
    return result.returncode, result.stdout + result.stderr


def _launcher(name: str, path: str) -> Finding:
    code, banner = _banner(path)
    facts = {"path": path, "vendor": None, "version": None}
    first = banner.strip().partition("\n")[0]
    if code != 0:
        text = f"{path} --version failed ({first or f'exit code {code}'})"
        return Finding("mpi", name, "warning", text, "repair or remove this MPI", facts)
    found = identify(banner)
    if found is None:
        text = f"{path} is not an MPI launcher that is known here ('{first}')"
        return Finding("mpi", name, "warning", text, "use Open MPI or MPICH", facts)
    facts |= {"vendor": found[0], "version": found[1]}
    titles = {"openmpi": "Open MPI", "mpich": "MPICH", "slurm": "Slurm"}
    title = "Intel MPI" if "Intel(R) MPI" in banner else titles[found[0]]
    return Finding("mpi", name, "ok", f"{title} {found[1]}, {path}", "", facts)


def _root_refusal() -> Finding | None:
    names = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")
    if os.geteuid() != 0 or all(os.environ.get(name) == "1" for name in names):
        return None
    return Finding(
        "mpi",
        "root",
        "warning",
        "Open MPI refuses to start programs as root",
        f"set {names[0]}=1 and {names[1]}=1, or work as another user",
    )


def launchers() -> Iterator[Finding]:
    """Look at every launcher on PATH once, under the first name that leads to it."""
    seen: set[str] = set()
    vendors: list[str] = []
    for name in _NAMES:
        path = shutil.which(name)
        if path is None or os.path.realpath(path) in seen:
            continue
        seen.add(os.path.realpath(path))
        finding = _launcher(name, path)
        vendors.append(finding.facts["vendor"])
        yield finding
    if not vendors:
        yield Finding(
            "mpi",
            "launcher",
            "problem",
            "expected an MPI launcher (mpirun or mpiexec) on PATH, found none",
            "install Open MPI or MPICH (Debian: apt-get install openmpi-bin or mpich)",
        )
    if "openmpi" in vendors and (refusal := _root_refusal()):
        yield refusal
