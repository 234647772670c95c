# SPDX-License-Identifier: Apache-2.0
"""Shares, as people write them."""

from __future__ import annotations

import re

from espalier.errors import ArgumentError

_SHARE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*")


def parse_share(text: str) -> float:
    """Return the share of `5%` or `0.05`."""
    match = _SHARE.fullmatch(text)
    if match is None:
        raise ArgumentError(f"expected a share such as 5% or 0.05, got '{text}'")
    return float(match[1]) / (100 if match[2] else 1)
