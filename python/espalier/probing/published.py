# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of [karlsson2012], corrected where its print contradicts its own tables.

Sizes in bytes (powers of two), times in microseconds, bandwidth in 10^6 bytes/s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Sequence

SMALL_BYTES = 64 * 1024
LARGE_BYTES = 128 * 1024


def latency_us(sizes: Sequence[int], rtt_us: Sequence[float]) -> float:
    """Return alpha of `RTT = 2 alpha + 2 beta m` by least squares over small sizes."""
    return float(stats.linregress(sizes, rtt_us).intercept) / 2


def bandwidth(sizes: Sequence[int], rtt_us: Sequence[float]) -> float:
    """Return 2 / slope over large sizes: method A (printed as 2 * slope)."""
    return 2 / float(stats.linregress(sizes, rtt_us).slope)


def bandwidth_back_to_back(num_bytes: int, time_us: float, messages: int, alpha_us: float) -> float:
    """Return m / (T / M - alpha) of M messages sent back to back: method B, the preferred one."""
    return num_bytes / (time_us / messages - alpha_us)


def total_bandwidth(num_pairs: int, num_bytes: int, rtt_us: float) -> float:
    """Return what pairs that exchange messages at the same time move, both directions counted."""
    return 2 * num_pairs * num_bytes / rtt_us
