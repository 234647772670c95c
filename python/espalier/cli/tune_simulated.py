# SPDX-License-Identifier: Apache-2.0
"""`espalier tune simulate`: tuning in simulation."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from espalier.base.durations import parse_seconds
from espalier.base.shares import parse_share
from espalier.cli.expansion import UNREPEATED, Repeat
from espalier.cli.groups import Kept, PricedRanks, Wanted, carry_out, show
from espalier.cli.modelling import PREDICTED, write_profile
from espalier.cli.options import (
    SIMULATED_VENDOR,
    EffortOption,
    Json,
    MinGain,
    ProfileVendor,
    check_vendor,
)
from espalier.machines import priced
from espalier.machines.machines import Machine, nodes_of_ranks
from espalier.report.tune import tuning_report
from espalier.sampling.goal import ESTIMATE, MEASURE
from espalier.sampling.setting import Setting
from espalier.sampling.simulation import DEFAULT_PEER, PEERS, SimulatedJob
from espalier.store.database import default_path
from espalier.tuning import simulated_tuner
from espalier.tuning.call_tuning import Policy
from espalier.tuning.modelled import Question
from espalier.tuning.session import Files
from espalier.tuning.simulated_goal import SimulatedGoal
from espalier.tuning.simulated_tuner import usual_num_simulators
from espalier.tuning.simulators import Limits


@dataclass(frozen=True)
class Simulating:
    """Whom to be faster than, with how many candidates, and how long it may take."""

    peer: Annotated[
        str, typer.Option("--peer", help=f"Whose native calls are simulated: {', '.join(PEERS)}.")
    ] = DEFAULT_PEER
    vendor: ProfileVendor = SIMULATED_VENDOR
    effort: EffortOption = MEASURE
    good_enough: Annotated[
        str | None,
        typer.Option(
            "--good-enough",
            metavar="SHARE",
            help="Leave a size when nothing can be expected to be better by more than that.",
            show_default="the whole shortlist is simulated",
        ),
    ] = None
    shortlist: Annotated[
        int,
        typer.Option(
            "--shortlist", help="Candidates simulated at a size at most, without --good-enough."
        ),
    ] = 6
    min_gain: MinGain = 0.0
    ours_only: Annotated[
        bool, typer.Option("--ours-only", help="Neither measure nor choose native.")
    ] = False
    time_budget: Annotated[
        str | None,
        typer.Option(
            "--time-budget",
            metavar="TIME",
            help="About how long to simulate.",
            show_default="no limit",
        ),
    ] = None
    simulators: Annotated[
        int | None,
        typer.Option(
            "--simulators", min=1, help="Simulators side by side.", show_default="one a processor"
        ),
        # They change nothing that is found.
        UNREPEATED,
    ] = None
    point_limit: Annotated[
        str,
        typer.Option(
            "--point-limit", metavar="TIME", help="Longest time to simulate a size of a call."
        ),
    ] = "120s"

    def limits(self, num_ranks: int) -> Limits:
        """Return how many simulators of so many ranks run, and how long."""
        return Limits(
            num_simulators=self.simulators or usual_num_simulators(num_ranks),
            seconds_per_point=parse_seconds(self.point_limit),
            seconds=None if self.time_budget is None else parse_seconds(self.time_budget),
        )


def simulate(
    where: PricedRanks,
    what: Wanted,
    simulating: Simulating,
    kept: Kept,
    repeat: Repeat,
    json: Json = False,
) -> None:
    """Simulate the algorithms on a described machine and write a profile of the fastest.

    Simulated times are exact, so each candidate is measured once, and where the choice changes
    between two sizes, sizes between them are measured too. The same command gives the same profile.
    Ctrl-C keeps what was measured. A profile that is there keeps its rules for other shapes (ranks
    and nodes) and collectives.
    """
    check_vendor(simulating.vendor)
    machine, setting = where.load()
    same = repeat.having(placement=setting.placement, num_ranks=setting.num_ranks)
    if simulating.effort == ESTIMATE:
        _estimate((machine, setting), what, simulating, (same, kept), json=json)
        return
    enough = simulating.good_enough
    goal = SimulatedGoal(
        job=SimulatedJob(machine.short_text, setting.placement, setting.num_ranks, simulating.peer),
        machine=priced.described(machine, setting.placement),
        setting=setting,
        collectives=what.calls,
        sizes=what.num_bytes,
        patterns=what.patterns,
        most_candidates=simulating.shortlist,
        policy=Policy(
            simulating.min_gain,
            keeps_native=not simulating.ours_only,
            good_enough=None if enough is None else parse_share(enough),
        ),
        vendor=simulating.vendor,
        effort=simulating.effort,
    )
    files = Files(
        output=kept.output,
        store=kept.store or default_path(),
        is_resumed=kept.resume,
        repeat=same.text(),
        to_continue=same.text("--resume"),
    )
    limits = simulating.limits(setting.num_ranks)

    def tell(document: dict[str, Any]) -> None:
        show(document, tuning_report, json=json)

    carry_out(lambda: simulated_tuner.tune(goal, files, limits, machine), tell)


def _estimate(
    where: tuple[Machine, Setting],
    what: Wanted,
    simulating: Simulating,
    how: tuple[Repeat, Kept],
    *,
    json: bool,
) -> None:
    """Write what the model says; nothing is simulated."""
    machine, setting = where
    repeat, kept = how
    nodes = len(set(nodes_of_ranks(machine.place(setting.placement, setting.num_ranks))))
    question = Question(setting, nodes, what.calls, what.num_bytes, what.patterns)
    about = {
        "command": repeat.text(),
        "machine": priced.described(machine, setting.placement),
        "mpi": {"vendor": simulating.vendor, "version": PREDICTED},
    }
    write_profile(question, about, kept.output, json=json)
