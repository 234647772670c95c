# SPDX-License-Identifier: Apache-2.0
"""`espalier model predict`, `espalier model profile` and `espalier model validate`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from espalier.base.durations import parse_seconds
from espalier.base.units import parse_bytes_list
from espalier.cli.commands import Family
from espalier.cli.expansion import Repeat
from espalier.cli.groups import (
    ALL,
    USUAL_PROFILE,
    Launch,
    PricedRanks,
    Wanted,
    carry_out,
    show,
    show_and_write,
)
from espalier.cli.modelling import PREDICTED, write_profile
from espalier.cli.options import (
    SIMULATED_VENDOR,
    Algorithms,
    Json,
    JsonOutput,
    Placement,
    PricedMachine,
    ProfileOutput,
    ProfileVendor,
    Sizes,
    TimeBudget,
    check_vendor,
)
from espalier.io.console import json_text, say
from espalier.io.output_files import check_writable, write_whole
from espalier.machines import machines, priced
from espalier.models import forecast, validation
from espalier.models.predictors import MODELS
from espalier.models.validation import Task
from espalier.report.model import forecast_report, validation_report
from espalier.sampling.setting import Setting, difference
from espalier.tuning.modelled import Question

model = Family()

_ALL_MODELS = ",".join(MODELS)
_PROFILED = Wanted(collectives=ALL, sizes="8..4MiB")
_VALIDATED = Wanted(collectives="bcast,allgather,allreduce", sizes="64,4KiB,256KiB")

ModelsOption = Annotated[
    str, typer.Option("--models", help=f"Which models, of {', '.join(MODELS)}.")
]


def predict(
    collective: Annotated[str, typer.Argument(help="As in MPI: bcast, allgather, ...")],
    where: PricedRanks,
    sizes: Sizes = "8,1KiB,64KiB,1MiB",
    algorithms: Algorithms = None,
    models: ModelsOption = "replay",
    json: Json = False,
) -> None:
    """Say how long each algorithm takes on a machine according to a model; the fastest first.

    Nothing is measured. 'espalier model validate' says how far to believe it.
    """
    _, setting = where.load()
    result = forecast.forecast(
        setting,
        collective,
        parse_bytes_list(sizes),
        tuple(algorithms or ()),
        tuple(models.split(",")),
    )
    show(result, forecast_report, json=json)


def profile(
    where: PricedRanks,
    what: Wanted = _PROFILED,
    output: ProfileOutput = USUAL_PROFILE,
    vendor: ProfileVendor = SIMULATED_VENDOR,
    *,
    repeat: Repeat,
    json: Json = False,
) -> None:
    """Write a profile of what the replay model finds fastest on a machine.

    A profile that is there keeps its rules for other shapes (ranks and nodes) and collectives.
    Nothing is measured, and native calls are not looked at: every call of a size gets an algorithm.
    'espalier model validate' says how far to believe the model.
    """
    check_vendor(vendor)
    found, setting = where.load()
    placed = found.place(setting.placement, setting.num_ranks)
    question = Question(
        setting=setting,
        num_nodes=len(set(machines.nodes_of_ranks(placed))),
        collectives=what.calls,
        sizes=what.num_bytes,
        patterns=what.patterns,
    )
    same = repeat.having(placement=setting.placement, num_ranks=setting.num_ranks)
    about = {
        "command": same.text(),
        "machine": priced.described(found, setting.placement),
        "mpi": {"vendor": vendor, "version": PREDICTED},
    }
    write_profile(question, about, output, json=json)


@dataclass(frozen=True)
class Judged:
    """The models that are to be judged, on a machine, and how long to measure."""

    machine: PricedMachine = priced.DEFAULT_FILE
    placement: Placement = None
    models: ModelsOption = _ALL_MODELS
    time_budget: TimeBudget = "60s"


def validate(
    launch: Launch,
    judged: Judged,
    what: Wanted = _VALIDATED,
    *,
    output: JsonOutput = None,
    repeat: Repeat,
    json: Json = False,
) -> None:
    """Measure candidates of some collectives and compare with what models of the machine say.

    Reports for each model how well it ranks the candidates, what choosing by the model alone would
    cost (regret), and how far its times are off at each size.
    """
    if output is not None:
        check_writable(output)
    task = Task(
        collectives=what.calls,
        sizes=what.num_bytes,
        patterns=what.patterns,
        models=tuple(judged.models.split(",")),
        seconds=parse_seconds(judged.time_budget),
        repeat=repeat.text(),
        is_all=what.collectives == ALL,
    )
    task.check()
    found = priced.load(judged.machine)
    job = validation.start(launch.words, launch.mpi)
    num_ranks = job.header["num_ranks"]
    setting = Setting(found.text, *machines.setting(found, judged.placement, num_ranks))
    lies_elsewhere = difference(setting, job.header)
    if lies_elsewhere:
        say(
            f"note: {lies_elsewhere}; models are judged as if ranks lay as on the machine: give"
            " another --placement, or a machine that was probed with these ranks"
        )

    def tell(document: dict[str, Any]) -> None:
        def write(path: Path) -> None:
            write_whole(path, json_text(document), "report", "choose another with -o")

        show_and_write(document, validation_report, output, write, json=json)

    carry_out(lambda: validation.validate(task, setting, job), tell)


model.add(predict, "predict", "Predict times of candidates")
model.add(profile, "profile", "Write a profile without measuring")
model.add(validate, "validate", "Compare predictions with measurements")
