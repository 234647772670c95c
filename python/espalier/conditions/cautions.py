# SPDX-License-Identifier: Apache-2.0
"""One thing that makes a result less sure than it looks, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Caution:
    """A sentence with numbers, and advice; `name` is one word for programs."""

    name: str
    text: str
    advice: str


def to_json(cautions: Iterable[Caution]) -> list[dict[str, str]]:
    """Return the list `warnings` of a document."""
    return [asdict(caution) for caution in cautions]
