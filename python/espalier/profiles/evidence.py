# SPDX-License-Identifier: Apache-2.0
"""What stands behind a rule: how it was found, and what it gains at least.

A rule of one run can be compared with a rule of another by its strength:

1. how it was found: measured, then learned by a program in its own calls, then simulated, then
   modelled, then nothing behind it;
2. a run that was complete, then one that was interrupted;
3. the larger lower bound of its gain over the native call; a native rule gains 1;
4. the newer run.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from espalier.profiles import profiles, runs

if TYPE_CHECKING:
    from collections.abc import Mapping

# How rules are found, the weakest first.
KINDS = ("none", "modelled", "simulated", "learned", "measured")
NATIVE = "native"
# What is as fast as the native call.
_NO_GAIN = 1.0


@dataclass(frozen=True)
class Gain:
    """Time of the native call / time of the algorithm, over the sizes behind a rule."""

    least: float
    most: float
    # The smallest lower end of all intervals.
    low: float

    def to_json(self) -> dict[str, float]:
        """Return the form of documents."""
        return asdict(self)


def kind_of(profile: Mapping[str, Any], rule: Mapping[str, Any]) -> str:
    """Return how a rule of a profile was found, one of KINDS."""
    run = profiles.run_of(profile, rule)
    method = run.get("method", {})
    if rule.get("learned"):
        return "learned"
    if method.get("measured") is False:
        return "modelled"
    if not rule.get("evidence"):
        return "none"
    is_simulated = method.get("is_simulated") or run["mpi"]["vendor"] == "smpi"
    return "simulated" if is_simulated else "measured"


def gain_of(rule: Mapping[str, Any]) -> Gain | None:
    """Return what the algorithm of a rule gains; None if it is native or was not timed.

    Of what was learned, only the middle times are known: it is at least as fast as the native call.
    """
    learned = rule.get("learned")
    if learned and rule["algorithm"] != NATIVE and learned["seconds"] > 0:
        ratio = learned["native_seconds"] / learned["seconds"]
        return Gain(ratio, ratio, min(ratio, _NO_GAIN))
    times = [
        entry["candidates"][rule["algorithm"]]
        for entry in rule.get("evidence", [])
        if "ratio" in entry["candidates"].get(rule["algorithm"], {})
    ]
    if not times:
        return None
    ratios = [one["ratio"] for one in times]
    lows = [one.get("ratio_low", one["ratio"]) for one in times]
    return Gain(min(ratios), max(ratios), min(lows))


def low_gain(rule: Mapping[str, Any]) -> float:
    """Return the lower bound of the gain of a rule; 1 if nothing says more."""
    gain = gain_of(rule)
    return _NO_GAIN if gain is None else gain.low


def strength(profile: Mapping[str, Any], rule: Mapping[str, Any]) -> tuple[int, bool, float, str]:
    """Return the key by which rules of several runs are compared; the largest one is strongest."""
    run = profiles.run_of(profile, rule)
    return (
        KINDS.index(kind_of(profile, rule)),
        runs.is_complete(run),
        low_gain(rule),
        run.get("created", ""),
    )


def told(profile: Mapping[str, Any], rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return what documents say of the evidence of a rule."""
    gain = gain_of(rule)
    return {
        "evidence": kind_of(profile, rule),
        "num_sizes": len(rule.get("evidence", [])),
        "num_pairs": rule.get("learned", {}).get("num_pairs", 0),
        "gain": None if gain is None else gain.to_json(),
    }
