# SPDX-License-Identifier: Apache-2.0
"""`espalier peers run`, `espalier peers simulate` and `espalier peers experiment`."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from espalier.base.durations import parse_seconds
from espalier.base.units import parse_bytes_list
from espalier.cli.commands import Family
from espalier.cli.expansion import Repeat
from espalier.cli.groups import ALL, Launch, StoreFile, Told, carry_out, usual_profile
from espalier.cli.options import Placement, PricedMachine, Ranks, Sizes, TimeBudget
from espalier.machines import machines
from espalier.peers import experiment as experiments
from espalier.peers import measured, study
from espalier.peers.cells import PlatformCell
from espalier.peers.choosing import Choosing
from espalier.peers.experiment import PEERS, SIZES, Experiment, Run
from espalier.peers.measured import Question
from espalier.report.peers import peers_report
from espalier.store.database import default_path

Kinds = Annotated[
    str,
    typer.Option(
        "--collectives", "--collective", help="Separated by commas; all: one of each kind."
    ),
]
Against = Annotated[str, typer.Option("--peers", help="Whose algorithms to compare with.")]
_ALL_PEERS = ",".join(PEERS)


def _formerly(words: Sequence[str]) -> str:
    own = words[: words.index("--")] if "--" in words else words
    if len(own) < len(words):
        return "run"
    return "experiment" if any(word.endswith(".toml") for word in own) else "simulate"


peers = Family(formerly=_formerly)


@dataclass(frozen=True)
class Compared:
    """Calls and sizes, a row of cells each."""

    collectives: Kinds = ALL
    sizes: Sizes = SIZES

    @property
    def calls(self) -> tuple[str, ...]:
        """Return the names of the calls; of all kinds one."""
        return experiments.check_collectives(self.collectives.split(","))

    @property
    def num_bytes(self) -> tuple[int, ...]:
        """Return the sizes."""
        return tuple(parse_bytes_list(self.sizes))


@dataclass(frozen=True)
class Chosen:
    """What stands for us on a simulated machine."""

    profile: Annotated[
        Path | None, typer.Option("--profile", metavar="FILE", help="Instead of tuning one.")
    ] = None
    tune: Annotated[
        bool, typer.Option("--tune/--no-tune", help="Tune a profile for each place.")
    ] = True
    candidates: Annotated[
        int | None,
        typer.Option(
            "--candidates",
            min=1,
            help="Of the model's shortlist to measure at each size.",
            show_default="those of tuning",
        ),
    ] = None
    simulators: Annotated[
        int, typer.Option("--simulators", min=0, help="At the same time; 0: one on each core.")
    ] = 0
    store: StoreFile = None

    def choosing(self, under: str, repeat: Repeat) -> Choosing:
        """Return it for a comparison in which calls that are left alone run as `under`."""
        return Choosing(
            store=self.store or default_path(),
            under=under,
            simulators=self.simulators,
            profile=self.profile,
            tunes=self.tune,
            num_candidates=self.candidates or 0,
            command=repeat.text(),
        )


@dataclass(frozen=True)
class Places:
    """A machine, and how ranks are put on it, in one or several ways."""

    machine: PricedMachine
    placements: Annotated[
        str, typer.Option("--placement", help="Of ranks, one or several: block,cyclic.")
    ] = "block"
    num_ranks: Ranks = None

    def runs(self, what: Compared) -> tuple[Run, ...]:
        """Return the runs, one for each placement."""
        found = machines.load(self.machine)
        text, num_ranks = found.short_text, self.num_ranks or found.num_cores
        return tuple(
            Run(
                place=PlatformCell(text, placement, num_ranks),
                machine=text,
                sizes=dict.fromkeys(what.calls, what.num_bytes),
                tuned_sizes=what.num_bytes,
            )
            for placement in self.placements.split(",")
        )


@dataclass(frozen=True)
class Rivals:
    """Whom to compare with, and whose algorithms run below ours."""

    against: Against = _ALL_PEERS
    under: Annotated[
        str, typer.Option("--under", help="Whose algorithms run where the profile says native.")
    ] = "mpich"


def simulate(
    where: Places, what: Compared, rivals: Rivals, chosen: Chosen, told: Told, repeat: Repeat
) -> None:
    """Compare with the algorithms of four MPIs on a simulated machine.

    Ours are what a profile chooses, what the model chooses, and the best in hindsight; the lower
    bound says what no algorithm can beat. What was simulated is kept in the store: a comparison
    that was interrupted goes on when it is repeated.
    """
    told.check()
    found = Experiment(
        "command line",
        where.runs(what),
        experiments.check_peers(rivals.against.split(",")),
        experiments.check_peers([rivals.under])[0],
    )
    _compare(found, chosen, told, repeat)


@dataclass(frozen=True)
class Part:
    """A part of an experiment."""

    platforms: Annotated[
        list[str] | None,
        typer.Option("--platform", metavar="NAME", help="Only this one; may be repeated."),
    ] = None
    collectives: Kinds = ALL
    against: Against = _ALL_PEERS

    def of(self, declared: Experiment) -> Experiment:
        """Return the part.

        Raises:
            ArgumentError: nothing is left.
        """
        names = [] if self.collectives == ALL else self.collectives.split(",")
        rivals = experiments.check_peers(self.against.split(","))
        return dataclasses.replace(declared.only(self.platforms or [], names), peers=rivals)


def experiment(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="TOML, as benchmarks/peers/peers.toml.")
    ],
    part: Part,
    chosen: Chosen,
    told: Told,
    repeat: Repeat,
) -> None:
    """Compare with the algorithms of four MPIs in all places that a file declares.

    As 'espalier peers simulate' does. What was simulated is kept in the store: a comparison that
    was interrupted goes on when it is repeated.
    """
    told.check()
    _compare(part.of(experiments.read(file)), chosen, told, repeat)


def _compare(found: Experiment, chosen: Chosen, told: Told, repeat: Repeat) -> None:
    choosing = chosen.choosing(found.under, repeat)
    carry_out(
        lambda: study.compare(found, choosing),
        lambda document: told.tell(document, peers_report(document)),
    )


@dataclass(frozen=True)
class ChosenHere:
    """What stands for us on the real machine: a profile, the model of a machine, or both."""

    profile: Annotated[
        Path | None,
        typer.Option(
            "--profile", metavar="FILE", help="From tune.", show_default="what tune wrote here"
        ),
    ] = None
    machine: Annotated[
        str | None,
        typer.Option("--machine", metavar="TEXT|FILE", help="By the model of which to choose."),
    ] = None
    placement: Placement = None
    candidates: Annotated[
        int,
        typer.Option("--candidates", min=1, help="Of the model's shortlist to measure each size."),
    ] = 4


def run(
    launch: Launch,
    what: Compared,
    chosen: ChosenHere,
    told: Told,
    repeat: Repeat,
    time_budget: TimeBudget = "60s",
) -> None:
    """Compare with the MPI of the launcher, on this machine.

    Ours are what a profile chooses, what the model of a machine chooses, and the best in hindsight;
    the MPI does what it does by itself.
    """
    told.check()
    question = Question(
        words=launch.words,
        command=repeat.text(),
        collectives=what.calls,
        sizes=what.num_bytes,
        profile=usual_profile(chosen.profile, is_looked_for=chosen.machine is None),
        machine=chosen.machine,
        placement=chosen.placement,
        num_candidates=chosen.candidates,
        seconds=parse_seconds(time_budget),
        vendor=launch.mpi,
    )
    document: dict[str, Any] = measured.compare(question)
    told.tell(document, peers_report(document))


peers.add(run, "run", "Compare with the MPI of a launcher, on this machine")
peers.add(simulate, "simulate", "Compare with four MPIs on a simulated machine")
peers.add(experiment, "experiment", "Compare with four MPIs in all places that a file declares")
