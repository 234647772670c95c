# SPDX-License-Identifier: Apache-2.0
"""How MPI launchers come to start ranks on emulated hosts: by variables, or by options.

The variables are for whatever runs on the hosts: launchers find the hosts, what to call in place
of ssh, and the interface, however deep they stand in a script; options of the user win. Ranks give
up their processor while they wait: there are more of them than processors.
"""

from __future__ import annotations

import os
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from espalier import installation
from espalier.clusters.permission import SEARCH_PATH
from espalier.errors import ArgumentError, MpiError, NotBuiltError

if TYPE_CHECKING:
    from collections.abc import Sequence

PLACEMENTS = ("block", "cyclic")
_NAMES = ("mpirun", "mpiexec")
_ENTER = Path(__file__).parent / "scripts" / "enter.sh"


def enter_words(folder: Path, group: str) -> list[str]:
    """Return what runs `HOST WORKING_FOLDER COMMAND...` inside the namespaces of a cluster."""
    return ["sh", str(_ENTER), str(folder), group]


@dataclass(frozen=True)
class Launchers:
    """The launchers of the MPIs on this host, for a cluster with a folder.

    Programs are written into `programs` of the folder, and used from where the cluster copies them:
    where the folder is, programs may be forbidden.
    """

    folder: Path
    hosts: Sequence[str]
    ranks_per_host: int

    def write_files(self, group: str) -> None:
        """Write what launchers read and call into the folder."""
        programs = self.folder / "programs"
        programs.mkdir()
        _write_agent(programs / "agent", enter_words(self.folder, group))
        for vendor in installation.vendors:
            _write_names(programs / vendor, vendor)
        for placement in PLACEMENTS:
            number = self._number(placement)
            lines = [f"{host}:{number}\n" for host in self.hosts]
            self._mpich_hosts(placement).write_text("".join(lines))
        lines = [f"{host} slots={self.ranks_per_host}\n" for host in self.hosts]
        self._openmpi_hosts().write_text("".join(lines))

    def variables(self, placement: str, vendor: str | None) -> dict[str, str]:
        """Return the variables for a command on a host.

        Args:
            placement: `block`, or `cyclic` for ranks dealt to the hosts in turn.
            vendor: whose launcher `mpirun` and `mpiexec` are; as on this host, unless given.
        """
        check_placement(placement)
        settings = {**self._openmpi_settings(), **self._openmpi_defaults(placement)}
        preload = installation.yielding_library()
        inherited = os.environ.get("LD_PRELOAD", "")
        variables = {
            "TMPDIR": str(self.folder / "live" / "tmp"),
            "PATH": f"{self._names(vendor)}:{SEARCH_PATH}" if vendor else SEARCH_PATH,
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "HYDRA_LAUNCHER": "ssh",
            "HYDRA_LAUNCHER_EXEC": str(self._agent()),
            "HYDRA_HOST_FILE": str(self._mpich_hosts(placement)),
            "HYDRA_IFACE": "eth0",
            "UCX_NET_DEVICES": "eth0",
        }
        if preload is not None:
            variables["LD_PRELOAD"] = f"{preload}:{inherited}" if inherited else str(preload)
        return variables | {f"OMPI_MCA_{name}": value for name, value in settings.items()}

    def words(self, vendor: str, num_ranks: int, placement: str) -> list[str]:
        """Return a launcher with options that do what the variables do."""
        check_placement(placement)
        check_vendor(vendor)
        options = self._openmpi(placement) if vendor == "openmpi" else self._mpich(placement)
        return [_launcher(vendor), *options, "-n", str(num_ranks)]

    def _openmpi(self, placement: str) -> list[str]:
        settings = self._openmpi_settings()
        hosts = ",".join(f"{host}:{self.ranks_per_host}" for host in self.hosts)
        return [
            *(word for name, value in settings.items() for word in ("--mca", name, value)),
            *("--host", hosts, "--oversubscribe", "--bind-to", "none"),
            *("--map-by", "slot" if placement == "block" else "node"),
        ]

    def _mpich(self, placement: str) -> list[str]:
        number = self._number(placement)
        preload = installation.yielding_library()
        if preload is None:
            raise NotBuiltError(*_NO_YIELDING)
        return [
            *("-launcher", "ssh", "-launcher-exec", str(self._agent()), "-iface", "eth0"),
            *("-hosts", ",".join(f"{host}:{number}" for host in self.hosts)),
            *("-genv", "LD_PRELOAD", str(preload), "-genv", "UCX_NET_DEVICES", "eth0"),
        ]

    def _openmpi_settings(self) -> dict[str, str]:
        return {
            "plm_rsh_agent": str(self._agent()),
            "pml": "ob1",
            "btl": "tcp,vader,self",
            "btl_tcp_if_include": "eth0",
            "oob_tcp_if_include": "eth0",
            "mpi_yield_when_idle": "1",
        }

    def _openmpi_defaults(self, placement: str) -> dict[str, str]:
        """Return settings that have options of their own, which win over them."""
        # Slot after slot is what it does anyway; said here, a rank file would contradict it.
        mapping = {"rmaps_base_mapping_policy": "node"} if placement == "cyclic" else {}
        return mapping | {
            "orte_default_hostfile": str(self._openmpi_hosts()),
            "rmaps_base_oversubscribe": "1",
            "hwloc_base_binding_policy": "none",
        }

    def _number(self, placement: str) -> int:
        # Hydra begins again with the first host when all are full.
        return self.ranks_per_host if placement == "block" else 1

    def _agent(self) -> Path:
        return self._programs() / "agent"

    def _openmpi_hosts(self) -> Path:
        return self.folder / "hosts-openmpi"

    def _mpich_hosts(self, placement: str) -> Path:
        return self.folder / f"hosts-mpich-{placement}"

    def _names(self, vendor: str) -> Path:
        check_vendor(vendor)
        _launcher(vendor)
        return self._programs() / vendor

    def _programs(self) -> Path:
        return self.folder / "live" / "programs"


