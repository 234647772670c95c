# SPDX-License-Identifier: Apache-2.0
"""What an improvement found, as a document (`espalier-improvement`)."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING, Any

from espalier import __version__, _core
from espalier.conditions import metadata
from espalier.conditions.cautions import to_json
from espalier.improvement import plain_form
from espalier.improvement.guard import NOTICEABLE
from espalier.improvement.stakes import call_of, is_too_large, share_of
from espalier.io.console import document
from espalier.launch.runs import has_calls_at_once
from espalier.sampling.samples import NATIVE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from espalier.improvement.findings import Findings
    from espalier.improvement.stakes import Stake


def make_document(findings: Findings, *, is_complete: bool) -> dict[str, Any]:
    """Return what `espalier improve --json` prints."""
    wish, observation = findings.wish, findings.observation
    last = findings.comparisons[-1] if findings.comparisons else None
    return document(
        "espalier-improvement",
        1,
        command=wish.command.text(),
        repeat=wish.files.repeat,
        created=metadata.now(),
        espalier=__version__,
        machine=metadata.machine(),
        mpi=observation.run["mpi"],
        num_ranks=observation.run["num_ranks"],
        num_nodes=findings.num_nodes,
        complete=is_complete,
        seconds=round(findings.seconds, 1),
        program_seconds=observation.seconds,
        collective_share=share_of(findings.stakes),
        tuned_share=share_of(findings.tuned),
        wall=None if last is None else last["wall"],
        num_blocks=0 if last is None else last["num_blocks"],
        calls=[_call(stake, findings) for stake in findings.tuned],
        taken_back=[
            {key: value for key, value in rule.items() if key != "evidence"}
            for rule in findings.taken_back
        ],
        remaining=_remaining(findings),
        placement=None if findings.placement is None else findings.placement.to_json(),
        profile=str(wish.files.output) if findings.is_kept else None,
        use=_use(findings) if findings.is_kept else None,
        warnings=_warnings(findings),
    )


def _call(stake: Stake, findings: Findings) -> dict[str, Any]:
    tuned = _tuned(findings, stake)
    return {
        "collective": stake.call,
        "num_ranks": stake.shape.num_ranks,
        "num_nodes": stake.shape.num_nodes,
        "bytes": stake.bytes,
        "min_bytes": stake.min_bytes,
        "max_bytes": stake.max_bytes,
        "manner": stake.manner.text(),
        "num_calls": stake.num_calls,
        "seconds": stake.seconds,
        "share": stake.share,
        "tuned": tuned and {**tuned, "at_its_size": is_decided(stake, tuned)},
        "in_program": _in_program(stake, findings),
    }


def _tuned(findings: Findings, stake: Stake) -> dict[str, Any] | None:
    """Return what tuning decided for a call and size, and why; None if it did not come to the call.

    `bytes` is the size at which this was decided: another one if the time did not suffice for all
    sizes. Calls whose size not all ranks know have one decision for all of them. What was taken
    back before whole runs is native.
    """
    call, size = stake.point
    for gone in _taken_back(stake, findings):
        if plain_form.is_from_here(gone):
            return {"algorithm": gone["algorithm"], "reason": gone["reason"], "bytes": size}
    tuning = findings.tuning_of(stake.shape) or {"points": [], "rules": []}
    if not _core.has_known_size(call):
        rule = next((rule for rule in tuning["rules"] if rule["collective"] == call), None)
        return rule and {"algorithm": rule["algorithm"], "reason": rule["reason"], "bytes": size}
    found = [point for point in tuning["points"] if point["collective"] == call]
    nearest = min(found, key=lambda point: _distance(point["bytes"], size), default=None)
    return nearest and {name: nearest[name] for name in ("algorithm", "reason", "bytes")}


def _taken_back(stake: Stake, findings: Findings) -> list[Mapping[str, Any]]:
    """Return the rules that were taken back of those that decided for a call and size."""
    call, size = stake.point
    return [
        rule
        for rule in findings.taken_back
        if (rule["collective"], rule["num_ranks"]) == (call, stake.shape.num_ranks)
        and stake.shape.num_nodes in {0, rule["num_nodes"]}
        and plain_form.covers(rule, size)
    ]


def _distance(one: int, other: int) -> float:
    """Return how far sizes are apart, as rules between sizes see it."""
    return abs(math.log(max(1, one)) - math.log(max(1, other)))


def _warnings(findings: Findings) -> list[dict[str, str]]:
    """Return the cautions of the placement and of all tunings, of each kind the first."""
    placement = findings.placement
    of_placement = () if placement is None else placement.cautions
    kinds = {warning["name"]: warning for warning in to_json(of_placement)}
    for tuning in findings.tunings.values():
        for warning in tuning["warnings"]:
            kinds.setdefault(warning["name"], warning)
    return list(kinds.values())


def _in_program(stake: Stake, findings: Findings) -> dict[str, Any] | None:
    """Return times of the calls in the program, native and compared, and what runs now.

    They are those on communicators of the stake's nodes, where the comparison tells them apart.
    """
    key = (stake.call, stake.shape.num_ranks, stake.min_bytes, stake.max_bytes)
    names = ("num_ranks", "min_bytes", "max_bytes")
    rows = findings.comparisons[-1]["collectives"] if findings.comparisons else []
    for row in rows:
        if (call_of(row), *(row[name] for name in names)) == key:
            alike = [one for one in row["nodes"] if one["num_nodes"] == stake.shape.num_nodes]
            compared = (alike or [row])[0]["comparison"]
            chosen = [choice["algorithm"] for choice in row["chosen"]]
            is_kept = findings.is_kept and not _taken_back(stake, findings)
            return compared and {
                "native_seconds": row["native_seconds"],
                "espalier_seconds": row["espalier_seconds"],
                "ratio": compared["ratio"],
                "verdict": compared["verdict"],
                "algorithms": chosen if is_kept else [NATIVE],
            }
    return None


def _remaining(findings: Findings) -> list[str]:
    """Return, in words, what was not made faster, and why."""
    lines = [_not_at_stake(findings)]
    unknown = [stake for stake in findings.stakes if _is_unknown(findings, stake)]
    if share_of(unknown) >= NOTICEABLE:
        lines.append(
            f"{_percent(share_of(unknown))} is on communicators whose ranks are not known, as there"
            " are too many different ones"
        )
    large = [stake for stake in findings.stakes if is_too_large(stake) and stake not in unknown]
    if share_of(large) >= NOTICEABLE:
        lines.append(
            f"{_percent(share_of(large))} is in calls of more than 1 GiB, which are not measured:"
            f" {_names(large)}"
        )
    known = share_of(unknown) + share_of(large)
    left_out = share_of(findings.stakes) - known - share_of(findings.tuned)
    if left_out >= NOTICEABLE:
        lines.append(f"{_percent(left_out)} is in calls that are too short or too rare to tune")
    if findings.tunings:
        lines += _of_tuned(findings)
    return lines


def _not_at_stake(findings: Findings) -> str:
    left = _percent(1 - share_of(findings.stakes))
    if has_calls_at_once(findings.observation.run):
        return (
            f"{left} of the time of calls, which several threads make at once, is in calls that"
            " profiles do not choose for"
        )
    return (
        f"{left} of the time is not in collectives that profiles choose for:"
        " computation, other messages, waiting"
    )


def _of_tuned(findings: Findings) -> list[str]:
    """Return which calls that are worth tuning have no rule of their own, and why."""
    decisions = [(stake, _tuned(findings, stake)) for stake in findings.tuned]
    late = [stake for stake, tuned in decisions if not is_decided(stake, tuned)]
    native = [
        stake
        for stake, tuned in decisions
        if stake not in late and tuned is not None and tuned["algorithm"] == NATIVE
    ]
    lines = []
    if late:
        lines.append(
            f"{_percent(share_of(late))} is in calls and sizes for which the time did not suffice,"
            " so that they are native, or what was decided for a size near:"
            f" {_names(late)}; give more with --time-budget"
        )
    if native:
        lines.append(
            f"{_percent(share_of(native))} is in calls for which nothing was significantly faster"
            f" than the MPI library: {_names(native)}"
        )
    return lines


def is_decided(stake: Stake, tuned: Mapping[str, Any] | None) -> bool:
    """Return whether tuning measured a call at its own size."""
    return tuned is not None and tuned["bytes"] == stake.point[1]


def _names(stakes: Iterable[Stake]) -> str:
    return ", ".join(dict.fromkeys(_name(stake) for stake in stakes))


def _name(stake: Stake) -> str:
    manner = stake.manner
    is_told = manner.part_bytes or manner.pair_bytes or manner.in_place or manner.work
    return f"{stake.call} ({manner.text()})" if is_told else stake.call


def _is_unknown(findings: Findings, stake: Stake) -> bool:
    return not stake.communicators and stake.shape.num_ranks != findings.num_ranks


def _use(findings: Findings) -> str:
    wish = findings.wish
    words = ["espalier", "run", "--profile", str(wish.files.output), "--", *wish.command.words()]
    return shlex.join(words if wish.command.program else [*words, "PROGRAM"])


def _percent(share: float) -> str:
    return f"{100 * max(0.0, share):.2g} %"
