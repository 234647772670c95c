# SPDX-License-Identifier: Apache-2.0
"""Whether the parts of a call are equal, and in which way they are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Parts take equally long if they differ by so many bytes at most, or if the largest, for which all
# wait, is not larger than the mean by more than this share.
_SAME_BYTES, _SAME_SHARE = 8, 0.05


def are_even(parts: Sequence[int]) -> bool:
    """Return whether parts are as good as equal; none may be empty unless all are."""
    if not parts or max(parts) == 0:
        return True
    is_near = max(parts) - min(parts) <= _SAME_BYTES
    is_usual = max(parts) * len(parts) <= (1 + _SAME_SHARE) * sum(parts)
    return min(parts) > 0 and (is_near or is_usual)


def are_pairs_even(pairs: Sequence[Sequence[int]]) -> bool:
    """Return the same of what each rank sends to each other one; `pairs[i][j]` is from i to j."""
    return are_even(_to_others(pairs))


def parts_text(parts: Sequence[int]) -> str:
    """Return `uneven, 12 of 16 parts`, or how large the largest part is; empty if they are even."""
    if are_even(parts):
        return ""
    number = sum(part > 0 for part in parts)
    if number < len(parts):
        return f"uneven, {number} of {len(parts)} parts"
    return f"uneven, {_largest(parts)}"


def pairs_text(pairs: Sequence[Sequence[int]]) -> str:
    """Return `uneven, 3 of 15 peers`, or how large the largest part is; empty if they are even."""
    if are_pairs_even(pairs):
        return ""
    numbers = [
        sum(part > 0 for j, part in enumerate(sent) if j != i) for i, sent in enumerate(pairs)
    ]
    least, most, all_others = min(numbers), max(numbers), len(pairs) - 1
    if least == all_others:
        return f"uneven, {_largest(_to_others(pairs))}"
    peers = f"{most}" if least == most else f"{least} to {most}"
    return f"uneven, {peers} of {all_others} peers"


def _to_others(pairs: Sequence[Sequence[int]]) -> list[int]:
    return [part for i, sent in enumerate(pairs) for j, part in enumerate(sent) if i != j]


def _largest(parts: Sequence[int]) -> str:
    return f"largest part {max(parts) * len(parts) / sum(parts):.3g} times the mean"
