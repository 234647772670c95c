# SPDX-License-Identifier: Apache-2.0
"""What an export is made of: files, and how programs are made to use them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True)
class Made:
    """Files by where they go, what to type for a program to use them, and what to beware of."""

    files: Mapping[Path, str]
    use: tuple[str, ...]
    cautions: tuple[str, ...] = field(default=())
