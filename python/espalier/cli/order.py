# SPDX-License-Identifier: Apache-2.0
"""`espalier order`."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from espalier.base.durations import parse_seconds
from espalier.base.units import parse_bytes_list
from espalier.cli.options import Json
from espalier.errors import ArgumentError
from espalier.io.console import emit_json, progress, say
from espalier.launch.command import parse_command
from espalier.orders import candidates, distances, measurement, outcome
from espalier.orders.distances import Distances
from espalier.orders.measurement import Calls
from espalier.report.content import print_report
from espalier.report.order import order_report


def _distances(
    matrix: Path | None, machine: str | None, placement: str, num_ranks: int, num_bytes: int
) -> Distances:
    if (matrix is None) == (machine is None):
        raise ArgumentError(
            f"expected either --matrix or --machine, got {'neither' if matrix is None else 'both'}",
            "measure a matrix with 'espalier probe', or describe the machine as in"
            " --machine '2s x 4c'",
        )
    if machine is not None:
        return distances.of_machine(machine, placement, num_ranks, num_bytes)
    assert matrix is not None  # noqa: S101 - one of them is there
    found = distances.of_matrix(matrix)
    if num_ranks not in (0, found.num_ranks):
        raise ArgumentError(
            f"expected -p {found.num_ranks}, as many ranks as {matrix} has, got {num_ranks}"
        )
    return found


def _collectives(text: str) -> tuple[str, ...]:
    names = tuple(candidates.COLLECTIVES) if text == "all" else tuple(text.split(","))
    unknown = next((name for name in names if name not in candidates.COLLECTIVES), None)
    if unknown is not None:
        raise ArgumentError(
            f"expected collectives among {', '.join(candidates.COLLECTIVES)}, or all, got"
            f" '{unknown}'"
        )
    return names


def order(  # noqa: PLR0913, PLR0917 - one parameter an option
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- LAUNCHER OPTIONS]",
            help="Measure all orders on these ranks, without a program: -- mpirun -n 8",
        ),
    ] = None,
    matrix: Annotated[
        Path | None,
        typer.Option("--matrix", metavar="FILE", help="Round-trip times, from 'espalier probe'."),
    ] = None,
    machine: Annotated[
        str | None, typer.Option("--machine", help="A machine instead: '2s x 4c', or a file.")
    ] = None,
    placement: Annotated[
        str,
        typer.Option(
            "--placement",
            help="Ranks on the machine: block, cyclic, folded, list:0,4,1,...",
            show_default="as the file says, else block",
        ),
    ] = "",
    num_ranks: Annotated[
        int | None,
        typer.Option("-p", "--ranks", min=1, help="Number of ranks.", show_default="all"),
    ] = None,
    collective: Annotated[
        str,
        typer.Option("--collective", "--collectives", help="scatter, gather, bcast, or all."),
    ] = "scatter",
    num_bytes: Annotated[
        str | None,
        typer.Option(
            "--bytes",
            help="Size of a rank's part, of the message for bcast; several with commas.",
            show_default="that of the matrix, else 16 KiB",
        ),
    ] = None,
    root: Annotated[int, typer.Option("--root", min=0, help="Root of the trees.")] = 0,
    channels: Annotated[
        float | None,
        typer.Option(
            "--channels",
            help="Messages at once between groups without loss.",
            show_default="those of the machine, else 2",
        ),
    ] = None,
    channels_inside: Annotated[
        float | None,
        typer.Option("--channels-inside", help="The same inside a group.", show_default="any"),
    ] = None,
    groups: Annotated[
        str, typer.Option("--groups", help="auto, none, or ranks: 0-3/4-7.")
    ] = "auto",
    orders: Annotated[
        str, typer.Option("--orders", help=f"Among {', '.join(candidates.NAMES)}.")
    ] = ",".join(candidates.USUAL),
    custom: Annotated[
        Path | None,
        typer.Option("--custom", metavar="FILE", help="An order of yours: ranks, or from -o."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the random order.")] = 1,
    time_budget: Annotated[
        str, typer.Option("--time-budget", metavar="TIME", help="About how long to measure.")
    ] = "30s",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write JSON there too.")
    ] = None,
    mpi: Annotated[
        str | None, typer.Option("--mpi", help="openmpi or mpich, if the launcher does not say.")
    ] = None,
    json: Json = False,
) -> None:
    """Find the order of ranks in which trees are fastest on a machine.

    From round-trip times between ranks come the orders of Karlsson (fastest edge first, channel
    aware) beside the standard and a random one, and what a model of a binomial tree says of each.
    With a launcher behind -- all of them are measured there, natively on reordered communicators
    and with our schedules. Ranks must be bound as they were when the times were measured. Ctrl-C
    keeps what was measured.
    """
    sizes = None if num_bytes is None else parse_bytes_list(num_bytes)
    usual = sizes[0] if sizes else distances.USUAL_BYTES
    found = _distances(matrix, machine, placement, num_ranks or 0, usual)
    found = found.with_groups(groups).with_channels(channels, channels_inside)
    made = candidates.make(orders.split(","), found, root, seed, custom)
    collectives = _collectives(collective)
    if sizes is None:
        sizes = [found.num_bytes or distances.USUAL_BYTES]
    models = [candidates.model(made, found, name, size) for name in collectives for size in sizes]
    measured = None
    if command:
        calls = Calls(
            collectives, tuple(sizes), root, parse_seconds(time_budget), seed=max(1, seed)
        )
        with progress("measuring", len(models)) as bar:
            measured = measurement.measure(
                parse_command(command), mpi, made, calls, on_point=bar.advance
            )
    repeat = shlex.join(["espalier", *_words_of_this_command()])
    result = outcome.conclude(found, made, models, repeat, measured)
    if output is not None:
        outcome.write(result, output)
        say(f"wrote {output}")
    if json:
        emit_json(result)
    else:
        print_report(order_report(result))
    if measured is not None and measured.cause is not None:
        raise measured.cause


def _words_of_this_command() -> list[str]:
    words = sys.argv[1:]
    return words[words.index("order") :] if "order" in words else ["order"]
