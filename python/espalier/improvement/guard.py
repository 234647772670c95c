# SPDX-License-Identifier: Apache-2.0
"""Rules that did not keep their promise in the program itself are taken back.

A tuned rule beat the native call in a loop of such calls. In a program, ranks come late, caches are
cold and messages of the program share the links. So each rule is judged again by the program's own
calls, of runs with it and of runs with native calls in turns: rules go by which calls are slower.
Where the program as a whole is not faster, only rules stay by which calls are; none stays if the
whole run is slower then. If that may be chance, since calls save what whole runs are too uneven to
show, these are compared more often before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.compare.analysis import FASTER, SLOWER, TOO_FEW, UNDECIDED
from espalier.improvement.stakes import call_of, is_tuned
from espalier.sampling.samples import NATIVE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Rule = dict[str, Any]

# Of the program's time: what calls save, or take.
NOTICEABLE = 0.01


@dataclass(frozen=True)
class Judged:
    """Calls of the program as a comparison judges them.

    `num_nodes` is 0 if they were made on communicators of any nodes; `ratio` is native / ours with
    its interval. Calls whose size not every rank knows are of all sizes, as their rules are.
    """

    call: str
    num_ranks: int
    num_nodes: int
    min_bytes: int
    max_bytes: int | None
    ratio: Mapping[str, Any]
    verdict: str


def judged(comparison: Mapping[str, Any]) -> list[Judged]:
    """Return what a comparison says of calls that are tuned.

    Where the nodes of communicators are known, those on different numbers of nodes are told apart.
    """
    found = []
    for row in comparison["collectives"]:
        call = call_of(row)
        if not is_tuned(call):
            continue
        is_known = _core.has_known_size(call)
        low, high = (row["min_bytes"], row["max_bytes"]) if is_known else (0, None)
        for part in row["nodes"] or [{**row, "num_nodes": 0}]:
            compared = part["comparison"]
            if compared is not None:
                shape = (call, row["num_ranks"], part["num_nodes"])
                found.append(Judged(*shape, low, high, compared["ratio"], compared["verdict"]))
    return found


def kept(rules: Sequence[Rule], comparison: Mapping[str, Any]) -> list[Rule]:
    """Return the rules by which the program ran, with native calls where they do not stay."""
    calls = judged(comparison)
    stay = without(rules, [one for one in calls if one.verdict == SLOWER], "slower")
    if comparison["wall"]["verdict"] in {FASTER, TOO_FEW}:
        return stay
    gains = [one for one in calls if one.verdict == FASTER]
    stay = [rule if _has_part(rule, gains) else _unproved(rule, calls) for rule in stay]
    return without(stay, [one for one in calls if one.verdict == UNDECIDED], "not faster")


def without(rules: Sequence[Rule], calls: Iterable[Judged], what: str) -> list[Rule]:
    """Return the rules with native calls in place of these, since they are `what`."""
    parts = list(rules)
    for one in calls:
        parts = [part for rule in parts for part in _cut(rule, one, what)]
    return parts


def share_of(rules: Iterable[Rule], comparison: Mapping[str, Any]) -> float:
    """Return which share of the program's time calls take for which one of these rules decides.

    It is the larger one of native and compared runs, so that nothing which was lost seems small.
    """
    program = comparison["program"]["before_seconds"]["value"]
    decided = list(rules)
    seconds = sum(
        max(row["native_seconds"], row["espalier_seconds"])
        for row in comparison["collectives"]
        if any(_is_about(rule, row) for rule in decided)
    )
    return float(seconds / program) if program > 0 else 1.0


def saved_share(comparison: Mapping[str, Any]) -> float:
    """Return which share of the program's time calls save that are significantly faster."""
    program = comparison["program"]["before_seconds"]["value"]
    saved = sum(
        row["native_seconds"] * (1 - 1 / row["comparison"]["ratio"]["low"])
        for row in comparison["collectives"]
        if row["comparison"] is not None and row["comparison"]["verdict"] == FASTER
    )
    return float(saved / program) if program > 0 else 0.0


