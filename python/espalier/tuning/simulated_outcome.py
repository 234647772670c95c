# SPDX-License-Identifier: Apache-2.0
"""What a tuning in simulation found, as a profile and as the document of its report.

Neither has a date, a host or a duration: the same tuning gives the same bytes anywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier import __version__
from espalier.conditions import metadata
from espalier.conditions.cautions import Caution, to_json
from espalier.io.console import document
from espalier.profiles import profiles
from espalier.profiles.profiles import Shape
from espalier.sampling.goal import EXHAUSTIVE
from espalier.sampling.samples import NATIVE
from espalier.sampling.setting import class_of_placement
from espalier.sampling.simulation import PEERS
from espalier.tuning import rules
from espalier.tuning.call_tuning import WRONG
from espalier.tuning.exact import SIMULATED, TOLERANCE
from espalier.tuning.simulated_goal import GUIDED_FACTOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from espalier.sampling.samples import Problem
    from espalier.tuning.call_tuning import CallTuning
    from espalier.tuning.exact import Chosen
    from espalier.tuning.simulated_goal import SimulatedGoal


def make_profile(
    goal: SimulatedGoal, chosen: Sequence[Chosen], num_nodes: int, about: dict[str, Any]
) -> dict[str, Any]:
    """Return a profile document; `about` has `command`, `complete` and the `version` of the MPI."""
    return document(
        profiles.schema,
        profiles.version,
        espalier=__version__,
        command=about["command"],
        machine={**goal.machine, "is_simulated": True},
        mpi={
            "vendor": goal.vendor,
            "version": f"{about['version']}, algorithms of {PEERS[goal.job.peer]}",
            "peer": goal.job.peer,
        },
        method={**_method(goal), "complete": about["complete"]},
        rules=rules.make_rules(
            chosen,
            Shape(goal.job.num_ranks, num_nodes, class_of_placement(goal.job)),
            SIMULATED,
        ),
    )


def make_document(
    goal: SimulatedGoal,
    profile: dict[str, Any],
    chosen: Sequence[Chosen],
    num_nodes: int,
    about: dict[str, Any],
) -> dict[str, Any]:
    """Return what `espalier tune simulate --json` prints."""
    return document(
        "espalier-tuning",
        1,
        profile=about["profile"],
        changes=[change.to_json() for change in about["changes"]],
        command=about["command"],
        complete=about["complete"],
        espalier=profile["espalier"],
        machine=profile["machine"],
        mpi=profile["mpi"],
        num_ranks=goal.job.num_ranks,
        num_nodes=num_nodes,
        method=profile["method"],
        points=[_point(one) for one in chosen],
        rules=[
            {key: value for key, value in rule.items() if key != "evidence"}
            for rule in profile["rules"]
        ],
        warnings=to_json(about["cautions"]),
    )


def cautions_of(
    tunings: Iterable[CallTuning], problems: Sequence[Problem], *, is_out_of_time: bool
) -> list[Caution]:
    """Return what was left out, and why."""
    found = [
        Caution(
            "wrong",
            f"{one.algorithm} gave a wrong {one.collective} of {one.asked_bytes} B ({one.text})",
            "please report it; the others were measured without it",
        )
        for one in problems
        if one.reason == "wrong"
    ]
    for tuning in tunings:
        for size, name, why in tuning.failures():
            if not why.startswith(WRONG):
                text = f"{name} for {tuning.collective} of {size} B was left out ({why})"
                advice = "the others were compared; --point-limit gives more time"
                found.append(Caution("left out", text, advice))
    if is_out_of_time:
        advice = "give more with --time-budget, then continue with --resume"
        found.append(Caution("time", "the time did not suffice", advice))
    return found


def _method(goal: SimulatedGoal) -> dict[str, Any]:
    return {
        "is_simulated": True,
        "times": "simulated, exact: one call of each candidate after one that is not timed",
        "start": "all ranks at the same moment, slowest rank counts, root 0",
        "candidates": _candidates(goal),
        "equal_within": TOLERANCE,
        "refined_to": goal.policy.widest_step,
        "min_gain": goal.policy.min_gain,
        "keeps_native": goal.policy.keeps_native,
        "code_version": metadata.code_version(),
    }


def _candidates(goal: SimulatedGoal) -> str:
    if goal.effort == EXHAUSTIVE:
        return "all"
    enough = goal.policy.good_enough
    if enough is not None:
        return (
            f"those that the replay model finds within {GUIDED_FACTOR:g}x of its best, until none"
            f" can be expected to be better by more than {100 * enough:.3g} %"
        )
    return (
        f"at most {goal.most_candidates} that the replay model finds within {goal.factor:g}x of its"
        " best"
    )


def _point(one: Chosen) -> dict[str, Any]:
    native = one.times.native_us
    candidates = one.times.candidates
    return {
        "collective": one.collective,
        "bytes": one.bytes,
        "algorithm": one.algorithm,
        "reason": "simulated, exact",
        "confirmed": True,
        "native": None if native is None else _exact(native, "_us"),
        "best": next(iter(candidates), None),
        "candidates": {
            name: {
                "time": _exact(time, "_us"),
                "ratio": None if native is None else _exact(native / time, ""),
            }
            for name, time in candidates.items()
            if name != NATIVE
        },
    }


def _exact(value: float, suffix: str) -> dict[str, Any]:
    names = (f"median{suffix}", f"low{suffix}", f"high{suffix}")
    return {**dict.fromkeys(names, round(value, 4)), "confidence": 1.0, "count": 1}
