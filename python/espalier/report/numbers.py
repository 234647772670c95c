# SPDX-License-Identifier: Apache-2.0
"""Amounts that cross the nodes of a machine, as people write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def amount_text(amount: Mapping[str, Any]) -> str:
    """Return what crosses in a few words: `4096 B in 2 messages`; in blocks without a size."""
    many = "" if amount["messages"] == 1 else "s"
    if amount["bytes"] is not None:
        return f"{exact_text(amount['bytes'])} B in {amount['messages']} message{many}"
    blocks = f"{amount['blocks']} block{'' if amount['blocks'] == 1 else 's'}"
    return f"{blocks} in {amount['messages']} message{many}"


def exact_text(number: float) -> str:
    """Return a number of bytes; parts of a byte come from vectors that cannot be cut evenly."""
    return f"{number}" if isinstance(number, int) else f"{number:.1f}"
