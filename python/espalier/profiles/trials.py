# SPDX-License-Identifier: Apache-2.0
"""Trials in the calls of programs that learn: what is known while nothing is decided.

Programs with ESPALIER_LEARN write them into the profile that is their memory, and go on with them
in the next run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.profiles import profiles
from espalier.profiles.profiles import Shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from espalier.profiles.profiles import Profile

_SIZES = ("min_bytes", "max_bytes")


def member(*found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the member `trials` for a profile with those of several; empty if none has trials.

    Where two have trials of one kind of calls, those with more rounds stay: they may have other
    candidates, and evidence that both took from a common file must not count twice.
    """
    united: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for trials in (one for document in found for one in document.get("trials", [])):
        kind = (*profiles.part_of(trials), *(trials[key] for key in _SIZES))
        if kind not in united or trials["num_rounds"] > united[kind]["num_rounds"]:
            united[kind] = trials
    return {"trials": sorted(united.values(), key=_stake, reverse=True)} if united else {}


def undecided(profile: Profile) -> Iterator[dict[str, Any]]:
    """Yield kinds of calls for which there is no rule yet, those that took most time first.

    Times are in seconds: `seconds_in_run` of all calls on one communicator in the last run.
    """
    for trials in sorted(profile.document.get("trials", []), key=_stake, reverse=True):
        if not _has_rule(profile.rules, trials):
            yield {
                "collective": trials["collective"],
                **Shape.of(trials).to_json(),
                **{key: trials[key] for key in _SIZES},
                "num_calls": trials["num_calls"],
                "seconds_in_run": _stake(trials),
                "num_rounds": trials["num_rounds"],
                "algorithms": [one["algorithm"] for one in trials["candidates"][1:]],
            }


def _stake(trials: Mapping[str, Any]) -> float:
    return float(trials["num_calls"] * trials["seconds"])


def _has_rule(rules: Iterable[Mapping[str, Any]], trials: Mapping[str, Any]) -> bool:
    of_kind = [
        rule
        for rule in rules
        if rule["collective"] == trials["collective"] and Shape.of(rule).covers(Shape.of(trials))
    ]
    return profiles.covering(of_kind, trials["min_bytes"]) is not None
