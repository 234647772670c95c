# SPDX-License-Identifier: Apache-2.0
"""Groups of options that several verbs share, with what follows from them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from espalier import _core
from espalier.base.interruption import Interrupted
from espalier.base.units import bytes_text, parse_bytes_list
from espalier.cli.expansion import UNREPEATED
from espalier.cli.options import (
    Algorithms,
    Collectives,
    Force,
    Json,
    Launcher,
    LauncherMpi,
    Learns,
    MappedMachine,
    Maps,
    Placement,
    PricedMachine,
    ProfileFile,
    ProfileOutput,
    Ranks,
    ReportOutput,
    Sizes,
)
from espalier.io.console import emit_json, say
from espalier.io.output_files import check_writable
from espalier.launch import preload
from espalier.machines import machines, priced
from espalier.profiles import profiles
from espalier.report.content import Report, check_path, print_report, write_report
from espalier.sampling.goal import DEFAULT_CALLS, DEFAULT_SIZES
from espalier.sampling.setting import Setting

ALL = "all"
_USUAL_CALLS = ",".join(DEFAULT_CALLS)
_USUAL_SIZES = ",".join(bytes_text(size).replace(" ", "") for size in DEFAULT_SIZES)
USUAL_PROFILE = Path("espalier-profile.json")
StoreFile = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="FILE",
        help="Where measurements are kept.",
        # By its name: man pages are made where one user installs for others.
        show_default="espalier/measurements.db in $XDG_DATA_HOME, or in ~/.local/share",
    ),
]


@dataclass(frozen=True)
class Launch:
    """Ranks that the user's launcher starts."""

    command: Launcher = None
    mpi: LauncherMpi = None

    @property
    def words(self) -> tuple[str, ...]:
        """Return the launcher with its options."""
        return tuple(self.command or ())


@dataclass(frozen=True)
class Wanted:
    """Calls, sizes and candidates to go through."""

    collectives: Collectives = _USUAL_CALLS
    sizes: Sizes = _USUAL_SIZES
    algorithms: Algorithms = None

    @property
    def calls(self) -> tuple[str, ...]:
        """Return the names of the calls."""
        return tuple(_core.calls() if self.collectives == ALL else self.collectives.split(","))

    @property
    def num_bytes(self) -> tuple[int, ...]:
        """Return the sizes.

        Raises:
            ArgumentError: they are none.
        """
        return tuple(parse_bytes_list(self.sizes))

    @property
    def patterns(self) -> tuple[str, ...]:
        """Return which candidates; none stands for all."""
        return tuple(self.algorithms or ())


@dataclass(frozen=True)
class PricedRanks:
    """Ranks on a machine that says what messages cost."""

    machine: PricedMachine
    placement: Placement = None
    num_ranks: Ranks = None

    def load(self) -> tuple[machines.Machine, Setting]:
        """Return the machine, and the ranks on it.

        Raises:
            Error: there is no such machine, or not so many ranks fit on it.
        """
        found = priced.load(self.machine)
        return found, Setting(found.text, *machines.setting(found, self.placement, self.num_ranks))


@dataclass(frozen=True)
class Kept:
    """Where a tuning leaves its profile and its measurements."""

    output: ProfileOutput = USUAL_PROFILE
    store: StoreFile = None
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue a tuning that was interrupted."),
        UNREPEATED,
    ] = False


@dataclass(frozen=True)
class Preloaded:
    """What Espalier does under a program."""

    profile: ProfileFile = None
    force: Force = None
    mapping: Maps = False
    machine: MappedMachine = ""
    learn: Learns = None

    @property
    def forced(self) -> str:
        """Return the calls that are forced, as the library reads them.

        Raises:
            ArgumentError: they are not calls and algorithms.
        """
        return preload.parse_force(self.force or [])


@dataclass(frozen=True)
class Told:
    """How a report is given: a page, JSON, or text on the terminal."""

    output: ReportOutput = None
    json: Json = False

    def check(self) -> None:
        """Raise ArgumentError or FileError before any work if the page could not be written."""
        if self.output is not None:
            check_path(self.output)
            check_writable(self.output)

    def tell(self, document: dict[str, Any], report: Report) -> None:
        """Print the report, and write the page."""

        def write(path: Path) -> None:
            write_report(report, path)

        show_and_write(document, lambda _: report, self.output, write, json=self.json)


def show(
    document: dict[str, Any], report: Callable[[dict[str, Any]], Report], *, json: bool
) -> None:
    """Print a document as JSON, or its report."""
    if json:
        emit_json(document)
    else:
        print_report(report(document))


def show_and_write(
    document: dict[str, Any],
    report: Callable[[dict[str, Any]], Report],
    output: Path | None,
    write: Callable[[Path], None],
    *,
    json: bool,
) -> None:
    """Print a document and write it: a full disk or a closed pipe loses one of them only."""
    try:
        show(document, report, json=json)
    finally:
        if output is not None:
            write(output)
            say(f"wrote {output}")


def carry_out(work: Callable[[], dict[str, Any]], tell: Callable[[dict[str, Any]], None]) -> None:
    """Do the work and tell what it found, also if it was interrupted."""
    try:
        document = work()
    except Interrupted as interrupted:
        tell(interrupted.document)
        raise interrupted.cause from None
    tell(document)


def usual_profile(named: Path | None, *, is_looked_for: bool) -> Path | None:
    """Return the profile that is named, else the one that tune writes if it is there.

    Raises:
        Error: it cannot be used.
    """
    path = named
    if path is None and is_looked_for and USUAL_PROFILE.exists():
        say(f"note: using {USUAL_PROFILE}")
        path = USUAL_PROFILE
    if path is not None:
        profiles.read(path)
    return path
