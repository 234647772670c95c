# SPDX-License-Identifier: Apache-2.0
"""What a message costs its sender, its receiver, and the next message (LogGP)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_LATE = 0.9


@dataclass(frozen=True)
class LogGP:
    """Times in microseconds; None for what was not measured.

    `latency_us` is on the way, `gap_us` between the starts of two messages, `per_byte_us` of a
    long message. The overheads are those of the smallest size that was measured.
    `late_receive_us` is what a receiver took that shows no overhead, see `of_times`.
    """

    latency_us: float | None
    overhead_send_us: float | None
    overhead_receive_us: float | None
    gap_us: float | None
    per_byte_us: float | None
    late_receive_us: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the parameters as plain data, by their usual letters."""
        return {
            "L_us": self.latency_us,
            "o_s_us": self.overhead_send_us,
            "o_r_us": self.overhead_receive_us,
            "g_us": self.gap_us,
            "G_us_per_byte": self.per_byte_us,
            "late_receive_us": self.late_receive_us,
        }


def of_times(
    alpha_us: float | None,
    megabytes_per_s: float | None,
    overhead_send_us: float | None,
    overhead_receive_us: float | None,
    gap_us: float | None,
) -> LogGP:
    """Return the parameters, with L = alpha - o_s - o_r, but not below 0.

    A receiver that is as busy as a whole message takes shows no overhead: the message was not
    there yet, but began to travel when it was received.
    """
    latency = None
    late = None
    if is_late(alpha_us, overhead_receive_us):
        late, overhead_receive_us = overhead_receive_us, None
    if alpha_us is not None:
        latency = max(0.0, alpha_us - (overhead_send_us or 0.0) - (overhead_receive_us or 0.0))
    return LogGP(
        latency,
        overhead_send_us,
        overhead_receive_us,
        gap_us,
        1 / megabytes_per_s if megabytes_per_s else None,
        late,
    )


def is_late(alpha_us: float | None, overhead_receive_us: float | None) -> bool:
    """Return whether messages travel only when they are received."""
    if alpha_us is None or overhead_receive_us is None:
        return False
    return overhead_receive_us > _LATE * alpha_us


def gap_us(time_us: float, messages: int, alpha_us: float) -> float:
    """Return the time between the starts of messages, from that of all and of the short reply.

    The first message and the reply take alpha each; one message alone tells nothing.
    """
    return max(0.0, time_us - 2 * alpha_us) / max(1, messages - 1)
