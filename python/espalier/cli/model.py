# SPDX-License-Identifier: Apache-2.0
"""`espalier model predict`, `espalier model profile` and `espalier model validate`."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from espalier import _core
from espalier.base.durations import parse_seconds
from espalier.base.interruption import Interrupted
from espalier.base.units import parse_bytes_list
from espalier.cli.options import (
    SIMULATED_VENDOR,
    Algorithms,
    Json,
    ProfileVendor,
    Sizes,
    check_vendor,
)
from espalier.errors import FileError
from espalier.io.console import emit_json, json_text, progress, say
from espalier.machines import machines, priced
from espalier.models import forecast, validation
from espalier.models.predictors import MODELS
from espalier.models.validation import Task
from espalier.profiles import merging
from espalier.report.changes import changes_text
from espalier.report.content import print_report
from espalier.report.model import forecast_report, profile_report, validation_report
from espalier.sampling.setting import Setting
from espalier.tuning.modelled import Question, model_profile

model = typer.Typer()

_COLLECTIVES = "bcast,allgather,allreduce"
_SIZES = "64,4KiB,256KiB"
_PREDICTED_SIZES = "8,1KiB,64KiB,1MiB"
_ALL = "all"
_PROFILE_SIZES = "8..4MiB"
_BUDGET = "60s"
_ALL_MODELS = ",".join(MODELS)

MachineOption = Annotated[
    str,
    typer.Option(
        "--machine",
        metavar="TEXT|FILE",
        help="A machine with links: what 'espalier probe -o' wrote, or a text such as"
        " '8n[latency=2us,bandwidth=12GB/s] x 4c[latency=300ns,bandwidth=6GB/s]'.",
    ),
]
PlacementOption = Annotated[
    str | None,
    typer.Option(
        "--placement", help="block, cyclic, ...", show_default="as in the file, else block"
    ),
]
ModelsOption = Annotated[
    str, typer.Option("--models", help=f"Which models, of {', '.join(MODELS)}.")
]


def _save(document: dict[str, Any], path: Path | None) -> None:
    if path is None:
        return
    try:
        path.write_text(json_text(document), encoding="utf-8")
    except OSError as error:
        raise FileError(
            f"{path}: expected a file that can be written, got '{error.strerror}'",
            "choose another with -o",
        ) from error


@model.command(short_help="Predict times of candidates")
def predict(  # noqa: PLR0913, PLR0917 - one parameter an option
    collective: Annotated[str, typer.Argument(help="As in MPI: bcast, allgather, ...")],
    machine: MachineOption,
    num_ranks: Annotated[
        int | None,
        typer.Option("-p", "--ranks", help="Number of ranks.", show_default="one for each core"),
    ] = None,
    placement: PlacementOption = None,
    sizes: Sizes = _PREDICTED_SIZES,
    algorithms: Algorithms = None,
    models: ModelsOption = "replay",
    json: Json = False,
) -> None:
    """Say how long each algorithm takes on a machine according to a model; the fastest first.

    Nothing is measured. 'espalier model validate' says how far to believe it.
    """
    found = priced.load(machine)
    setting = machines.setting(found, placement, num_ranks)
    result = forecast.forecast(
        Setting(found.text, *setting),
        collective,
        parse_bytes_list(sizes),
        tuple(algorithms or ()),
        tuple(models.split(",")),
    )
    if json:
        emit_json(result)
    else:
        print_report(forecast_report(result))


@model.command(short_help="Write a profile without measuring")
def profile(  # noqa: PLR0913, PLR0917 - one parameter an option
    machine: MachineOption,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The profile.")
    ] = Path("espalier-profile.json"),
    num_ranks: Annotated[
        int | None,
        typer.Option("-p", "--ranks", help="Number of ranks.", show_default="one for each core"),
    ] = None,
    placement: PlacementOption = None,
    collectives: Annotated[
        str, typer.Option("--collectives", help="Separated by commas, or all.")
    ] = _ALL,
    sizes: Sizes = _PROFILE_SIZES,
    algorithms: Algorithms = None,
    vendor: ProfileVendor = SIMULATED_VENDOR,
    json: Json = False,
) -> None:
    """Write a profile of what the replay model finds fastest on a machine.

    A profile that is there keeps its rules for other shapes (ranks and nodes) and collectives.
    Nothing is measured, and native calls are not looked at: every call of a size gets an algorithm.
    'espalier model validate' says how far to believe the model.
    """
    check_vendor(vendor)
    found = priced.load(machine)
    setting = Setting(found.text, *machines.setting(found, placement, num_ranks))
    placed = found.place(setting.placement, setting.num_ranks)
    question = Question(
        setting=setting,
        num_nodes=len(set(machines.nodes_of_ranks(placed))),
        collectives=tuple(_core.calls() if collectives == _ALL else collectives.split(",")),
        sizes=tuple(parse_bytes_list(sizes)),
        patterns=tuple(algorithms or ()),
    )
    merging.check(output, vendor)
    words = ["--machine", machine, "--ranks", str(setting.num_ranks)]
    words += ["--placement", setting.placement]
    words += [] if collectives == _ALL else ["--collectives", collectives]
    words += [] if sizes == _PROFILE_SIZES else ["--sizes", sizes]
    words += [word for pattern in question.patterns for word in ("--algorithms", pattern)]
    words += [] if vendor == SIMULATED_VENDOR else ["--for", vendor]
    about = {
        "command": shlex.join(["espalier", "model", "profile", *words]),
        "machine": priced.described(found, setting.placement),
        "mpi": {"vendor": vendor, "version": "predicted by a model, not measured"},
    }
    with progress("predicting", len(question.collectives) * len(question.sizes)) as bar:
        made = model_profile(question, about, bar.advance)
    changes = merging.add(output, made, "free space there, then repeat the command")
    done = changes_text([change.to_json() for change in changes])
    if json:
        say(f"{output}: {done}")
        emit_json(made)
    else:
        print_report(profile_report(made, f"{output}, {done}"))


@model.command(short_help="Compare predictions with measurements")
def validate(  # noqa: PLR0913, PLR0917 - one parameter an option
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- LAUNCHER OPTIONS",
            help="How to start ranks, without a program: -- mpirun -n 4",
        ),
    ],
    machine: MachineOption = priced.DEFAULT_FILE,
    placement: PlacementOption = None,
    collectives: Annotated[
        str, typer.Option("--collectives", help="What to measure, separated by commas.")
    ] = _COLLECTIVES,
    sizes: Sizes = _SIZES,
    algorithms: Algorithms = None,
    models: ModelsOption = _ALL_MODELS,
    time_budget: Annotated[
        str, typer.Option("--time-budget", metavar="TIME", help="About how long to measure.")
    ] = _BUDGET,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Keep the result (JSON).")
    ] = None,
    mpi: Annotated[
        str | None,
        typer.Option("--mpi", help="openmpi, mpich or smpi, if the launcher does not say."),
    ] = None,
    json: Json = False,
) -> None:
    """Measure candidates of some collectives and compare with what models of the machine say.

    Reports for each model how well it ranks the candidates, what choosing by the model alone would
    cost (regret), and how far its times are off at each size.
    """
    options = {
        "--machine": (machine, None),
        "--placement": (placement, None),
        "--collectives": (collectives, _COLLECTIVES),
        "--sizes": (sizes, _SIZES),
        "--models": (models, _ALL_MODELS),
        "--time-budget": (time_budget, _BUDGET),
        "--mpi": (mpi, None),
    }
    words = [
        word
        for name, (value, usual) in options.items()
        if value not in (None, usual)
        for word in (name, str(value))
    ]
    words += [word for pattern in algorithms or () for word in ("--algorithms", pattern)]
    task = Task(
        collectives=tuple(collectives.split(",")),
        sizes=tuple(parse_bytes_list(sizes)),
        patterns=tuple(algorithms or ()),
        models=tuple(models.split(",")),
        seconds=parse_seconds(time_budget),
        repeat=shlex.join(["espalier", "model", "validate", *words, "--", *command]),
    )
    found = priced.load(machine)
    job = validation.start(command, mpi)
    setting = Setting(found.text, *machines.setting(found, placement, job.header["num_ranks"]))
    try:
        result = validation.validate(task, setting, job)
    except Interrupted as interrupted:
        _show(interrupted.document, output, json=json)
        raise interrupted.cause from None
    _show(result, output, json=json)


def _show(document: dict[str, Any], output: Path | None, *, json: bool) -> None:
    _save(document, output)
    if json:
        emit_json(document)
    else:
        print_report(validation_report(document))
