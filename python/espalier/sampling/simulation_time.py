# SPDX-License-Identifier: Apache-2.0
"""About how long the simulator takes for a point: only to tell the time left.

What costs is messages, and how many of them share lines at the same time. Small results travel in
logarithmic algorithms; of large ones the linear algorithms send pieces between all ranks, and where
all of these are under way at once, each that begins or ends changes the share of the others. The
numbers fit what 32 and 128 ranks of a machine of 16 x 8 cores took within a factor of 5 or so,
where points differ by a thousand; what is done says how fast the machine at hand is.
"""

from __future__ import annotations

from espalier import _core

# Starting, checking the result, synchronising.
_SECONDS_PER_POINT = 0.02
# A call that is not timed, and one that is.
_CALLS = 2
_SECONDS_PER_SMALL_MESSAGE = 10e-6
_SECONDS_PER_LARGE_MESSAGE = 25e-6
# For each rank whose messages are under way at the same time.
_SECONDS_PER_CROWDED_MESSAGE = {"alltoall": 4e-6, "exscan": 17e-6, "scan": 17e-6}
_LARGE_BYTES = 32 * 1024
_LOGARITHMIC = ("barrier", "gather", "scatter")


def usual_seconds(call: str, num_bytes: int, num_ranks: int) -> float:
    """Return about how long one candidate, or the native call, takes at one size."""
    kind = _core.collective_of(call)
    logarithmic = num_ranks * num_ranks.bit_length()
    if num_bytes < _LARGE_BYTES:
        seconds = logarithmic * _SECONDS_PER_SMALL_MESSAGE
    elif kind in _LOGARITHMIC:
        seconds = logarithmic * _SECONDS_PER_LARGE_MESSAGE
    elif kind in _SECONDS_PER_CROWDED_MESSAGE:
        seconds = num_ranks**3 * _SECONDS_PER_CROWDED_MESSAGE[kind]
    else:
        seconds = num_ranks**2 * _SECONDS_PER_LARGE_MESSAGE
    return _SECONDS_PER_POINT + _CALLS * seconds
