# SPDX-License-Identifier: Apache-2.0
"""Rules that did not keep their promise in the program itself are taken back.

A tuned rule beat the native call in a loop of such calls. In a program, ranks come late, caches are
cold and messages of the program share the links. So each rule is judged again by the program's own
calls, of runs with it and of runs with native calls in turns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.compare.analysis import SLOWER
from espalier.improvement.stakes import call_of
from espalier.sampling.samples import NATIVE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Rule = dict[str, Any]


def slower_calls(comparison: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rows of `collectives` of a comparison in which the program lost time by rules."""
    return [
        row
        for row in comparison["collectives"]
        if row["comparison"] is not None and row["comparison"]["verdict"] == SLOWER
    ]


def without_losses(rules: Sequence[Rule], rows: Iterable[Mapping[str, Any]]) -> list[Rule]:
    """Return the rules with native calls where the program was slower.

    Args:
        rules: Those by which the program ran. Of rules for as many ranks on different numbers of
            nodes all are taken back: the program's times do not tell them apart.
        rows: What slower_calls() returned.
    """
    kept = list(rules)
    for row in rows:
        kept = [part for rule in kept for part in _cut(rule, row)]
    return kept


def all_native(rules: Iterable[Rule], reason: str) -> list[Rule]:
    """Return the rules with native calls everywhere."""
    return [_native(rule, reason) if rule["algorithm"] != NATIVE else rule for rule in rules]


def _cut(rule: Rule, row: Mapping[str, Any]) -> list[Rule]:
    """Return a rule in up to three parts: below the sizes of a row, native there, and above."""
    is_meant = (
        rule["collective"] == call_of(row)
        and rule["num_ranks"] == row["num_ranks"]
        and rule["algorithm"] != NATIVE
    )
    if not is_meant or not _overlaps(rule, row):
        return [rule]
    low = max(rule["min_bytes"], row["min_bytes"])
    high = _lesser(rule["max_bytes"], row["max_bytes"])
    parts = []
    if rule["min_bytes"] < low:
        parts.append({**rule, "max_bytes": low - 1})
    parts.append({**_native(rule, _reason(row)), "min_bytes": low, "max_bytes": high})
    if high is not None and (rule["max_bytes"] is None or high < rule["max_bytes"]):
        parts.append({**rule, "min_bytes": high + 1})
    return parts


def _overlaps(rule: Rule, row: Mapping[str, Any]) -> bool:
    last = rule["max_bytes"]
    is_above = row["max_bytes"] is not None and rule["min_bytes"] > row["max_bytes"]
    return not is_above and (last is None or row["min_bytes"] <= last)


def _lesser(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _native(rule: Rule, reason: str) -> Rule:
    return {**rule, "algorithm": NATIVE, "reason": f"{reason}; was {rule['algorithm']}"}


def _reason(row: Mapping[str, Any]) -> str:
    ratio = row["comparison"]["ratio"]
    percent = 100 * ratio["confidence"]
    return (
        f"slower in the program: native / ours {ratio['value']:.2f}"
        f" ({percent:.3g} % interval {ratio['low']:.2f} .. {ratio['high']:.2f})"
    )
