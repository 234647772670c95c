# SPDX-License-Identifier: Apache-2.0
"""What a tuning found: the profile, and the document that reports are made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier import __version__
from espalier.conditions import conditions, metadata
from espalier.conditions.cautions import Caution, to_json
from espalier.io.console import document
from espalier.profiles import profiles
from espalier.profiles.profiles import Shape
from espalier.tuning import rules
from espalier.tuning.search import method

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.base.intervals import Interval
    from espalier.sampling.goal import Goal
    from espalier.sampling.samples import Problem
    from espalier.tuning.search import Search
    from espalier.tuning.selection import Estimate, Selection


def make_profile(
    selections: Sequence[Selection], header: dict[str, Any], goal: Goal, about: dict[str, Any]
) -> dict[str, Any]:
    """Return a profile document; `about` has `command` and `complete`."""
    num_tested = sum(selection.is_confirmed for selection in selections)
    return document(
        profiles.schema,
        profiles.version,
        created=metadata.now(),
        espalier=__version__,
        command=about["command"],
        machine=metadata.machine(),
        mpi=header["mpi"],
        method={
            **method(goal, header, num_tested),
            "code_version": metadata.code_version(),
            "environment": metadata.environment(),
            "complete": about["complete"],
        },
        rules=rules.make_rules(selections, Shape.of(header), rules.MEASURED),
    )


def make_document(
    profile: dict[str, Any],
    selections: Sequence[Selection],
    header: dict[str, Any],
    cautions: list[Caution],
    about: dict[str, Any],
) -> dict[str, Any]:
    """Return what `espalier tune --json` prints."""
    return document(
        "espalier-tuning",
        1,
        profile=about["profile"],
        changes=[change.to_json() for change in about.get("changes", ())],
        command=about["command"],
        complete=about["complete"],
        seconds=round(about["seconds"], 1),
        created=profile["created"],
        espalier=profile["espalier"],
        machine=profile["machine"],
        mpi=profile["mpi"],
        num_ranks=header["num_ranks"],
        num_nodes=header["num_nodes"],
        method=profile["method"],
        points=[_point(selection) for selection in selections],
        rules=[
            {key: value for key, value in rule.items() if key != "evidence"}
            for rule in profile["rules"]
        ],
        warnings=to_json(cautions),
    )


def cautions_of(
    search: Search, header: dict[str, Any], problems: Sequence[Problem]
) -> list[Caution]:
    """Return what could be wrong with a tuning, beyond the machine."""
    found = conditions.of_job(header)
    found += conditions.of_noise(search.native_samples(), "repetitions of the native call")
    for problem in problems:
        if problem.reason == "wrong":
            found.append(
                Caution(
                    "wrong",
                    f"{problem.algorithm} gave a wrong {problem.collective} of"
                    f" {problem.asked_bytes} B ({problem.text}); this size was not timed",
                    "please report it",
                )
            )
    slow = {(one.collective, one.asked_bytes) for one in problems if one.reason == "slow"}
    if slow:
        found.append(
            Caution(
                "time",
                f"at {len(slow)} sizes the time did not suffice for all candidates: the slowest,"
                " by one call of each, were left out",
                "give more with --time-budget, or fewer sizes, or fewer --algorithms",
            )
        )
    if search.num_points_left:
        found.append(
            Caution(
                "time",
                f"the time did not suffice for {search.num_points_left} measurements",
                "give more with --time-budget, or fewer sizes, or fewer --algorithms",
            )
        )
    few = sum(selection.native_us.count < 6 for selection in search.selections())
    if few:
        found.append(
            Caution(
                "repetitions",
                f"{few} sizes have fewer than 6 repetitions, too few for any decision",
                "give more time with --time-budget",
            )
        )
    return found


def _point(selection: Selection) -> dict[str, Any]:
    return {
        "collective": selection.collective,
        "bytes": selection.bytes,
        "algorithm": selection.algorithm,
        "reason": selection.reason,
        "confirmed": selection.is_confirmed,
        "native": _interval(selection.native_us, "us"),
        "best": selection.best,
        "candidates": {name: _estimate(one) for name, one in selection.estimates.items()},
    }


def _estimate(one: Estimate) -> dict[str, Any]:
    return {"time": _interval(one.time_us, "us"), "ratio": _interval(one.ratio, "")}


def _interval(interval: Interval, unit: str) -> dict[str, Any]:
    suffix = f"_{unit}" if unit else ""
    return {
        f"median{suffix}": round(interval.value, 4),
        f"low{suffix}": round(interval.low, 4),
        f"high{suffix}": round(interval.high, 4),
        "confidence": interval.confidence,
        "count": interval.count,
    }
