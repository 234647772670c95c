# SPDX-License-Identifier: Apache-2.0
"""Options that several verbs share."""

from pathlib import Path
from typing import Annotated

import typer

from espalier import installation
from espalier.errors import ArgumentError

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead.")]
Pattern = Annotated[
    str | None,
    typer.Argument(
        metavar="PATTERN", help="Name, part of a name, or pattern with * and ?; all if left out."
    ),
]

# Of the verbs that go through sizes and algorithms.
Sizes = Annotated[str, typer.Option("--sizes", help="Bytes of the whole result; 8..1MiB doubles.")]
Algorithms = Annotated[
    list[str] | None,
    typer.Option(
        "--algorithms",
        metavar="PATTERN",
        help="Candidates, as in 'espalier list', or one choice: bcast/k_nomial[k=4]."
        " May be repeated; all if left out.",
    ),
]

# Of the verbs that run a program with Espalier under it.
ProfileFile = Annotated[
    Path | None,
    typer.Option("--profile", metavar="FILE", envvar="ESPALIER_PROFILE", help="From tune."),
]
Force = Annotated[
    list[str] | None,
    typer.Option("--force", metavar="CALL=ALGORITHM", help="As in allgather=bruck."),
]
Maps = Annotated[
    bool,
    typer.Option("--mapping/--no-mapping", help="Reorder topologies that permit it (reorder = 1)."),
]
MappedMachine = Annotated[
    str,
    typer.Option(
        "--machine",
        metavar="MACHINE",
        envvar="ESPALIER_MACHINE",
        help="Text or file: levels and costs for mapping that cannot be seen from inside.",
    ),
]
Mpi = Annotated[
    str | None, typer.Option("--mpi", help="openmpi or mpich, if the program does not say.")
]

# Of the verbs that write a profile for a machine that need not exist. Programs under a real MPI
# refuse a profile that was made for another one.
SIMULATED_VENDOR = "smpi"
ProfileVendor = Annotated[
    str,
    typer.Option(
        "--for",
        metavar="MPI",
        help="Which programs the profile is for: smpi (simulated ones), openmpi or mpich. Programs"
        " refuse profiles for another MPI.",
    ),
]


def check_vendor(vendor: str) -> None:
    """Raise ArgumentError for an MPI that no program of ours is made for."""
    known = (SIMULATED_VENDOR, *installation.vendors)
    if vendor not in known:
        raise ArgumentError(f"expected an MPI of {', '.join(known)} behind --for, got '{vendor}'")
