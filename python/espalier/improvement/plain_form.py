# SPDX-License-Identifier: Apache-2.0
"""Rules that were found in a program's own manner must not cost time in the plain form of a call.

A rule speaks of a call, of ranks and nodes and of sizes. It decides for any root, operator and
sizes of parts, of which only those of one program were measured. So what was chosen for them is
timed again in the form that is tuned where no program is known, and a rule goes by which that is
significantly slower.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from espalier.sampling.candidates import real_size
from espalier.sampling.measurement import Effort
from espalier.sampling.samples import NATIVE, Point
from espalier.tuning.selection import estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from espalier.base.intervals import Interval
    from espalier.sampling.measurement import Measurer
    from espalier.sampling.samples import Request

Rule = dict[str, Any]

_SLOWER = "slower with equal parts, any root and MPI_SUM"
_LEAST_SECONDS, _SHARE = 5.0, 0.1
_LEAST_REPETITIONS, _MOST_REPETITIONS, _PRECISION = 10, 60, 0.02


@dataclass(frozen=True)
class Loss:
    """A choice that is slower than the native call of this size in its plain form."""

    collective: str
    bytes: int
    algorithm: str
    ratio: Interval


def checks(rules: Iterable[Rule], requests: Sequence[Request], num_ranks: int) -> list[Request]:
    """Return what to time in the plain form: what rules choose for requests of another manner."""
    chosen = [rule for rule in rules if rule["algorithm"] != NATIVE]
    found = []
    for one in requests:
        names = [
            rule["algorithm"]
            for rule in chosen
            if rule["collective"] == one.collective and covers(rule, one.bytes)
        ]
        if names and not one.manner.is_plain:
            size = real_size(one.collective, max(1, one.bytes), num_ranks)
            found.append(replace(one, bytes=size, algorithms=tuple(names), manner=one.manner.plain))
    return found


def covers(rule: Mapping[str, Any], size: int) -> bool:
    """Return whether a rule decides for a size; one without limits does for any."""
    high = rule["max_bytes"]
    return bool(rule["min_bytes"] <= size and (high is None or size <= high))


def losses(
    measurer: Measurer, wanted: Sequence[Request], seconds: float, confidence: float
) -> list[Loss]:
    """Time these requests once, and return what is significantly slower than the native call."""
    if not wanted:
        return []
    effort = Effort(
        seconds=max(_LEAST_SECONDS, _SHARE * seconds),
        seconds_per_point=max(_LEAST_SECONDS, _SHARE * seconds) / len(wanted),
        min_repetitions=_LEAST_REPETITIONS,
        max_repetitions=_MOST_REPETITIONS,
        precision=_PRECISION,
    )
    launch = measurer.run(wanted, effort, lambda _: None)
    return [loss for point in launch.points for loss in _of_point(point, confidence)]


def without(rules: Iterable[Rule], lost: Sequence[Loss]) -> list[Rule]:
    """Return the rules with native calls in place of those by which something is lost."""
    return [_judged(rule, lost) for rule in rules]


def is_from_here(rule: Mapping[str, Any]) -> bool:
    """Return whether a rule is native because something was lost by it in the plain form."""
    return rule["algorithm"] == NATIVE and str(rule["reason"]).startswith(_SLOWER)


def _of_point(point: Point, confidence: float) -> list[Loss]:
    return [
        Loss(point.collective, point.asked_bytes, name, one.ratio)
        for name, one in estimate(point, confidence).items()
        if one.ratio.high < 1.0
    ]


def _judged(rule: Rule, lost: Sequence[Loss]) -> Rule:
    for loss in lost:
        names = (rule["collective"], rule["algorithm"])
        if names == (loss.collective, loss.algorithm) and covers(rule, loss.bytes):
            return {**rule, "algorithm": NATIVE, "reason": _reason(loss)}
    return rule


def _reason(loss: Loss) -> str:
    ratio = loss.ratio
    return (
        f"{_SLOWER}, for which the rule would hold, too: native / ours {ratio.value:.2f}"
        f" ({100 * ratio.confidence:.3g} % interval {ratio.low:.2f} .. {ratio.high:.2f}); was"
        f" {loss.algorithm}"
    )
