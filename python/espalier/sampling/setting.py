# SPDX-License-Identifier: Apache-2.0
"""Where ranks are."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Setting:
    """A machine (as text: short form or file), where ranks lie on it, and how many there are."""

    machine: str
    placement: str
    num_ranks: int
