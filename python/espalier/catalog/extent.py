# SPDX-License-Identifier: Apache-2.0
"""What `espalier check` proves: which choices, for how many ranks, with which roots."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.catalog import catalog
from espalier.catalog.proofs import Job, facts_of
from espalier.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from espalier._core import Algorithm
    from espalier.catalog.proofs import Proof

usual_ranks = tuple(range(1, 34))
awkward_ranks = (36, 37, 48, 61, 64, 100, 127, 128)
# More than are under way at a time in a pipeline, so that its end is reached.
_num_segments = 18
_many_ranks = 1000
# A logarithmic schedule sends no more than so many messages per doubling of the ranks.
_most_messages_per_doubling = 4
# Of a proof on many ranks (Job.weight): about ten seconds.
_most_weight = 1 << 27


@dataclasses.dataclass(frozen=True)
class Extent:
    """How much to prove of every algorithm."""

    ranks: Sequence[int] = usual_ranks
    every_root_to: float = 0  # ranks; with more the first, second, middle and last root
    segments_to: int = 0  # ranks; up to here what can be cut is proved in segments as well
    large: Sequence[int] = ()  # ranks for the first variant of logarithmic algorithms only


everything = Extent(
    ranks=(*usual_ranks, *awkward_ranks), every_root_to=9, segments_to=16, large=(1000, 4096)
)


def roots_of(algorithm: Algorithm, num_ranks: int, extent: Extent) -> list[int]:
    """Return the roots to try."""
    if not algorithm["rooted"]:
        return [0]
    if num_ranks <= extent.every_root_to:
        return list(range(num_ranks))
    return sorted({0, min(1, num_ranks - 1), num_ranks // 2, num_ranks - 1})


def _variants(names: set[str], num_ranks: int) -> Iterator[str]:
    for collective in dict.fromkeys(name.partition("/")[0] for name in sorted(names)):
        for choice in _core.variants(collective, num_ranks):
            if catalog.name_of(choice) in names:
                yield choice


def _choices(pattern: str | None, names: set[str], num_ranks: int) -> Iterator[str]:
    if pattern is None or "[" not in pattern:
        yield from _variants(names, num_ranks)
        return
    choice = _core.canonical(pattern)
    if not _core.refuses(choice, num_ranks):
        yield choice


def in_segments(choice: str, num_ranks: int) -> str | None:
    """Return the choice cut into segments; None if it is, or cannot be."""
    if "segments=" in choice:
        return None
    bracket = choice.endswith("]")
    text = f"{choice[:-1]},segments={_num_segments}]" if bracket else f"{choice}[segments=18]"
    if not catalog.algorithm_of(choice)["segmentable"] or _core.refuses(text, num_ranks):
        return None
    return text


def _is_logarithmic(choice: str, num_ranks: int) -> bool:
    most = _most_messages_per_doubling * math.ceil(math.log2(num_ranks))
    return facts_of(choice, num_ranks)["messages"] <= most


def _large_choices(names: set[str], num_ranks: int) -> Iterator[str]:
    seen = set()
    for choice in _variants(names, num_ranks):
        name = catalog.name_of(choice)
        if name not in seen:
            seen.add(name)
            if _is_logarithmic(choice, num_ranks) and (
                Job(choice, num_ranks, 0).weight() <= _most_weight
            ):
                yield choice


def plan(pattern: str | None, extent: Extent) -> list[Job]:
    """Return what to prove: every variant of what matches, or one choice with arguments.

    Raises:
        ArgumentError: if there is nothing to prove.
    """
    name = catalog.name_of(_core.canonical(pattern)) if pattern and "[" in pattern else pattern
    algorithms = {catalog.full_name(entry): entry for entry in catalog.find(name)}
    names = set(algorithms)
    wanted: list[tuple[str, int]] = []
    for num_ranks in extent.ranks:
        for choice in _choices(pattern, names, num_ranks):
            wanted.append((choice, num_ranks))
            segmented = in_segments(choice, num_ranks) if num_ranks <= extent.segments_to else None
            if segmented is not None:
                wanted.append((segmented, num_ranks))
    if pattern is None or "[" not in pattern:
        wanted += [
            (choice, num_ranks)
            for num_ranks in extent.large
            for choice in _large_choices(names, num_ranks)
        ]
    jobs = [
        Job(choice, num_ranks, root)
        for choice, num_ranks in wanted
        for root in roots_of(algorithms[catalog.name_of(choice)], num_ranks, extent)
    ]
    if not jobs:
        valid = ", ".join(sorted({entry["valid"] for entry in algorithms.values()}))
        got = ", ".join(map(str, extent.ranks[:10]))
        raise ArgumentError(
            f"expected a number of ranks that '{pattern}' accepts ({valid}), got {got}"
        )
    return jobs


def coverage(proofs: Sequence[Proof]) -> dict[str, Any]:
    """Return what was proved, as plain data."""
    proved = [proof for proof in proofs if proof["verdict"] == "proved"]
    usual = [proof for proof in proved if proof["num_ranks"] < _many_ranks]
    roots: dict[tuple[str, int], set[int]] = {}
    for proof in proved:
        if proof["algorithm"].partition("/")[0] in _rooted():
            roots.setdefault((proof["choice"], proof["num_ranks"]), set()).add(proof["root"])
    return {
        "algorithms": sorted({proof["algorithm"] for proof in proved}),
        "num_choices": len({proof["choice"] for proof in proved}),
        "num_in_segments": sum("segments=" in proof["choice"] for proof in proved),
        "num_ranks": sorted({proof["num_ranks"] for proof in usual}),
        "every_root_to": _every_root_to(roots),
        "many_ranks": [
            {
                "num_ranks": num_ranks,
                "choices": sorted(
                    {proof["choice"] for proof in proved if proof["num_ranks"] == num_ranks}
                ),
            }
            for num_ranks in sorted({proof["num_ranks"] for proof in proved})
            if num_ranks >= _many_ranks
        ],
        "equal_blocks_only": sorted(
            catalog.full_name(entry)
            for entry in _core.catalog()
            if entry["equal_blocks_only"]
            and any(proof["algorithm"] == catalog.full_name(entry) for proof in proved)
        ),
    }


def _rooted() -> set[str]:
    return {entry["name"] for entry in _core.collectives() if entry["rooted"]}


def _every_root_to(roots: dict[tuple[str, int], set[int]]) -> int | None:
    """Return up to how many ranks every root was proved; None if nothing has roots."""
    if not roots:
        return None
    partly = [ranks for (_, ranks), found in roots.items() if len(found) < ranks]
    most = max(ranks for _, ranks in roots)
    return min(partly) - 1 if partly else most
