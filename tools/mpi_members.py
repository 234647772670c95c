# SPDX-License-Identifier: Apache-2.0
"""The MPI libraries that Espalier is run with: those of the system, and those of `make mpis`.

The latter are in build/mpis: packages of the Python registry, each in an environment of its own,
and those of Debian 13, whose programs run in a system of their own (tools/enter_system.sh).
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "mpis"
BUILD = Path(os.environ.get("ESPALIER_BUILD_DIR", ROOT / "build" / "release")).resolve()
# Libraries that spin need a core for each rank, or nearly so.
MOST_RANKS = 3
_ROOT_MAY = {
    f"{program}_ALLOW_RUN_AS_ROOT{end}": "1"
    for program in ("OMPI", "PRTE")
    for end in ("", "_CONFIRM")
}
# Algorithms of MPICH 5 in shared memory never give up the core.
_NO_SPINNING = [
    word
    for call in ("BCAST", "REDUCE", "ALLREDUCE", "BARRIER")
    for word in ("-genv", f"MPIR_CVAR_{call}_POSIX_INTRA_ALGORITHM", "mpir")
]
_INTEL = ["-genv", "FI_PROVIDER", "tcp", "-genv", "I_MPI_PIN", "0", "-genv", "I_MPI_WAIT_MODE", "1"]


@dataclass(frozen=True)
class Member:
    """An MPI library of a family, with its compiler and launcher.

    `family` names the preload library, which is `abi` for programs of the standard ABI of MPI-5;
    `helpers` are libraries of the build to preload beside it.
    `library` is the file or name under which `python` can load the MPI library.
    """

    name: str
    title: str
    family: str
    compiler: str
    launcher: list[str]
    library: str
    python: str = sys.executable
    fortran: str = ""
    folder: Path | None = None
    helpers: list[str] = field(default_factory=list)
    root_variable: str = ""

    @property
    def environment(self) -> dict[str, str]:
        """Variables under which compiler and launcher work, and programs find the library."""
        variables = dict(_ROOT_MAY)
        if self.folder is not None:
            variables["LD_LIBRARY_PATH"] = str(self.folder / "lib")
            if self.root_variable:
                variables[self.root_variable] = str(self.folder)
        return variables

    @property
    def is_standard(self) -> bool:
        """Whether this is the standard ABI, which a library has beside its own."""
        return self.family == "abi"

    @property
    def why_missing(self) -> str:
        """Why nothing can be run with this library; empty if it is there."""
        if shutil.which(self.launcher[0]) and shutil.which(self.compiler):
            return ""
        where = "on the PATH" if self.folder is None else f"in {self.folder.relative_to(ROOT)}"
        advice = "" if self.folder is None else "; 'make mpis' installs it"
        return f"{self.title} is not {where}{advice}"

    def preload(self, *libraries: Path) -> str:
        """Return LD_PRELOAD for libraries, and for what ranks that share a core need."""
        names = [*libraries, *(BUILD / "lib" / helper for helper in self.helpers)]
        return ":".join(map(str, names))

    def with_variables(self, variables: dict[str, str]) -> list[str]:
        """Return the launcher with options that set variables of its ranks."""
        words = list(self.launcher)
        for name, value in variables.items():
            words += ["-x", f"{name}={value}"] if self.family == "openmpi" else []
            words += ["-genv", name, value] if self.family != "openmpi" else []
        return words


_LIBRARIES = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12", "abi": "libmpi_abi.so.1"}


def _of_registry(name: str, title: str, family: str, launcher: list[str], root: str = "") -> Member:
    folder = FOLDER / name.removesuffix("-abi")
    program, *options = launcher
    return Member(
        name=name,
        title=title,
        family=family,
        compiler=str(folder / "bin" / "mpicc"),
        launcher=[str(folder / "bin" / program), *options],
        library=str(folder / "lib" / _LIBRARIES[family]),
        folder=folder,
        root_variable=root,
    )


def _of_debian(title: str, family: str, launcher: list[str]) -> Member:
    folder = FOLDER / f"debian13-{family}"
    program, *options = launcher
    return Member(
        name=folder.name,
        title=title,
        family=family,
        compiler=str(folder / "bin" / "mpicc"),
        launcher=[str(folder / "bin" / program), *options],
        library=_LIBRARIES[family],
        python=str(folder / "bin" / "python3"),
        # Its libraries for Fortran have the names of those of Debian 12.
        fortran="mpifort",
        folder=folder,
    )


def members() -> list[Member]:
    """Return all libraries, of the system first; not all of them need to be installed."""
    yielding = ["--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
    open_mpi_5 = ["mpirun", "--map-by", "slot:oversubscribe", *yielding, "--mca", "btl", "sm,self"]
    return [
        Member(
            name="system-openmpi",
            title="Open MPI of the system",
            family="openmpi",
            compiler="mpicc.openmpi",
            fortran="mpifort.openmpi",
            launcher=["mpirun.openmpi", "--oversubscribe", *yielding, "--mca", "btl", "vader,self"],
            library=_LIBRARIES["openmpi"],
        ),
        _of_registry(
            "openmpi",
            "Open MPI of the Python registry",
            "openmpi",
            open_mpi_5,
        ),
        Member(
            name="system-mpich",
            title="MPICH of the system",
            family="mpich",
            compiler="mpicc.mpich",
            fortran="mpifort.mpich",
            launcher=["mpiexec.mpich"],
            library=_LIBRARIES["mpich"],
            helpers=["libespalier_yield_ucx.so"],
        ),
        _of_registry("mpich", "MPICH of the Python registry", "mpich", ["mpiexec", *_NO_SPINNING]),
        _of_debian("Open MPI of Debian 13", "openmpi", open_mpi_5),
        _of_debian("MPICH of Debian 13", "mpich", ["mpirun"]),
        _of_registry(
            "impi",
            "Intel MPI of the Python registry",
            "mpich",
            ["mpiexec.hydra", *_INTEL],
            "I_MPI_ROOT",
        ),
        _of_registry(
            "mpich-abi",
            "MPICH of the Python registry, by the standard ABI",
            "abi",
            ["mpiexec", *_NO_SPINNING],
        ),
        _of_registry(
            "impi-abi",
            "Intel MPI of the Python registry, by the standard ABI",
            "abi",
            ["mpiexec.hydra", *_INTEL],
            "I_MPI_ROOT",
        ),
    ]


def home_of(family: str) -> Member:
    """Return the library that the preload library of a family is built with."""
    first = {one.family: one for one in reversed(members())}
    return first[family]
