# SPDX-License-Identifier: Apache-2.0
"""Options that several verbs share."""

from pathlib import Path
from typing import Annotated

import typer

from espalier import installation
from espalier.base.units import MOST_RANKS
from espalier.cli.expansion import UNREPEATED
from espalier.errors import ArgumentError

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead."), UNREPEATED]
Pattern = Annotated[
    str | None,
    typer.Argument(
        metavar="PATTERN", help="Name, part of a name, or pattern with * and ?; all if left out."
    ),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of everything that is random.")]
TimeBudget = Annotated[
    str, typer.Option("--time-budget", metavar="TIME", help="About how long to measure.")
]

# What is written where.
ProfileOutput = Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The profile.")]
ReportOutput = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="Report, .md or .html.")
]
JsonOutput = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write JSON there too.")
]

# Of the verbs that measure with ranks that a launcher starts.
Launcher = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="-- LAUNCHER OPTIONS",
        help="How to start ranks, without a program: -- mpirun -n 4",
    ),
]
OptionalLauncher = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[-- LAUNCHER OPTIONS]",
        help="Measure with ranks started so, without a program: -- mpirun -n 8",
    ),
]
LauncherMpi = Annotated[
    str | None,
    typer.Option("--mpi", help="openmpi, mpich or smpi, if the launcher does not say."),
]

# Of the verbs that go through calls, sizes and algorithms.
Collectives = Annotated[
    str,
    typer.Option("--collectives", "--collective", help="Separated by commas, or all."),
]
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
MinGain = Annotated[
    float, typer.Option("--min-gain", help="Keep native for smaller gains; 0.02 is 2 %.")
]
EffortOption = Annotated[
    str,
    typer.Option(
        "--effort",
        metavar="LEVEL",
        help="estimate: what the model says, nothing is measured; measure: many candidates shortly,"
        " few of them longer; exhaustive: all of them for long.",
    ),
]
GoodEnough = Annotated[
    str,
    typer.Option(
        "--good-enough",
        metavar="SHARE",
        help="Leave a size when nothing can be expected to be better by more than that.",
    ),
]

# Of the verbs that put ranks on a machine that is described.
PricedMachine = Annotated[
    str,
    typer.Option(
        "--machine",
        metavar="TEXT|FILE",
        help="A machine with links: what 'espalier probe -o' wrote, or a text such as"
        " '8n[latency=2us,bandwidth=12GB/s] x 4c[latency=300ns,bandwidth=6GB/s]'.",
    ),
]
Placement = Annotated[
    str | None,
    typer.Option(
        "--placement",
        help="Ranks on cores: block, cyclic, folded, list:0,4,1,..., or a file with a core in each"
        " line.",
        show_default="as the machine file says, else block",
    ),
]
Ranks = Annotated[
    int | None,
    typer.Option(
        "--ranks", "-p", min=1, max=MOST_RANKS, help="How many.", show_default="one on each core"
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
Learns = Annotated[
    bool | None,
    typer.Option(
        "--learn/--no-learn",
        show_default=False,
        help="Try other algorithms in the calls of the program, keep what is faster, and remember"
        " it for later runs. Trials may lose 50 ms or 1 % of the time of a run. The default of"
        " 'run' alone.",
    ),
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
Statistics = Annotated[
    Path | None,
    typer.Option("--statistics", metavar="FOLDER", help="Keep what every rank called there."),
]
TrafficFolder = Annotated[
    Path | None,
    typer.Option(
        "--traffic", metavar="FOLDER", help="Count who sends how much to whom, and keep it there."
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