_NO_YIELDING = (
    "expected libespalier_yield_ucx.so, without which MPICH does not share processors",
    "build it: cmake --build build/release --target espalier_yield_ucx",
)


def warnings() -> list[str]:
    """Return what may go wrong with the MPIs that are here."""
    is_there = shutil.which("mpiexec.mpich", path=SEARCH_PATH) is not None
    return ["; ".join(_NO_YIELDING)] if is_there and installation.yielding_library() is None else []


def check_placement(placement: str) -> None:
    """Raise ArgumentError for a placement that is not known."""
    if placement not in PLACEMENTS:
        raise ArgumentError(f"expected the placement block or cyclic, got '{placement}'")


def check_vendor(vendor: str) -> None:
    """Raise ArgumentError for an MPI that is not known."""
    if vendor not in installation.vendors:
        raise ArgumentError(f"expected the MPI openmpi or mpich, got '{vendor}'")


def _launcher(vendor: str) -> str:
    name = {"openmpi": "mpirun.openmpi", "mpich": "mpiexec.mpich"}[vendor]
    if shutil.which(name, path=SEARCH_PATH) is None:
        raise MpiError(
            f"expected the MPI launcher '{name}' on the PATH, found none",
            "install it (Debian: openmpi-bin or mpich)",
        )
    return name


def _write_names(folder: Path, vendor: str) -> None:
    """Write programs `mpirun` and `mpiexec` that are those of one MPI."""
    folder.mkdir()
    for name in _NAMES:
        found = shutil.which(f"{name}.{vendor}", path=SEARCH_PATH)
        if found is not None:
            _write_program(folder / name, f'exec {shlex.quote(found)} "$@"\n')


def _write_agent(path: Path, enter: Sequence[str]) -> None:
    """Write what launchers call in place of ssh: `agent [options] HOST COMMAND`."""
    _write_program(
        path,
        'while [ "${1#-}" != "$1" ]; do\n'
        '  case "$1" in -l | -p | -o | -i) shift 2 ;; *) shift ;; esac\n'
        "done\n"
        "host=$1\n"
        "shift\n"
        f'exec {shlex.join(enter)} "$host" "$PWD" /bin/sh -c "$*"\n',
    )


def _write_program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}")
    path.chmod(0o755)
