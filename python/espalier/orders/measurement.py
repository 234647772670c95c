# SPDX-License-Identifier: Apache-2.0
"""Running espalier-order-<vendor> once: orders and calls in, times out."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier import installation
from espalier.errors import ArgumentError, MpiError
from espalier.io.console import document
from espalier.launch import programs
from espalier.launch.measuring import MeasuringProgram, Patience, temporary_folder
from espalier.orders.candidates import CONTROL, Order
from espalier.sampling.samples import Point, Problem, Request, SampleReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from espalier.launch.command import LaunchCommand

_PATIENCE_SECONDS = 120.0
_PRECISION = 0.01
_CREATIONS = 20


@dataclass(frozen=True)
class Calls:
    """What to measure: every collective with every size, which is that of a part (or a message)."""

    collectives: tuple[str, ...]
    sizes: tuple[int, ...]
    root: int
    seconds: float
    min_repetitions: int = 20
    max_repetitions: int = 400
    seed: int = 1

    def requests(self, num_ranks: int) -> list[Request]:
        """Return the points of a plan; their sizes are those of whole results."""
        return [
            Request(name, size if name == "bcast" else size * num_ranks, (f"{name}/binomial",))
            for name in self.collectives
            for size in self.sizes
        ]

    def size_of(self, request_index: int) -> int:
        """Return the size of the part that a request is about."""
        return self.sizes[request_index % len(self.sizes)]


@dataclass
class Measured:
    """What one launch found. Points have the sizes of parts in `part_bytes`, in the same order.

    `cause` is what ended it early, with some points measured.
    """

    header: dict[str, Any] = field(default_factory=dict)
    points: list[Point] = field(default_factory=list)
    part_bytes: list[int] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    creations: dict[str, dict[str, Any]] = field(default_factory=dict)
    num_points_left: int = 0
    cause: BaseException | None = None


def measure(
    command: LaunchCommand,
    vendor: str | None,
    orders: Sequence[Order],
    calls: Calls,
    on_point: Callable[[], None] = lambda: None,
) -> Measured:
    """Measure all orders in one launch, so that they meet the same binding.

    The first order is measured twice, see comparison.

    Raises:
        ArgumentError: the command asks for another number of ranks than the orders have.
        NotBuiltError: there is no program for this MPI.
        MpiError: the launcher or the program failed, or nothing came for too long, before any
            point was measured.
    """
    num_ranks = len(orders[0].ranks)
    if command.num_ranks not in (None, num_ranks):
        raise ArgumentError(
            f"expected a command that starts {num_ranks} ranks, as the distances are of, got"
            f" {command.num_ranks}",
            f"as in: -- mpirun -n {num_ranks}",
        )
    name = vendor or programs.vendor_of(command)
    program = MeasuringProgram(installation.order_program(name), f"espalier-order-{name}", command)
    requests = calls.requests(num_ranks)
    with temporary_folder() as folder:
        reader = SampleReader(Path(folder) / "samples.jsonl", requests)
        watch = _Watch(reader, calls, requests, on_point)
        all_orders = [*orders, Order(CONTROL, orders[0].ranks)]
        try:
            program.run(_plan(all_orders, calls, requests), Path(folder), watch)
        except (KeyboardInterrupt, SystemExit, MpiError) as error:
            if not watch.found.points:
                raise
            watch.found.cause = error
    found = watch.found
    found.header = reader.header or {}
    found.creations = reader.creations
    wrong = {problem.place for problem in found.problems if problem.reason == "wrong"}
    found.num_points_left = len(requests) - len(found.points) - len(wrong)
    return found


class _Watch:
    """Hands results over, and loses patience when none come."""

    def __init__(
        self,
        reader: SampleReader,
        calls: Calls,
        requests: Sequence[Request],
        on_point: Callable[[], None],
    ) -> None:
        self.found = Measured()
        self._reader = reader
        self._on_point = on_point
        seconds = _PATIENCE_SECONDS + 10 * calls.seconds / max(1, len(requests))
        self._patience = Patience("a measured point", seconds)
        self._size_of = {
            (request.collective, request.bytes): calls.size_of(index)
            for index, request in enumerate(requests)
        }

    @property
    def is_complete(self) -> bool:
        return self._reader.is_complete

    def look(self) -> None:
        for result in self._reader.read_new():
            self._patience.renew()
            if isinstance(result, Point):
                self.found.points.append(result)
                self.found.part_bytes.append(self._size_of[result.collective, result.asked_bytes])
                self._on_point()
            else:
                self.found.problems.append(result)
        self._patience.check()


def _plan(orders: Sequence[Order], calls: Calls, requests: Sequence[Request]) -> dict[str, Any]:
    return document(
        "espalier-order-plan",
        1,
        root=calls.root,
        creations=_CREATIONS,
        orders=[{"name": order.name, "ranks": list(order.ranks)} for order in orders],
        measurement=document(
            "espalier-measurement-plan",
            1,
            seed=calls.seed,
            warmup=3,
            min_repetitions=calls.min_repetitions,
            max_repetitions=calls.max_repetitions,
            seconds_per_point=max(0.1, calls.seconds / len(requests)),
            seconds=calls.seconds,
            precision=_PRECISION,
            points=[
                {
                    "collective": request.collective,
                    "bytes": request.bytes,
                    "algorithms": list(request.algorithms),
                }
                for request in requests
            ],
        ),
    )
