# SPDX-License-Identifier: Apache-2.0
"""Machines that are found without starting MPI: this node, hwloc XML, a SLURM job."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING

from espalier import _core
from espalier.io import documents
from espalier.io.names import printable
from espalier.machines import machines

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from espalier.machines.machines import Machine


def here() -> Machine:
    """Return the node this process runs on."""
    name = platform.node() or "this node"
    return machines.parse(_core.machine_here(name), name)


def of_hwloc(path: Path) -> Machine:
    """Return the node that hwloc XML (`lstopo --of xml`) describes."""
    name = printable(path)
    return machines.parse(_core.machine_of_hwloc(documents.read_text(path), name), name)


def of_slurm(topology: Path | None, environment: Mapping[str, str] = os.environ) -> Machine:
    """Return the machine of the SLURM job this runs in, with the switches of topology.conf."""
    variables = {name: value for name, value in environment.items() if name.startswith("SLURM_")}
    text = None if topology is None else documents.read_text(topology)
    name = f"SLURM job {variables.get('SLURM_JOB_ID', '')}".rstrip()
    return machines.parse(_core.machine_of_slurm(variables, text, printable(topology)), name)
