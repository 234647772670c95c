# SPDX-License-Identifier: Apache-2.0
"""Times as people write them on a command line."""

from __future__ import annotations

import re

from espalier.errors import ArgumentError

_FACTORS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)")


def parse_seconds(text: str) -> float:
    """Return the seconds of `90`, `60s`, `20us`, `2min` or `1.5h`; above 0."""
    match = _DURATION.fullmatch(text.strip().lower())
    factor = _FACTORS.get(match[2]) if match else None
    if match is None or factor is None or float(match[1]) * factor <= 0:
        raise ArgumentError(f"expected a time such as 60s, 2min or 1h, got '{text}'")
    return float(match[1]) * factor
