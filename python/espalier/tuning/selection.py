# SPDX-License-Identifier: Apache-2.0
"""Which candidates stay in the race, and who has won. Pure functions of measured points.

The winner among many noisy candidates looks better than it is. So a race only *nominates* one
candidate a point; whether it is used is decided by new measurements in fresh launches, in which it
meets nobody but the native call. Over all points of a tuning the decisions are corrected by Holm's
method: the chance that even one of them is wrong stays below 1 - confidence.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from espalier.base import intervals
from espalier.sampling.samples import NATIVE, Point

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from espalier.base.intervals import Interval

# A candidate this close to the best one is as good; choosing it may save a rule.
TOLERANCE = 0.02
_MOST_SURVIVORS = 4

Key = tuple[str, int]


@dataclass(frozen=True)
class Estimate:
    """What a point says of one candidate: its time, and native / candidate."""

    time_us: Interval
    ratio: Interval


@dataclass(frozen=True)
class Selection:
    """What to use for one call and size, and why."""

    collective: str
    bytes: int
    algorithm: str
    reason: str
    native_us: Interval
    # The nominee if there was one, otherwise the best that was measured; native is not in it.
    best: str | None
    estimates: Mapping[str, Estimate]
    is_confirmed: bool
    # How its calls were made, where that is not the plain form.
    manner: str = ""

    @property
    def is_native(self) -> bool:
        """Return whether the native call is kept."""
        return self.algorithm == NATIVE


def key_of(point: Point) -> Key:
    """Return what identifies a point within a tuning."""
    return point.collective, point.asked_bytes


def estimate(point: Point, confidence: float) -> dict[str, Estimate]:
    """Return what a point says of each candidate but the native call, the best first."""
    found = {
        name: Estimate(
            intervals.median_interval(point.samples_us[name], confidence),
            intervals.paired_ratio(point.native_us, point.samples_us[name], confidence),
        )
        for name in point.candidates
    }
    order = sorted(found, key=lambda name: found[name].ratio.value, reverse=True)
    return {name: found[name] for name in order}


def best_third(point: Point, confidence: float, good_enough: float) -> list[str]:
    """Return the candidates worth more repetitions, the best first: a third of them, or a few.

    None are if nothing is left to find: no candidate is faster than native for sure, and none may
    be by more than `good_enough`. Of what is faster for sure, one is enough unless another may be
    faster than that by more than `good_enough`.
    """
    found = estimate(point, confidence)
    most = max(_MOST_SURVIVORS, -(-len(found) // 3))
    # Of few repetitions no interval is known well enough to leave a candidate out.
    sure = {name for name, one in found.items() if one.ratio.confidence >= confidence}
    lows = {name: found[name].ratio.low for name in sure if found[name].ratio.low > 1.0}
    winner = max(lows, key=lambda name: lows[name], default=None)
    least = (1.0 if winner is None else lows[winner]) * (1 + good_enough)
    worth_it = [
        name
        for name, one in found.items()
        if name == winner or name not in sure or one.ratio.high > least
    ]
    return worth_it[:most]


def as_good_as_best(point: Point, confidence: float) -> list[str]:
    """Return the best candidate, then those nearly as fast, of all that beat native."""
    found = estimate(point, confidence)
    best = next(iter(found), None)
    if best is None or found[best].ratio.value <= 1.0:
        return []
    return [best] + [
        name
        for name, one in found.items()
        if name != best and one.ratio.value > 1.0 and _is_close(point, best, name)
    ]


def nominate(points: Iterable[Point], confidence: float) -> dict[Key, str]:
    """Return one candidate for each point where some candidate beats native.

    Neighbouring sizes get the same one where it is as good as the best of each: fewer rules, and
    fewer decisions that hang on noise.
    """
    by_collective: dict[str, list[Point]] = defaultdict(list)
    for point in sorted(points, key=lambda point: point.bytes):
        by_collective[point.collective].append(point)
    nominees: dict[Key, str] = {}
    for row in by_collective.values():
        allowed = [as_good_as_best(point, confidence) for point in row]
        nominees |= {
            key_of(point): name
            for point, name in zip(row, longest_runs(allowed), strict=True)
            if name is not None
        }
    return nominees


def longest_runs(allowed: Sequence[Sequence[str]]) -> list[str | None]:
    """Choose one name at each position so that it changes as seldom as possible."""
    chosen: list[str | None] = []
    while len(chosen) < len(allowed):
        here = allowed[len(chosen)]
        if not here:
            chosen.append(None)
            continue
        lengths = {name: _run_length(allowed, len(chosen), name) for name in here}
        name = max(here, key=lambda candidate: lengths[candidate])
        chosen += [name] * lengths[name]
    return chosen


def join(points: Sequence[Point]) -> Point:
    """Return points of several launches as one, with the candidates that all of them have."""
    first = points[0]
    common = [name for name in first.samples_us if all(name in one.samples_us for one in points)]
    return Point(
        first.collective,
        first.asked_bytes,
        first.bytes,
        first.calls_per_sample,
        {name: tuple(t for one in points for t in one.samples_us[name]) for name in common},
    )


def decide(
    raced: Mapping[Key, Point],
    confirmed: Mapping[Key, Sequence[Point]],
    nominees: Mapping[Key, str],
    *,
    confidence: float,
    min_gain: float,
) -> list[Selection]:
    """Return a selection for every point that was raced, in the order of collective and size.

    Args:
        raced: The latest measurements in which all candidates of a point met.
        confirmed: For nominees, measurements of fresh launches: native and nominee only.
        nominees: What nominate() said.
        confidence: Of every interval, and of all decisions together.
        min_gain: Least gain for which native is left: 0.02 is 2 %.
    """
    tested = [key for key in nominees if key in confirmed]
    corrected = dict(zip(tested, _corrected(tested, confirmed, nominees), strict=True))
    selections = []
    for key, point in raced.items():
        estimates = estimate(point, confidence)
        nominee = nominees.get(key)
        if nominee is None or key not in confirmed:
            selections.append(_unconfirmed(point, estimates, nominee, confidence))
            continue
        joined = join(confirmed[key])
        estimates[nominee] = estimate(joined, confidence)[nominee]
        gains = [
            intervals.paired_ratio(one.native_us, one.samples_us[nominee]).value
            for one in confirmed[key]
        ]
        is_sure = corrected[key] < 1 - confidence
        selections.append(
            _confirmed(joined, estimates, nominee, gains, is_sure=is_sure, min_gain=min_gain)
        )
    return sorted(selections, key=lambda selection: (selection.collective, selection.bytes))


def too_few_wins(
    confirmed: Mapping[Key, Sequence[Point]], nominees: Mapping[Key, str], confidence: float
) -> list[Key]:
    """Return the points whose nominee won every pair of fresh launches, but not significantly.

    To measure such a point again does not make wrong decisions more likely: those that become
    significant have won all of their pairs.
    """
    tested = [key for key in nominees if key in confirmed]
    probabilities = _corrected(tested, confirmed, nominees)
    return [
        key
        for key, probability in zip(tested, probabilities, strict=True)
        if probability >= 1 - confidence and _wins_always(join(confirmed[key]), nominees[key])
    ]


def _wins_always(point: Point, nominee: str) -> bool:
    pairs = zip(point.native_us, point.samples_us[nominee], strict=True)
    return all(native > ours for native, ours in pairs)


def gain_text(ratio: Interval, than: str = "") -> str:
    """Return `1.31x faster than native (95 % interval 1.22 .. 1.40)`."""
    words = f"{ratio.value:.2f}x {than}".strip()
    percent = 100 * ratio.confidence
    return f"{words} ({percent:.3g} % interval {ratio.low:.2f} .. {ratio.high:.2f})"


def _is_close(point: Point, best: str, name: str) -> bool:
    ratio = intervals.paired_ratio(point.samples_us[best], point.samples_us[name])
    return ratio.value >= 1 - TOLERANCE


def _run_length(allowed: Sequence[Sequence[str]], start: int, name: str) -> int:
    length = 0
    while start + length < len(allowed) and name in allowed[start + length]:
        length += 1
    return length


def _corrected(
    keys: Sequence[Key], confirmed: Mapping[Key, Sequence[Point]], nominees: Mapping[Key, str]
) -> list[float]:
    return intervals.holm(
        [
            intervals.faster_in_launches(
                [(one.native_us, one.samples_us[nominees[key]]) for one in confirmed[key]]
            )
            for key in keys
        ]
    )


def _unconfirmed(
    point: Point, estimates: dict[str, Estimate], nominee: str | None, confidence: float
) -> Selection:
    best = nominee or next(iter(estimates), None)
    if best is None:
        reason = "nothing else was measured"
    elif nominee or estimates[best].ratio.low > 1.0:
        reason = f"not confirmed in fresh launches: {best} {gain_text(estimates[best].ratio)}"
    elif estimates[best].ratio.high < 1.0:
        reason = f"native is fastest; the next is {best}, {gain_text(estimates[best].ratio)}"
    else:
        reason = f"nothing is significantly faster; {best} {gain_text(estimates[best].ratio)}"
    return Selection(
        point.collective,
        point.bytes,
        NATIVE,
        reason,
        intervals.median_interval(point.native_us, confidence),
        best,
        estimates,
        is_confirmed=False,
    )


def _agree(gains: Sequence[float]) -> bool:
    """Return whether all launches gain, and differ by less than they gain on average."""
    return min(gains) > 1.0 and max(gains) < min(gains) ** 3


def _confirmed(
    point: Point,
    estimates: dict[str, Estimate],
    nominee: str,
    gains: Sequence[float],
    *,
    is_sure: bool,
    min_gain: float,
) -> Selection:
    """Return what fresh launches say, in each of which the nominee gained so much."""
    ratio = estimates[nominee].ratio
    least = min(gains)
    agree = _agree(gains)
    is_better = is_sure and agree
    is_enough = ratio.value >= 1 + min_gain and ratio.low > 1.0
    if is_better and is_enough:
        algorithm = nominee
        reason = gain_text(ratio, "faster than native")
    elif is_better:
        algorithm = NATIVE
        reason = f"the gain is below {100 * min_gain:.3g} %; {nominee} {gain_text(ratio)}"
    elif not agree and ratio.value >= 1 + min_gain:
        algorithm = NATIVE
        reason = (
            f"launches disagree: {nominee} {gain_text(ratio)}, but {least:.2f}x in one of"
            f" {len(gains)} launches, and {max(gains):.2f}x in another"
        )
    else:
        algorithm = NATIVE
        reason = f"nothing is significantly faster; {nominee} {gain_text(ratio)}"
    return Selection(
        point.collective,
        point.bytes,
        algorithm,
        reason,
        intervals.median_interval(point.native_us, ratio.confidence),
        nominee,
        estimates,
        is_confirmed=True,
    )
