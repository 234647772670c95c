# SPDX-License-Identifier: Apache-2.0
"""For which points the time suffices.

Calls of which the program spends most time come first, whatever communicators they are made on. A
shape of communicators costs launches of its own, so one where little is at stake is left out before
it takes time from the others: a point that gets too few repetitions is not decided at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from espalier.sampling.samples import Request
from espalier.tuning.search import STAGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from espalier.improvement.points import Point
    from espalier.profiles.profiles import Shape

_LEAST_SECONDS = 10.0


@dataclass(frozen=True)
class Granted:
    """A point that is measured, and about how long."""

    point: Point
    seconds: float


@dataclass(frozen=True)
class Portion:
    """What is tuned on communicators of one shape, and how long, starting ranks included."""

    points: list[Granted]
    seconds: float


def portions(
    points: Mapping[Shape, Sequence[Point]], seconds: float, launch_seconds: float
) -> dict[Shape, Portion]:
    """Return what fits into a time, the shape with the costliest calls first.

    A point gets fewer candidates, or is left out, where the time does not suffice; the costliest
    one never is. What is left of the time is for those with most at stake: short calls on a noisy
    machine can use much more than they need at least.

    Args:
        points: By shape.
        seconds: For everything, starting ranks included.
        launch_seconds: What it takes to start the ranks once.
    """
    of_shape = len(STAGES) * launch_seconds
    chosen: dict[Shape, list[Point]] = {}
    left = seconds
    for shape, point in _costliest_first(points):
        for version in (point, point.shortened()):
            needed = version.needed_seconds + (0.0 if shape in chosen else of_shape)
            if needed <= left or not chosen:
                chosen.setdefault(shape, []).append(version)
                left -= needed
                break
    at_stake = sum(point.seconds_at_stake for row in chosen.values() for point in row)
    return {shape: _portion(row, of_shape, left / at_stake) for shape, row in chosen.items()}


def requests_of(granted: Sequence[Granted]) -> list[Request]:
    """Return what to measure; the time is shared as it is granted.

    Those that have least come first: what they leave of their share is for the others.
    """
    if not granted:
        return []
    mean = sum(one.seconds for one in granted) / len(granted)
    return [
        Request(
            one.point.collective,
            one.point.bytes,
            tuple(one.point.seconds),
            weight=round(one.seconds / mean, 4),
            manner=one.point.manner,
        )
        for one in sorted(granted, key=lambda one: one.seconds)
    ]


def _portion(points: Sequence[Point], launches_seconds: float, more: float) -> Portion:
    """Return the portion of points of a shape; for each second at stake they get `more`.

    That is negative if the only point is measured although it does not fit.
    """
    granted = [
        Granted(point, max(1.0, point.needed_seconds + more * point.seconds_at_stake))
        for point in points
    ]
    seconds = launches_seconds + sum(one.seconds for one in granted)
    return Portion(granted, max(_LEAST_SECONDS, seconds))


def _costliest_first(points: Mapping[Shape, Sequence[Point]]) -> Iterable[tuple[Shape, Point]]:
    pairs = [(shape, point) for shape, row in points.items() for point in row]
    return sorted(pairs, key=lambda pair: pair[1].seconds_at_stake, reverse=True)
