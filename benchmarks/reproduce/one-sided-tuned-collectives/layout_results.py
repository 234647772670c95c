# SPDX-License-Identifier: Apache-2.0
"""What the layouts of processes and threads say of figure 5.1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from layout_study import PART

from espalier.base.units import bytes_text

__all__ = ["PART", "fastest", "sentence"]

if TYPE_CHECKING:
    from collections.abc import Sequence

    from put_results import PutTimes


def fastest(times: PutTimes, operation: str, layouts: Sequence[str]) -> dict[int, str]:
    """Return the fastest layout by size."""
    return {
        size: min(layouts, key=lambda layout: times.us(PART, operation, size, layout))
        for size in times.sizes(PART, operation)
    }


def sentence(times: PutTimes, operation: str, layouts: Sequence[str]) -> str:
    """Say which layout is the fastest from which size on."""
    steps: list[str] = []
    before = ""
    for size, layout in fastest(times, operation, layouts).items():
        if layout != before:
            steps.append(f"{layout} from {bytes_text(size)}" if before else layout)
        before = layout
    return f"{operation}: {', '.join(steps)}"
