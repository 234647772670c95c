# SPDX-License-Identifier: Apache-2.0
"""`espalier model predict` and `espalier model validate`."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from espalier import machines
from espalier.cli.options import Json
from espalier.console import emit_json, json_text, say
from espalier.durations import parse_seconds
from espalier.errors import ArgumentError, FileError
from espalier.models import forecast, validation
from espalier.models.predictors import MODELS, Setting
from espalier.models.validation import InterruptedValidation, Task
from espalier.report.content import print_report
from espalier.report.model import forecast_report, validation_report
from espalier.units import parse_bytes_list

model = typer.Typer()

_MACHINE = "espalier-machine.json"
_COLLECTIVES = "bcast,allgather,allreduce"
_SIZES = "64,4KiB,256KiB"
_PREDICTED_SIZES = "8,1KiB,64KiB,1MiB"
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
AlgorithmsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--algorithms",
        metavar="PATTERN",
        help="Candidates, as in 'espalier list', or one choice: bcast/k_nomial[k=4]."
        " May be repeated; all if left out.",
    ),
]


def _load(what: str) -> machines.Machine:
    """Return a machine with costs, without which nothing can be predicted."""
    advice = f"'espalier probe -o {_MACHINE} -- mpirun -n 4' writes one"
    if what == _MACHINE and not Path(what).is_file():
        raise FileError(f"expected a machine file {what}, found none", advice)
    found = machines.load(what)
    if not any(level.link.is_known for level in found.levels):
        raise ArgumentError(
            f"expected a machine that says what messages cost, got '{what}'",
            f"put it in brackets, as in 4c[latency=300ns,bandwidth=6GB/s]; {advice}",
        )
    for text in [*machines.cautions(found), *machines.cautions_of_models(found)]:
        say(f"note: {text}")
    return found


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
    sizes: Annotated[
        str, typer.Option("--sizes", help="Bytes of the whole result; 8..1MiB doubles.")
    ] = _PREDICTED_SIZES,
    algorithms: AlgorithmsOption = None,
    models: ModelsOption = "replay",
    json: Json = False,
) -> None:
    """Say how long each algorithm takes on a machine according to a model; the fastest first.

    Nothing is measured. 'espalier model validate' says how far to believe it.
    """
    found = _load(machine)
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


@model.command(short_help="Compare predictions with measurements")
def validate(  # noqa: PLR0913, PLR0917 - one parameter an option
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- LAUNCHER OPTIONS",
            help="How to start ranks, without a program: -- mpirun -n 4",
        ),
    ],
    machine: MachineOption = _MACHINE,
    placement: PlacementOption = None,
    collectives: Annotated[
        str, typer.Option("--collectives", help="What to measure, separated by commas.")
    ] = _COLLECTIVES,
    sizes: Annotated[
        str, typer.Option("--sizes", help="Bytes of the whole result; 8..1MiB doubles.")
    ] = _SIZES,
    algorithms: AlgorithmsOption = None,
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
        words=tuple(command),
        collectives=tuple(collectives.split(",")),
        sizes=tuple(parse_bytes_list(sizes)),
        patterns=tuple(algorithms or ()),
        models=tuple(models.split(",")),
        seconds=parse_seconds(time_budget),
        repeat=shlex.join(["espalier", "model", "validate", *words, "--", *command]),
        vendor=mpi,
    )
    found = _load(machine)
    measurer, header = validation.start(task)
    setting = Setting(found.text, *machines.setting(found, placement, header["num_ranks"]))
    try:
        result = validation.validate(task, setting, measurer, header)
    except InterruptedValidation as interrupted:
        _show(interrupted.document, output, json=json)
        raise interrupted.cause from None
    _show(result, output, json=json)


def _show(document: dict[str, Any], output: Path | None, *, json: bool) -> None:
    _save(document, output)
    if json:
        emit_json(document)
    else:
        print_report(validation_report(document))
