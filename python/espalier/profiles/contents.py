# SPDX-License-Identifier: Apache-2.0
"""What is in a profile: its runs, each rule with what it gains, and what is not decided yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.io.console import document
from espalier.profiles import evidence, runs, trials
from espalier.profiles.merging import order_of
from espalier.profiles.profiles import Shape

if TYPE_CHECKING:
    from espalier.profiles.profiles import Profile

_RULE = ("min_bytes", "max_bytes", "algorithm", "reason")


def contents(profile: Profile) -> dict[str, Any]:
    """Return the runs and the rules of a profile, and what is not decided yet, as a document."""
    rules = sorted(enumerate(profile.rules), key=lambda one: order_of(one[1]))
    return document(
        "espalier-profile-contents",
        1,
        profile=str(profile.path),
        runs=list(runs.with_shapes(profile)),
        rules=[
            {
                "rule": position,
                "collective": rule["collective"],
                **Shape.of(rule).to_json(),
                **{key: rule[key] for key in _RULE},
                **evidence.told(profile.document, rule),
            }
            for position, rule in rules
        ],
        undecided=list(trials.undecided(profile)),
    )
