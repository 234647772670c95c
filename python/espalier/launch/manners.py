# SPDX-License-Identifier: Apache-2.0
"""How calls on one communicator were made, from what each of its ranks counted."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from espalier.base.ranges import parse_ranks
from espalier.base.unevenness import pairs_text, parts_text
from espalier.base.units import time_text

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

_OF_PAIRS = ("alltoallv", "alltoallw")
# A root that has this share of the calls is the one; operators below the share are not named.
_NEARLY_ALL, _WORTH_NAMING = 0.9, 0.1

Row = dict[str, Any]


def manner_of(rows: Sequence[Row]) -> dict[str, Any]:
    """Return how calls were made that ranks counted alike; each row has the `rank` of its file.

    `roots` and `operators` are those of most calls first. A root of null stands for roots that were
    too many to be told apart. `in_place` is the share of calls that have MPI_IN_PLACE, where roots
    matter at the root. `part_bytes`, or `pair_bytes` from rank to rank, are those of one call; they
    are absent if its ranks do not say the same of it. `work` is what the program does in the mean
    between start and completion of a nonblocking call.
    """
    manners = [one for row in rows for one in row.get("manners", ())]
    count = sum(row["count"] for row in rows)
    roots = added(
        (one.get("root"), one["count"]) for one in manners if "root" in one or "others" in one
    )
    in_place = sum(one["count"] for one in manners if one.get("in_place"))
    # Only the root of a call can be in place.
    can_be = count / max(1, len({row["rank"] for row in rows})) if roots else count
    found: dict[str, Any] = {
        "roots": [{"root": root, "count": number} for root, number in roots],
        "operators": [
            {"operator": name, "count": number}
            for name, number in added(
                (one["operator"], one["count"]) for one in manners if "operator" in one
            )
        ],
        "in_place": min(1.0, in_place / can_be) if can_be else 0.0,
    }
    return found | _parts(rows) | _work(rows)


def text_of(manner: Mapping[str, Any]) -> str:
    """Return how calls were made in words: `root 0, in place`, `uneven, 3 of 15 peers`."""
    words = [_roots_text(manner.get("roots", ())), _operators_text(manner.get("operators", ()))]
    share = manner.get("in_place", 0.0)
    if share > 0:
        words.append("in place" if share >= _NEARLY_ALL else f"{100 * share:.0f} % in place")
    words += [parts_text(manner.get("part_bytes", ())), pairs_text(manner.get("pair_bytes", ()))]
    words.append(_work_text(manner.get("work")))
    return ", ".join(filter(None, words))


def main_root(roots: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the root of nearly all calls; None if several take turns."""
    count = sum(one["count"] for one in roots)
    is_main = bool(roots) and roots[0]["count"] >= _NEARLY_ALL * count
    return roots[0]["root"] if is_main else None


def added(pairs: Iterable[tuple[Any, int]]) -> list[tuple[Any, int]]:
    """Return each name with the sum of its counts, the most frequent first."""
    counts: Counter[Hashable] = Counter()
    for name, count in pairs:
        counts[name] += count
    return counts.most_common()


def _roots_text(roots: Sequence[Mapping[str, Any]]) -> str:
    if not roots:
        return ""
    if main_root(roots) is not None:
        return f"root {roots[0]['root']}"
    count = sum(one["count"] for one in roots)
    named = [one for one in roots if one["root"] is not None]
    more = "more than " if len(named) < len(roots) else ""
    text = f"{more}{len(named)} roots"
    if named:
        share = 100 * named[0]["count"] / count
        text += f", most often {named[0]['root']} ({share:.0f} %)"
    return text


def _operators_text(operators: Sequence[Mapping[str, Any]]) -> str:
    count = sum(one["count"] for one in operators)
    names = [one["operator"] for one in operators if one["count"] >= _WORTH_NAMING * count]
    *first, last = names or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _work(rows: Sequence[Row]) -> dict[str, Any]:
    completed = [row["completed"] for row in rows if "completed" in row]
    count = sum(one["count"] for one in completed)
    if not count:
        return {}
    names = {"seconds": "work_seconds", "tests": "tests"}
    return {
        "work": {key: sum(one[name] for one in completed) / count for key, name in names.items()}
    }


def _work_text(work: Mapping[str, Any] | None) -> str:
    if work is None:
        return ""
    tests = f", {work['tests']:.3g} tests" if work["tests"] >= _WORTH_NAMING else ""
    return f"beside {time_text(work['seconds'])} of work{tests}"


def _parts(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the parts of one call, if all ranks of the communicator have theirs of it."""
    ranks = parse_ranks(rows[0].get("ranks", ""))
    of_rank = {row["rank"]: row["parts"] for row in rows if "parts" in row}
    parts = [of_rank[rank] for rank in ranks if rank in of_rank]
    is_known = len(ranks) == rows[0]["num_ranks"] == len(parts) and len(ranks) > 1
    if not is_known or len({part["call"] for part in parts}) > 1:
        return {}
    sizes = [part["bytes"] for part in parts]
    if not rows[0]["function"].lower().endswith(_OF_PAIRS):
        return {"part_bytes": [size[0] for size in sizes]}
    received = [sum(column) for column in zip(*sizes, strict=True)]
    is_one_call = received == [part["received_bytes"] for part in parts]
    return {"pair_bytes": sizes} if is_one_call else {}
