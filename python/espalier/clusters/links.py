# SPDX-License-Identifier: Apache-2.0
"""What passed the links of an emulated cluster."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PORT = re.compile(r"\s*port(\d+):\s*(.*)")


@dataclass(frozen=True)
class LinkCounters:
    """What passed the interface of one host since the cluster was started."""

    received_bytes: int
    sent_bytes: int
    dropped_packets: int

    def __sub__(self, before: LinkCounters) -> LinkCounters:
        """Return what passed since."""
        return LinkCounters(
            self.received_bytes - before.received_bytes,
            self.sent_bytes - before.sent_bytes,
            self.dropped_packets - before.dropped_packets,
        )


def parse(text: str) -> list[LinkCounters]:
    """Read the ports in a /proc/net/dev of the switch: what it received, the host has sent.

    Columns: eight numbers received, eight sent; each begins with bytes, the fourth are drops.
    """
    found = {}
    for line in text.splitlines():
        if match := _PORT.fullmatch(line):
            numbers = [int(word) for word in match[2].split()]
            found[int(match[1])] = LinkCounters(numbers[8], numbers[0], numbers[3] + numbers[11])
    return [counters for _, counters in sorted(found.items())]
