# SPDX-License-Identifier: Apache-2.0
"""`espalier compare`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from espalier.base.durations import parse_seconds
from espalier.base.intervals import least_pairs
from espalier.cli.expansion import Repeat
from espalier.cli.groups import Preloaded, Told, usual_profile
from espalier.cli.options import Mpi, Seed
from espalier.compare import comparison
from espalier.compare.experiment import Design, check_environment
from espalier.errors import ArgumentError
from espalier.io.console import say
from espalier.launch import preload
from espalier.report.compare import comparison_report

_USUAL_BLOCKS, _USUAL_CONFIDENCE = 7, 0.95


@dataclass(frozen=True)
class Repetitions:
    """How often and how long, and how sure to be."""

    repetitions: Annotated[
        int | None,
        typer.Option(
            "--repetitions",
            min=1,
            help="Blocks of three runs; 6 for 95 %, 8 for 99 %.",
            show_default="7, or what --confidence needs",
        ),
    ] = None
    time_budget: Annotated[
        str | None,
        typer.Option(
            "--time-budget", metavar="TIME", help="Begin no block but the first that ends later."
        ),
    ] = None
    timeout: Annotated[
        str | None,
        typer.Option("--timeout", metavar="TIME", help="End a run after it (10 times the first)."),
    ] = None
    confidence: Annotated[
        float, typer.Option("--confidence", min=0.5, max=0.999, help="Of every interval.")
    ] = _USUAL_CONFIDENCE
    seed: Seed = 1

    @property
    def num_blocks(self) -> int:
        """Return how many blocks are to be made: enough to be so sure, unless a number is given.

        Raises:
            ArgumentError: too few are given for another confidence than the usual one.
        """
        least = least_pairs(self.confidence)
        if self.repetitions is None:
            return max(_USUAL_BLOCKS, least)
        if self.repetitions < least and self.confidence != _USUAL_CONFIDENCE:
            raise ArgumentError(
                f"expected at least {least} repetitions with --confidence {self.confidence:g}, got"
                f" {self.repetitions}, with which nothing can be significant",
                "give more, or leave out --repetitions",
            )
        return self.repetitions


@dataclass(frozen=True)
class Compared:
    """The program, and by which MPI it runs."""

    command: Annotated[
        list[str],
        typer.Argument(metavar="-- COMMAND", help="The MPI program: -- mpirun -n 4 ./program"),
    ]
    mpi: Mpi = None


def _profile(under: Preloaded) -> Path | None:
    """Return the profile to compare with; unlike `run`, without a usable one there is no point."""
    is_looked_for = not under.forced and not under.mapping and not under.learn
    profile = usual_profile(under.profile, is_looked_for=is_looked_for)
    changes_nothing = not under.forced and not under.mapping and not under.learn
    if profile is None and changes_nothing:
        raise ArgumentError(
            "expected a profile, a forced algorithm or mapping to compare with, got none of them",
            "make a profile with 'espalier tune', or try --force allgather=bruck, or --mapping",
        )
    return profile


def _design(under: Preloaded, times: Repetitions) -> Design:
    return Design(
        profile=_profile(under),
        force=under.forced,
        maps=under.mapping,
        learns=bool(under.learn),
        machine=under.machine,
        repetitions=times.num_blocks,
        seconds=None if times.time_budget is None else parse_seconds(times.time_budget),
        timeout_seconds=None if times.timeout is None else parse_seconds(times.timeout),
        seed=times.seed,
        confidence=times.confidence,
    )


def _say_if_too_few(design: Design) -> None:
    """Tell who wants a quick look that it decides nothing."""
    if design.repetitions < design.least_blocks:
        say(f"note: nothing is significant with less than {design.least_blocks} blocks")


def compare(
    compared: Compared,
    under: Preloaded,
    times: Repetitions,
    told: Told,
    repeat: Repeat,
) -> None:
    """Run an MPI program with and without Espalier, in turns, and report what changed.

    The whole run, and each collective: calls, bytes, times, ratio with interval, what was chosen
    and why. Without a profile from 'espalier tune', --force or --learn only mapping can change
    anything. If a run fails, the comparison ends with what it has and with the program's exit
    code. Input from a file (< FILE) is given to every run, other input to none.
    """
    told.check()
    check_environment()
    forced = under.forced
    target = preload.find_target(compared.command, compared.mpi)
    design = _design(under, times)
    same = repeat.having(profile=design.profile, force=[forced] if forced else None)
    question = comparison.Question(target, design, same.text())
    _say_if_too_few(design)
    answer = comparison.compare(question)
    told.tell(answer.document, comparison_report(answer.document))
    if answer.cause is not None:
        raise answer.cause
    raise typer.Exit(answer.exit_code)
