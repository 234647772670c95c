# SPDX-License-Identifier: Apache-2.0
"""In what two profiles differ: shapes, calls and sizes for which they choose differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.io.console import document
from espalier.profiles import evidence, profiles, runs
from espalier.profiles.evidence import NATIVE
from espalier.profiles.profiles import part_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from espalier.profiles.profiles import Part, Profile

_NOTHING: dict[str, Any] = {
    "algorithm": None,
    "rule": None,
    "evidence": "none",
    "num_sizes": 0,
    "num_pairs": 0,
    "gain": None,
}


@dataclass(frozen=True)
class _Side:
    """The rules of one profile for a call and a shape, if it has any."""

    profile: Profile
    rules: tuple[Mapping[str, Any], ...]

    def choice(self, size: int) -> dict[str, Any]:
        """Return what it chooses for a size, and what stands behind that."""
        if not self.rules:
            return _NOTHING
        rule = profiles.covering(self.rules, size)
        if rule is None:
            return {**_NOTHING, "algorithm": NATIVE}
        return {
            "algorithm": rule["algorithm"],
            "rule": self.profile.rules.index(dict(rule)),
            **evidence.told(self.profile.document, rule),
        }


def differences(first: Profile, second: Profile) -> dict[str, Any]:
    """Return the differences of two profiles as a document."""
    parts = sorted({part_of(rule) for rule in (*first.rules, *second.rules)}, key=_order)
    found = [one for part in parts for one in _of_part(part, first, second)]
    return document(
        "espalier-profile-difference",
        1,
        profiles=[_about(first), _about(second)],
        is_same=not found,
        differences=found,
    )


def _about(profile: Profile) -> dict[str, Any]:
    return {"profile": str(profile.path), **runs.told(profile.document)}


def _order(part: Part) -> tuple[tuple[int, int, str, str, int], str]:
    return part[1].order, part[0]


def _of_part(part: Part, first: Profile, second: Profile) -> Iterator[dict[str, Any]]:
    """Yield the sizes for which two profiles choose differently, neighbours together."""
    sides = [_Side(one, _rules(one, part)) for one in (first, second)]
    last_one: dict[str, Any] | None = None
    for low, high in profiles.intervals_of(rule for side in sides for rule in side.rules):
        choices = [side.choice(low) for side in sides]
        if choices[0]["algorithm"] == choices[1]["algorithm"]:
            continue
        if last_one and last_one["choices"] == choices and last_one["max_bytes"] == low - 1:
            last_one["max_bytes"] = high
            continue
        if last_one:
            yield last_one
        last_one = {
            "collective": part[0],
            **part[1].to_json(),
            "min_bytes": low,
            "max_bytes": high,
            "choices": choices,
            "larger_gain": _larger(choices),
        }
    if last_one:
        yield last_one


def _rules(profile: Profile, part: Part) -> tuple[Mapping[str, Any], ...]:
    return tuple(rule for rule in profile.rules if part_of(rule) == part)


def _larger(choices: list[dict[str, Any]]) -> int | None:
    """Return which choice was timed to gain more, by the lower bound; None if none was."""
    lows = [one["gain"]["low"] if one["gain"] else 1.0 for one in choices]
    if lows[0] == lows[1] or all(one["gain"] is None for one in choices):
        return None
    return lows.index(max(lows))
