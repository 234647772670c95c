# SPDX-License-Identifier: Apache-2.0
"""`espalier order`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from espalier.base.durations import parse_seconds
from espalier.base.units import parse_bytes_list
from espalier.cli.expansion import Repeat
from espalier.cli.groups import show_and_write
from espalier.cli.options import (
    Json,
    JsonOutput,
    LauncherMpi,
    OptionalLauncher,
    Placement,
    Ranks,
    Seed,
    TimeBudget,
)
from espalier.errors import ArgumentError
from espalier.io.console import progress
from espalier.io.output_files import check_writable
from espalier.launch.measuring import parse_launcher
from espalier.orders import candidates, distances, measurement, outcome
from espalier.orders.distances import Distances
from espalier.orders.measurement import Calls
from espalier.report.order import order_report


@dataclass(frozen=True)
class Known:
    """What is known of the distances between ranks."""

    matrix: Annotated[
        Path | None,
        typer.Option("--matrix", metavar="FILE", help="Round-trip times, from 'espalier probe'."),
    ] = None
    machine: Annotated[
        str | None, typer.Option("--machine", help="A machine instead: '2s x 4c', or a file.")
    ] = None
    placement: Placement = None
    num_ranks: Ranks = None
    channels: Annotated[
        float | None,
        typer.Option(
            "--channels",
            help="Messages at once between groups without loss.",
            show_default="those of the machine, else 2",
        ),
    ] = None
    channels_inside: Annotated[
        float | None,
        typer.Option("--channels-inside", help="The same inside a group.", show_default="any"),
    ] = None
    groups: Annotated[str, typer.Option("--groups", help="auto, none, or ranks: 0-3/4-7.")] = "auto"

    def distances(self, num_bytes: int) -> Distances:
        """Return the distances for messages of a size.

        Raises:
            ArgumentError: it is not clear of which ranks.
        """
        found = self._read(num_bytes).with_groups(self.groups)
        return found.with_channels(self.channels, self.channels_inside)

    def _read(self, num_bytes: int) -> Distances:
        if (self.matrix is None) == (self.machine is None):
            raise ArgumentError(
                "expected either --matrix or --machine, got"
                f" {'neither' if self.matrix is None else 'both'}",
                "measure a matrix with 'espalier probe', or describe the machine as in"
                " --machine '2s x 4c'",
            )
        if self.machine is not None:
            return distances.of_machine(self.machine, self.placement, self.num_ranks, num_bytes)
        assert self.matrix is not None  # noqa: S101 - one of them is there
        found = distances.of_matrix(self.matrix)
        if self.num_ranks not in (None, found.num_ranks):
            raise ArgumentError(
                f"expected -p {found.num_ranks}, as many ranks as {self.matrix} has, got"
                f" {self.num_ranks}"
            )
        return found


@dataclass(frozen=True)
class Trees:
    """The trees that are to be fast, and the orders to try."""

    collective: Annotated[
        str,
        typer.Option("--collective", "--collectives", help="scatter, gather, bcast, or all."),
    ] = "scatter"
    num_bytes: Annotated[
        str | None,
        typer.Option(
            "--bytes",
            help="Size of a rank's part, of the message for bcast; several with commas. Orders are"
            " made for the first one.",
            show_default="that of the matrix, else 16 KiB",
        ),
    ] = None
    root: Annotated[int, typer.Option("--root", min=0, help="Root of the trees.")] = 0
    orders: Annotated[
        str, typer.Option("--orders", help=f"Among {', '.join(candidates.NAMES)}.")
    ] = ",".join(candidates.USUAL)
    custom: Annotated[
        Path | None,
        typer.Option("--custom", metavar="FILE", help="An order of yours: ranks, or from -o."),
    ] = None
    seed: Seed = 1

    @property
    def sizes(self) -> list[int]:
        """Return the sizes that are given.

        Raises:
            ArgumentError: one of them is none, or 0.
        """
        sizes = [] if self.num_bytes is None else parse_bytes_list(self.num_bytes)
        if 0 in sizes:
            raise ArgumentError("expected sizes from 1 B up, got 0 B", "leave it out of --bytes")
        return sizes

    def candidates(self, found: Distances) -> list[candidates.Order]:
        """Return the orders."""
        return candidates.make(self.orders.split(","), found, self.root, self.seed, self.custom)

    def calls(self, sizes: Sequence[int], seconds: float) -> Calls:
        """Return what is measured of them."""
        return Calls(
            _collectives(self.collective), tuple(sizes), self.root, seconds, seed=max(1, self.seed)
        )


@dataclass(frozen=True)
class Measured:
    """The ranks that measure, if any do, and how long."""

    command: OptionalLauncher = None
    time_budget: TimeBudget = "30s"
    mpi: LauncherMpi = None

    def measure(
        self, made: Sequence[candidates.Order], calls: Calls
    ) -> measurement.Measured | None:
        """Measure all orders; nothing without a launcher."""
        if not self.command:
            return None
        with progress("measuring", len(calls.collectives) * len(calls.sizes)) as bar:
            return measurement.measure(
                parse_launcher(self.command), self.mpi, made, calls, on_point=bar.advance
            )


def _collectives(text: str) -> tuple[str, ...]:
    names = tuple(candidates.COLLECTIVES) if text == "all" else tuple(text.split(","))
    unknown = next((name for name in names if name not in candidates.COLLECTIVES), None)
    if unknown is not None:
        raise ArgumentError(
            f"expected collectives among {', '.join(candidates.COLLECTIVES)}, or all, got"
            f" '{unknown}'"
        )
    return names


def order(
    known: Known,
    trees: Trees,
    measured_by: Measured,
    repeat: Repeat,
    output: JsonOutput = None,
    json: Json = False,
) -> None:
    """Find the order of ranks in which trees are fastest on a machine.

    From round-trip times between ranks come the orders of Karlsson (fastest edge first, channel
    aware) beside the standard and a random one, and what a model of a binomial tree says of each.
    With a launcher behind -- all of them are measured there, natively on reordered communicators
    and with our schedules. Ranks must be bound as they were when the times were measured. Ctrl-C
    keeps what was measured.
    """
    if output is not None:
        check_writable(output)
    usual = trees.sizes[0] if trees.sizes else distances.USUAL_BYTES
    found = known.distances(usual)
    made = trees.candidates(found)
    sizes = trees.sizes or [found.num_bytes or distances.USUAL_BYTES]
    calls = trees.calls(sizes, parse_seconds(measured_by.time_budget))
    models = [
        candidates.model(made, found, name, size) for name in calls.collectives for size in sizes
    ]
    measured = measured_by.measure(made, calls)
    result = outcome.conclude(found, made, models, repeat.text(), measured)
    show_and_write(
        result, order_report, output, lambda path: outcome.write(result, path), json=json
    )
    if measured is not None and measured.cause is not None:
        raise measured.cause
