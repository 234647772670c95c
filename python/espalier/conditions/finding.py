# SPDX-License-Identifier: Apache-2.0
"""One thing that was looked at."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

Status = Literal["ok", "warning", "problem"]


@dataclasses.dataclass(frozen=True)
class Finding:
    """What was found, in one line, with advice unless all is well."""

    topic: str
    name: str
    status: Status
    text: str
    advice: str = ""
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the finding as plain data."""
        return dataclasses.asdict(self)
