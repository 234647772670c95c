# SPDX-License-Identifier: Apache-2.0
"""`espalier profile show`, `diff`, `merge`, `share`, `check` and `export`."""

from pathlib import Path
from typing import Annotated

import typer

from espalier.cli import groups
from espalier.cli.commands import Family
from espalier.cli.options import Json
from espalier.doctor.launchers import launchers
from espalier.errors import ArgumentError
from espalier.exports import exporting
from espalier.exports.exporting import Wish
from espalier.io.console import emit_json
from espalier.profiles import (
    contents,
    differences,
    problems,
    profiles,
    site,
    team_measurements,
    union,
)
from espalier.report.profile import (
    contents_report,
    difference_report,
    export_report,
    merge_report,
    print_check,
)
from espalier.report.team_measurements import team_measurements_report

profile = Family()

ProfileArgument = Annotated[Path, typer.Argument(metavar="PROFILE", help="From tune or improve.")]
AcrossMachines = Annotated[
    bool,
    typer.Option("--across-machines", help="Merge although they are from different machines."),
]


def show(path: ProfileArgument, json: Json = False) -> None:
    """Print what is in a profile: for each shape and call the sizes, the choice and its gain.

    'espalier explain' prints the measurements behind it, and what other shapes borrow. Of a file
    'teams-...', which programs keep beside the profile of what they learned: what was measured for
    one-sided collectives.
    """
    if team_measurements.is_in(path):
        found = team_measurements.read(path)
        groups.show(found, lambda one: team_measurements_report(one, path), json=json)
        return
    groups.show(contents.contents(profiles.read(path)), contents_report, json=json)


def diff(
    first: Annotated[Path, typer.Argument(metavar="A", help="A profile.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    json: Json = False,
) -> None:
    """Print for which shapes, calls and sizes two profiles differ, and which one gains more.

    A gain is compared by the lower end of its interval.
    """
    found = differences.differences(profiles.read(first), profiles.read(second))
    groups.show(found, difference_report, json=json)


def merge(
    paths: Annotated[list[Path], typer.Argument(metavar="PROFILE...", help="Two or more.")],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="A new file, or one of the profiles."),
    ],
    is_across_machines: AcrossMachines = False,
    json: Json = False,
) -> None:
    """Write one profile with all shapes, calls and sizes of several.

    Where several have a rule for a shape, call and size, the stronger evidence wins: measured
    before learned in a program before simulated before modelled; then a complete run before an
    interrupted one; then the larger lower bound of the gain over the native call, where a native
    rule gains 1; then the newer run; then the profile that is named first. Profiles for different
    MPI libraries are not merged.
    """
    if len(paths) < 2:
        raise ArgumentError("expected two profiles or more, got one", "name others too")
    found = union.merge_files(paths, output, is_across_machines=is_across_machines)
    groups.show(found, merge_report, json=json)


def share(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PROFILE...", help="Of users, or from tune.")
    ],
    is_across_machines: AcrossMachines = False,
    json: Json = False,
) -> None:
    """Add rules to the site file, from which programs of all users of this installation start.

    For administrators. There is a site file for each MPI library, kind of processor and network,
    beside the library that is preloaded. Files that programs left (espalier doctor says where) keep
    their names, which say for which; other profiles are for the machine on which this command runs.
    Rules are merged as by 'espalier profile merge', with those of the site file.
    """
    groups.show(site.share(paths, is_across_machines=is_across_machines), merge_report, json=json)


def check(
    path: ProfileArgument,
    is_for_elsewhere: Annotated[
        bool,
        typer.Option("--elsewhere", help="It is for another machine: do not look at MPIs here."),
    ] = False,
    json: Json = False,
) -> None:
    """Print everything that is wrong with a profile, a line each. Exit code 1 if anything is.

    The file has to fit its schema, algorithms and their arguments have to exist and to accept the
    ranks, rules of a shape must not overlap, and an MPI on PATH has to be the one of the profile.
    """
    found = problems.examine(path, None if is_for_elsewhere else _installed())
    if json:
        emit_json(found)
    else:
        print_check(found)
    if found["problems"]:
        raise typer.Exit(1)


def _installed() -> dict[str, list[str]]:
    """Return the versions of each MPI whose launcher is on PATH."""
    found: dict[str, list[str]] = {}
    for finding in launchers():
        if finding.status == "ok" and finding.facts.get("version"):
            found.setdefault(finding.facts["vendor"], []).append(finding.facts["version"])
    return found


def export(
    path: ProfileArgument,
    library: Annotated[
        str,
        typer.Option("--for", metavar="MPI", help="openmpi, mpich or intel."),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Rules for that library.")
    ],
    num_nodes: Annotated[
        int | None,
        typer.Option("--nodes", min=1, help="Only rules for so many nodes.", show_default="all"),
    ] = None,
    mpich: Annotated[
        Path | None,
        typer.Option(
            "--library",
            metavar="FILE",
            help="libmpich.so whose own choices are kept where there is no rule.",
            show_default="that of Espalier's programs",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Write decisions as rules that an MPI library follows without Espalier.

    Only rules whose algorithm the library has too are written; the others are listed with the
    reason. Where there is no rule the library chooses by itself. For Open MPI (4.1.4 was tried) it
    is a file for coll_tuned, for MPICH (4.0.2 was tried) one or two tuning files in JSON, for Intel
    MPI variables I_MPI_ADJUST (2021.18 accepts each of them; which messages it then sends was not
    compared). Exit code 1 if no rule can be exported.
    """
    found = exporting.export(profiles.read(path), Wish(library, output, num_nodes, mpich))
    groups.show(found, export_report, json=json)
    if not found["exported"]:
        raise typer.Exit(1)


profile.add(show, "show", "Print what is in a profile")
profile.add(diff, "diff", "Print where two profiles choose differently")
profile.add(merge, "merge", "Write one profile of several")
profile.add(share, "share", "Add rules to those that all users start from")
profile.add(check, "check", "Print what is wrong with a profile")
profile.add(export, "export", "Write rules for an MPI library")
