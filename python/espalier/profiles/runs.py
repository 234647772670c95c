# SPDX-License-Identifier: Apache-2.0
"""The runs behind a profile: when, where and how its rules were found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.profiles import profiles
from espalier.profiles.profiles import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from espalier.profiles.profiles import Profile

_NO_RUN = frozenset({"schema", "version", "rules", "runs", "trials", "programs"})
_TOLD = ("created", "espalier", "command", "machine", "mpi", "method")


def description_of(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a profile says of its last run."""
    return {key: value for key, value in profile.items() if key not in _NO_RUN}


def is_complete(run: Mapping[str, Any]) -> bool:
    """Return whether a run decided all that it was asked for."""
    return bool(run.get("method", {}).get("complete", True))


def told(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a run what documents repeat."""
    return {key: run[key] for key in _TOLD if key in run}


def all_of(profile: Profile) -> list[Mapping[str, Any]]:
    """Return the runs, the last one first."""
    return [profile.document, *reversed(profile.document.get("runs", []))]


def with_shapes(profile: Profile) -> Iterator[dict[str, Any]]:
    """Yield each run, the last one first, with the shapes and the calls that it decided."""
    for run in all_of(profile):
        calls: dict[Shape, list[str]] = {}
        for rule in profile.rules:
            if profiles.run_of(profile.document, rule) is run:
                names = calls.setdefault(Shape.of(rule), [])
                names += [] if rule["collective"] in names else [rule["collective"]]
        shapes = [{**shape.to_json(), "calls": names} for shape, names in calls.items()]
        yield told(run) | {"shapes": shapes}
