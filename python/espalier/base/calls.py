# SPDX-License-Identifier: Apache-2.0
"""Names of the MPI functions that rules are made for: `allgather`, and `iallgather` as MPI has it.

A nonblocking call has the algorithms of the blocking one, also one of neighborhoods. No blocking
collective begins with an i.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from espalier.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PREFIX = "i"


def is_nonblocking(call: str) -> bool:
    """Return whether a call is only started, and completed by another one."""
    return call.startswith(_PREFIX)


def blocking(call: str) -> str:
    """Return the name of the call that waits: `allgather` for `iallgather` and for itself."""
    return call.removeprefix(_PREFIX)


def nonblocking(call: str) -> str:
    """Return the name of the call that is only started."""
    return _PREFIX + blocking(call)


def in_all_forms(names: Iterable[str]) -> list[str]:
    """Return blocking calls, and behind them their nonblocking forms."""
    found = list(names)
    return [*found, *map(nonblocking, found)]


def check(call: str, names: Sequence[str]) -> None:
    """Raise ArgumentError unless it is one of these blocking calls, or a nonblocking form."""
    if call not in in_all_forms(names):
        raise ArgumentError(
            f"expected a collective of {', '.join(names)}, or one of these with an i in front for"
            f" nonblocking calls, got '{call}'"
        )
