# SPDX-License-Identifier: Apache-2.0
"""For which points the time suffices.

Calls of which the program spends most time come first, whatever communicators they are made on. A
shape of communicators costs launches of its own, so one where little is at stake is left out before
it takes time from the others: a point that gets too few repetitions is not decided at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from espalier.tuning.search import STAGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from espalier.improvement.points import Point
    from espalier.profiles.profiles import Shape

_LEAST_SECONDS = 10.0


@dataclass
class Portion:
    """What is tuned on communicators of one shape, and how long."""

    points: list[Point]
    seconds: float


def portions(
    points: Mapping[Shape, Sequence[Point]], seconds: float, launch_seconds: float
) -> dict[Shape, Portion]:
    """Return what fits into a time, the shape with the costliest calls first.

    A point gets fewer candidates, or is left out, where the time does not suffice; the costliest
    one never is. What is left of the time is shared as points need it.

    Args:
        points: By shape.
        seconds: For everything, starting ranks included.
        launch_seconds: What it takes to start the ranks once.
    """
    of_shape = len(STAGES) * launch_seconds
    chosen: dict[Shape, Portion] = {}
    left = seconds
    for shape, point in _costliest_first(points):
        for version in (point, point.shortened()):
            needed = version.needed_seconds + (0.0 if shape in chosen else of_shape)
            if needed <= left or not chosen:
                portion = chosen.setdefault(shape, Portion([], of_shape))
                portion.points.append(version)
                left -= needed
                break
    to_measure = sum(point.needed_seconds for one in chosen.values() for point in one.points)
    factor = (seconds - of_shape * len(chosen)) / to_measure if to_measure else 0.0
    for portion in chosen.values():
        portion.seconds += factor * sum(point.needed_seconds for point in portion.points)
        portion.seconds = max(_LEAST_SECONDS, portion.seconds)
    return chosen


def _costliest_first(points: Mapping[Shape, Sequence[Point]]) -> Iterable[tuple[Shape, Point]]:
    pairs = [(shape, point) for shape, row in points.items() for point in row]
    return sorted(pairs, key=lambda pair: pair[1].seconds_at_stake, reverse=True)
