# SPDX-License-Identifier: Apache-2.0
"""What a profile chooses and why: decisions, and the measurements behind them."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.base import calls
from espalier.errors import ArgumentError
from espalier.io.console import document
from espalier.profiles import prediction, profiles, runs
from espalier.profiles.profiles import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from espalier.profiles.prediction import Model
    from espalier.profiles.profiles import Part, Profile


@dataclasses.dataclass(frozen=True)
class Question:
    """Which calls to explain; None stands for all that the profile speaks of."""

    call: str | None = None
    num_ranks: int | None = None
    num_nodes: int | None = None
    bytes: int | None = None

    def check(self) -> None:
        """Raise ArgumentError for what no call can be."""
        others = [
            *calls.in_all_forms(_core.neighbor_calls()),
            *map(calls.persistent, _core.calls()),
        ]
        if self.call is not None and self.call not in others:
            calls.check(self.call, _core.calls())
        if self.num_ranks is not None and self.num_ranks < 1:
            raise ArgumentError(f"the number of ranks must be at least 1, got {self.num_ranks}")
        if self.num_nodes is None:
            return
        if self.num_ranks is None:
            raise ArgumentError("expected --ranks together with --nodes, got --nodes alone")
        if not 1 <= self.num_nodes <= self.num_ranks:
            raise ArgumentError(
                f"the number of nodes must be in 1 .. {self.num_ranks}, got {self.num_nodes}"
            )


def _spoken_of(profile: Profile) -> list[str]:
    """Return the calls that rules name; those in a form without rules follow the others."""
    named = {rule["collective"] for rule in profile.rules}
    known = [
        *calls.with_persistent(_core.calls()),
        *calls.in_all_forms(_core.neighbor_calls()),
    ]
    return [call for call in known if call in named]


def _shapes(profile: Profile, call: str, question: Question) -> list[Shape]:
    known = profile.shapes(call)
    if question.num_ranks is None or not known:
        return known
    if question.num_nodes is not None:
        asked = Shape(question.num_ranks, question.num_nodes)
        return [shape for shape in known if shape.numbers == asked.numbers] or [asked]
    same = [shape for shape in known if shape.num_ranks == question.num_ranks]
    return same or [Shape(question.num_ranks, 1)]


def _decisions(profile: Profile, question: Question) -> Iterator[dict[str, Any]]:
    for call in _spoken_of(profile) if question.call is None else [question.call]:
        for shape in _shapes(profile, call, question):
            for first, last, decision in profile.decisions(call, shape):
                if question.bytes is not None and not (
                    first <= question.bytes <= (math.inf if last is None else last)
                ):
                    continue
                yield {
                    "collective": call,
                    **shape.to_json(),
                    "min_bytes": first,
                    "max_bytes": last,
                    **decision,
                }


def _nearest(evidence: list[dict[str, Any]], num_bytes: int | None) -> list[dict[str, Any]]:
    if num_bytes is None or not evidence:
        return evidence
    return [min(evidence, key=lambda entry: abs(math.log2((entry["bytes"] + 1) / (num_bytes + 1))))]


def _rows(
    rule: dict[str, Any], entry: dict[str, Any], model: Model | None
) -> Iterator[dict[str, Any]]:
    native = {"native": entry["native"]} if "native" in entry else {}
    for algorithm, times in {**native, **entry["candidates"]}.items():
        predicted = None
        known = algorithm != "native" and prediction.is_modelled(algorithm, rule["num_ranks"])
        if model is not None and known:
            predicted = model.predict_us(algorithm, rule["num_ranks"], entry["bytes"])
        yield {
            "algorithm": algorithm,
            "chosen": algorithm == rule["algorithm"],
            "median_us": times["median_us"],
            "low_us": times["low_us"],
            "high_us": times["high_us"],
            "ratio": times.get("ratio"),
            "ratio_low": times.get("ratio_low"),
            "ratio_high": times.get("ratio_high"),
            "predicted_us": predicted,
        }


def _evidence(profile: Profile, rules: list[int], question: Question) -> Iterator[dict[str, Any]]:
    models: dict[Part, Model | None] = {}
    for position in rules:
        rule = profile.rules[position]
        key = profiles.part_of(rule)
        if key not in models:
            same = [other for other in profile.rules if profiles.part_of(other) == key]
            # Of nonblocking calls the times are those of the work beside them, too.
            points = [] if calls.is_nonblocking(key[0]) else prediction.points_of(same)
            models[key] = prediction.fit(list(points))
        model = models[key]
        for entry in _nearest(rule.get("evidence", []), question.bytes):
            yield {
                "rule": position,
                "collective": rule["collective"],
                **key[1].to_json(),
                "bytes": entry["bytes"],
                "num_samples": entry.get("num_samples"),
                "model": None if model is None else model.to_json(),
                "times": list(_rows(rule, entry, model)),
            }


def explain_profile(profile: Profile, question: Question) -> dict[str, Any]:
    """Return what the profile chooses, why, and what was measured, as a document."""
    question.check()
    decisions = list(_decisions(profile, question))
    rules = [decision["rule"] for decision in decisions if decision["rule"] is not None]
    return document(
        "espalier-profile-explanation",
        1,
        profile=str(profile.path),
        **runs.told(profile.document),
        runs=list(runs.with_shapes(profile)),
        question=dataclasses.asdict(question),
        decisions=decisions,
        evidence=list(_evidence(profile, list(dict.fromkeys(rules)), question)),
    )
