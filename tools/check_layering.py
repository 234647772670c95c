# SPDX-License-Identifier: Apache-2.0
"""Check that layers include only what stands below them, and <mpi.h> only where it is allowed.

The packages of python/espalier have a table of their own, in tools/python_floors.py.

Usage: check_layering.py [root]. Prints one line per violation; exit code 1 if there is any.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import python_floors

# Direct dependencies; everything that can be reached through them may be included.
DEPENDS: dict[str, set[str]] = {
    "base": set(),
    "mpi": {"base"},
    "watch": {"base"},
    "schedule": {"base"},
    "pattern": {"base"},
    "algorithms": {"schedule", "pattern"},
    "machine": {"base", "mpi"},
    "mapping": {"machine", "pattern"},
    "simulation": {"machine"},
    "candidates": {"algorithms", "machine", "schedule"},
    "cost": {"algorithms", "machine", "schedule", "simulation"},
    "neighborhood": {"algorithms", "mapping", "schedule"},
    "verify": {"algorithms", "neighborhood", "schedule"},
    "exec": {"machine", "mapping", "mpi", "schedule", "watch"},
    "onesided": {"base", "exec", "mpi"},
    "profile": {"algorithms", "base", "neighborhood"},
    "learn": {"algorithms", "candidates", "cost", "machine", "profile"},
    "plan": {"algorithms", "exec", "learn", "neighborhood", "profile", "verify", "watch"},
    "capi": {"plan", "mapping", "onesided", "profile"},
    "measure": {"capi", "exec", "plan", "algorithms", "machine", "mapping", "profile"},
    "shim": {"plan", "watch"},
    "python": {"candidates", "cost", "machine", "mapping", "measure", "plan"},
}

MPI_ALLOWED = (
    "espalier/capi/",
    "espalier/exec/collectives/",
    "espalier/exec/messages/",
    "espalier/exec/node/mpi_",
    "espalier/machine/job/mpi_",
    "espalier/measure/",
    "espalier/mpi/",
    "espalier/onesided/mpi/mpi_",
    "espalier/onesided/simulated/simulated_conduit",
    "espalier/onesided/transports/",
    "espalier/onesided/ucx/ucx_conduit",
    "espalier/onesided/ucx/ucx_exchange",
    "espalier/onesided/ucx/ucx_resources",
    "espalier/plan/",
    "espalier/simulation/smpi_",
    "shim/",
    "examples/",
    "benchmarks/",
    "tests/bent/",
    "tests/mpi/",
    "tests/mpis/",
    "tests/packaging/",
    "tests/shim/",
    "tests/fortran/",
    "tests/data/simulated/",
    "tests/support/",
)
MPI_HEADER = re.compile(
    r"mpi\.h|mpif\.h|espalier/(mpi/|exec/((collectives|messages)/|node/mpi_)|machine/job/mpi_"
    r"|onesided/mpi/mpi_|onesided/simulated/simulated_conduit|onesided/ucx/ucx_(conduit|exchange|resources)).*"
)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".in"}
FOLDERS = ("espalier", "shim", "python", "examples", "benchmarks", "tests")


def reachable(layer: str) -> set[str]:
    """Return the layer and everything below it."""
    return {layer}.union(*(reachable(below) for below in DEPENDS[layer]))


def layer_of(path: str) -> str:
    """Return the layer a path from the root belongs to, "" for code that may include any."""
    parts = path.split("/")
    name = parts[1] if parts[0] == "espalier" and len(parts) > 2 else parts[0]
    return name if name in DEPENDS or parts[0] == "espalier" else ""


def violation(path: str, header: str) -> str:
    """Say what is wrong with including a header in the file at this path, "" if nothing is."""
    if MPI_HEADER.fullmatch(header) and not path.startswith(MPI_ALLOWED):
        return f"{header} may not be included here, only in {' '.join(MPI_ALLOWED)}"
    layer, included = layer_of(path), layer_of(header)
    for name in (layer, included):
        if name and name not in DEPENDS:
            return f"layer {name} is not in the table of tools/check_layering.py"
    if layer and included and included not in reachable(layer):
        return f"{layer} may not include {included}"
    return ""


def check(root: Path) -> list[str]:
    """Return a line `file:line: what is wrong` for each violation below a root."""
    return [*check_includes(root), *python_floors.check(root)]


def check_includes(root: Path) -> list[str]:
    """Return a line for each include that is not allowed."""
    problems = []
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in SUFFIXES or not file.is_file():
                continue
            path = file.relative_to(root).as_posix()
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                problem = violation(path, match[1]) if match else ""
                if problem:
                    problems.append(f"{path}:{number}: {problem}")
    return problems


def main() -> int:
    """Check the tree given as argument, by default the one this script is in."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    problems = check(root)
    print("\n".join(problems) or "layering: ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