def may_be_chance(comparison: Mapping[str, Any]) -> bool:
    """Return whether whole runs seem slower, and may be faster by as much as their calls are."""
    wall, saved = comparison["wall"], saved_share(comparison)
    is_possible = wall["ratio"]["high"] >= 1 / (1 - saved)
    return saved >= NOTICEABLE and wall["verdict"] == UNDECIDED and is_slower(wall) and is_possible


def is_slower(wall: Mapping[str, Any]) -> bool:
    """Return whether whole runs took longer with the rules; too few runs do not tell."""
    return wall["verdict"] != TOO_FEW and float(wall["ratio"]["value"]) < 1.0


def all_native(rules: Iterable[Rule], reason: str) -> list[Rule]:
    """Return the rules with native calls everywhere."""
    return [_native(rule, reason) if rule["algorithm"] != NATIVE else rule for rule in rules]


def _cut(rule: Rule, calls: Judged, what: str) -> list[Rule]:
    """Return a rule in up to three parts: below the sizes of calls, native there, and above."""
    if not _is_meant(rule, calls):
        return [rule]
    low = max(rule["min_bytes"], calls.min_bytes)
    high = _lesser(rule["max_bytes"], calls.max_bytes)
    parts = []
    if rule["min_bytes"] < low:
        parts.append({**rule, "max_bytes": low - 1})
    parts.append({**_native(rule, _reason(calls, what)), "min_bytes": low, "max_bytes": high})
    if high is not None and (rule["max_bytes"] is None or high < rule["max_bytes"]):
        parts.append({**rule, "min_bytes": high + 1})
    return parts


def _has_part(rule: Rule, calls: Iterable[Judged]) -> bool:
    return rule["algorithm"] == NATIVE or any(_is_meant(rule, one) for one in calls)


def _unproved(rule: Rule, calls: Iterable[Judged]) -> Rule:
    """Return native calls in place of a rule by which no calls gained."""
    meant = [one for one in calls if _is_meant(rule, one)]
    return _native(rule, _reason(meant[0], "not faster") if meant else "not called by the program")


def _is_meant(rule: Rule, calls: Judged) -> bool:
    """Return whether calls may have run by a rule."""
    has_shape = rule["collective"] == calls.call and rule["num_ranks"] == calls.num_ranks
    has_nodes = calls.num_nodes in {0, rule["num_nodes"]}
    is_near = _overlaps(rule, calls.min_bytes, calls.max_bytes)
    return has_shape and has_nodes and is_near and rule["algorithm"] != NATIVE


def _is_about(rule: Rule, row: Mapping[str, Any]) -> bool:
    """Return whether a rule may decide for calls of a comparison, on communicators of any nodes."""
    call = call_of(row)
    high = row["max_bytes"] if _core.has_known_size(call) else None
    has_shape = (rule["collective"], rule["num_ranks"]) == (call, row["num_ranks"])
    return has_shape and _overlaps(rule, row["min_bytes"], high)


def _overlaps(rule: Rule, low: int, high: int | None) -> bool:
    """Return whether a rule decides for any of the sizes from `low` to `high`."""
    is_above = high is not None and rule["min_bytes"] > high
    is_below = rule["max_bytes"] is not None and rule["max_bytes"] < low
    return not is_above and not is_below


def _lesser(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _native(rule: Rule, reason: str) -> Rule:
    return {**rule, "algorithm": NATIVE, "reason": f"{reason}; was {rule['algorithm']}"}


def _reason(calls: Judged, what: str) -> str:
    ratio = calls.ratio
    percent = 100 * ratio["confidence"]
    return (
        f"{what} in the program: native / ours {ratio['value']:.2f}"
        f" ({percent:.3g} % interval {ratio['low']:.2f} .. {ratio['high']:.2f})"
    )
