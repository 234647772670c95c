# SPDX-License-Identifier: Apache-2.0
"""`espalier tune run`, `espalier tune simulate` and `espalier tune team`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from espalier.base import calls
from espalier.base.durations import parse_seconds
from espalier.base.shares import parse_share
from espalier.cli.commands import Family, options_before
from espalier.cli.expansion import Repeat
from espalier.cli.groups import Kept, Launch, Wanted, carry_out, show
from espalier.cli.modelling import PREDICTED, write_profile
from espalier.cli.options import EffortOption, GoodEnough, Json, MinGain, Seed
from espalier.cli.tune_simulated import simulate
from espalier.cli.tune_team import tune_team
from espalier.errors import ArgumentError
from espalier.improvement import improver
from espalier.improvement.findings import Wish
from espalier.launch import programs, runs
from espalier.launch.measuring import parse_launcher
from espalier.machines import machines, priced
from espalier.report.improve import improvement_report
from espalier.report.tune import tuning_report
from espalier.sampling.goal import ESTIMATE, EXHAUSTIVE, GOOD_ENOUGH, MEASURE, Goal
from espalier.sampling.job import start_job
from espalier.sampling.setting import Setting, difference
from espalier.sampling.work import Work
from espalier.store.database import default_path
from espalier.tuning import tuner
from espalier.tuning.modelled import Question
from espalier.tuning.session import Files
from espalier.tuning.tuner import Job


def _formerly(words: Sequence[str]) -> str:
    is_simulated = options_before(words, "--machine") and not options_before(words, "--for")
    return "simulate" if is_simulated else "run"


tune = Family(usual="run", formerly=_formerly)


@dataclass(frozen=True)
class Aimed(Wanted):
    """Calls, sizes and candidates to go through, or a run that tells them."""

    folder: Annotated[
        Path | None,
        typer.Option(
            "--for",
            metavar="RUN_FOLDER",
            help="Tune what a program called, as 'espalier run --statistics' kept it.",
        ),
    ] = None

    nonblocking: Annotated[
        bool,
        typer.Option(
            "--nonblocking", help="Tune the nonblocking forms of these collectives: iallgather ..."
        ),
    ] = False
    work: Annotated[
        str | None,
        typer.Option(
            "--work",
            metavar="TIME|LIBRARY:FUNCTION",
            help="Done between start and wait of nonblocking calls, and timed with them: computing,"
            " or a function 'void f(void)' as in ./work.so:f.",
        ),
    ] = None
    tests: Annotated[
        int,
        typer.Option("--tests", help="So many MPI_Test divide --work."),
    ] = 0

    @property
    def calls(self) -> tuple[str, ...]:
        """Return the names of the calls, in the form that is wanted."""
        found = super().calls
        return tuple(map(calls.nonblocking, found)) if self.nonblocking else found

    @property
    def overlapped(self) -> Work | None:
        """Return what is done beside nonblocking calls; None if there are no such calls.

        Raises:
            ArgumentError: there is no such work, or only blocking calls.
        """
        if any(map(calls.is_nonblocking, self.calls)):
            return Work.parse(self.work, self.tests)
        if self.work is not None or self.tests:
            raise ArgumentError(
                "expected nonblocking calls with --work and --tests, got blocking ones",
                "add --nonblocking, or name calls such as --collectives iallgather",
            )
        return None

    def check(self, kept: Kept) -> None:
        """Check that nothing is asked for that the run tells."""
        if self != Aimed(folder=self.folder) or kept.resume:
            raise ArgumentError(
                "expected --for without --collectives, --sizes, --algorithms, --nonblocking, --work"
                " and --resume, since the run tells the calls and sizes; got both",
                "leave these options out; what was measured before is used again in any case",
            )


_USUAL_SECONDS, _MANY_SECONDS = 150.0, 24 * 3600.0


@dataclass(frozen=True)
class Certainty:
    """How thoroughly and how long to measure, and how sure to be."""

    effort: EffortOption = MEASURE
    good_enough: GoodEnough = f"{100 * GOOD_ENOUGH:g}%"
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="TEXT|FILE",
            help="This machine as 'espalier probe -o' wrote it: only candidates are measured that"
            " the model finds fast. --effort estimate needs it.",
        ),
    ] = None
    time_budget: Annotated[
        str | None,
        typer.Option(
            "--time-budget",
            metavar="TIME",
            help="About how long to measure.",
            show_default="150s; 24h for --effort exhaustive",
        ),
    ] = None
    min_gain: MinGain = 0.02
    confidence: Annotated[
        float, typer.Option("--confidence", help="Of intervals, and of all choices together.")
    ] = 0.95
    seed: Seed = 1

    def machine(self) -> machines.Machine:
        """Return the machine of --model.

        Raises:
            ArgumentError: it is not given, or has no costs.
        """
        if self.model is None:
            raise ArgumentError(
                "expected --model with --effort estimate, got none",
                f"'espalier probe -o {priced.DEFAULT_FILE} -- mpirun -n 4' writes a machine",
            )
        return priced.load(self.model)

    @property
    def seconds(self) -> float:
        """Return how long to measure."""
        if self.time_budget is not None:
            return parse_seconds(self.time_budget)
        return _MANY_SECONDS if self.effort == EXHAUSTIVE else _USUAL_SECONDS


def run(
    launch: Launch,
    what: Aimed,
    certainty: Certainty,
    kept: Kept,
    repeat: Repeat,
    json: Json = False,
) -> None:
    """Measure the algorithms on this machine and write a profile of the fastest.

    Every candidate's result is compared with the native one before it is timed. Measurements take
    turns with native ones; what looks best is measured again in fresh launches, and native is kept
    unless something is significantly faster. Ctrl-C keeps what was measured. A profile that is
    there keeps its rules for other shapes (ranks and nodes) and collectives.
    """
    files = Files(
        output=kept.output,
        store=kept.store or default_path(),
        is_resumed=kept.resume,
        repeat=repeat.text(),
        to_continue=repeat.text("--resume"),
    )
    if what.folder is not None:
        what.check(kept)
        _tune_for(what.folder, launch, certainty, files, json=json)
        return
    goal = Goal(
        collectives=what.calls,
        sizes=what.num_bytes,
        patterns=what.patterns,
        seconds=certainty.seconds,
        confidence=certainty.confidence,
        min_gain=certainty.min_gain,
        seed=certainty.seed,
        effort=certainty.effort,
        good_enough=parse_share(certainty.good_enough),
        work=what.overlapped,
    )
    goal.check()
    if goal.work is not None and (certainty.model is not None or goal.effort == ESTIMATE):
        raise ArgumentError(
            "expected nonblocking calls without --model and --effort estimate, since models say"
            " nothing of calls beside work; got both",
            "leave these options out: all candidates are measured",
        )
    job = Job(launch.words, files, launch.mpi)
    if goal.effort == ESTIMATE:
        _estimate(job, goal, certainty, json=json)
        return

    def tell(document: dict[str, Any]) -> None:
        show(document, tuning_report, json=json)

    # Before ranks are started, which may wait for hours in a queue.
    machine = None if certainty.model is None else certainty.machine()

    def setting(num_ranks: int) -> Setting | None:
        return None if machine is None else _setting(machine, num_ranks)

    carry_out(lambda: tuner.tune(job, goal, setting), tell)


def _setting(machine: machines.Machine, num_ranks: int) -> Setting:
    """Return where ranks lie on the machine."""
    return Setting(machine.text, *machines.setting(machine, None, num_ranks))


def _estimate(job: Job, goal: Goal, certainty: Certainty, *, json: bool) -> None:
    """Write what the model says for the ranks that the launcher starts."""
    command = parse_launcher(job.words)
    machine = certainty.machine()
    header = start_job(command, job.vendor).header
    setting = _setting(machine, header["num_ranks"])
    lies_elsewhere = difference(setting, header)
    if lies_elsewhere:
        raise ArgumentError(
            "expected a job whose ranks lie as on the machine of --model with --effort estimate,"
            f" got another: {lies_elsewhere}",
            f"'espalier probe -o {priced.DEFAULT_FILE} -- {command.text()}' writes a machine with"
            " these ranks; or give the launcher another --map-by",
        )
    question = Question(setting, header["num_nodes"], goal.collectives, goal.sizes, goal.patterns)
    about = {
        "command": job.files.repeat,
        "machine": priced.described(machine, setting.placement),
        "mpi": {**header["mpi"], "version": f"{header['mpi']['version']}, {PREDICTED}"},
    }
    write_profile(question, about, job.files.output, json=json)


def _tune_for(
    folder: Path,
    launch: Launch,
    certainty: Certainty,
    files: Files,
    *,
    json: bool,
) -> None:
    """Tune the calls of a run that was counted."""
    counted = runs.explain_run(folder)
    command = parse_launcher(launch.words)
    wish = Wish(
        command=command,
        vendor=launch.mpi or programs.vendor_of(command),
        files=replace(files, is_resumed=None, to_continue=files.repeat),
        seconds=certainty.seconds,
        machine=certainty.model or "",
        confidence=certainty.confidence,
        min_gain=certainty.min_gain,
        seed=certainty.seed,
        effort=certainty.effort,
        good_enough=parse_share(certainty.good_enough),
    )

    def tell(document: dict[str, Any]) -> None:
        show(document, improvement_report, json=json)

    carry_out(lambda: improver.tune_for(wish, counted), tell)


tune.add(run, "run", "Measure on this machine, with ranks that a launcher starts")
tune.add(simulate, "simulate", "Simulate a machine, and write a profile for it")
tune.add(tune_team, "team", "Measure one-sided collectives on this machine, for all later programs")
