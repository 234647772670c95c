# SPDX-License-Identifier: Apache-2.0
"""Names of the MPI functions that rules are made for, as MPI has them.

There are blocking calls (`allgather`), nonblocking ones (`iallgather`), and those that make a
persistent request (`allgather_init`). All forms have the algorithms of the blocking one; those of
neighborhoods have no names for persistent requests. No blocking collective begins with an i.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from espalier.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PREFIX = "i"
_SUFFIX = "_init"


def is_persistent(call: str) -> bool:
    """Return whether a call makes a request that starts it any number of times."""
    return call.endswith(_SUFFIX)


def is_nonblocking(call: str) -> bool:
    """Return whether a call is only started, and completed by another one."""
    return call.startswith(_PREFIX)


def blocking(call: str) -> str:
    """Return the name of the call that waits: `allgather` for all forms of it."""
    return call.removesuffix(_SUFFIX).removeprefix(_PREFIX)


def nonblocking(call: str) -> str:
    """Return the name of the call that is only started."""
    return _PREFIX + blocking(call)


def persistent(call: str) -> str:
    """Return the name of the call that makes a persistent request."""
    return blocking(call) + _SUFFIX


def followed(call: str) -> tuple[str, ...]:
    """Return the calls whose rules a call follows; earlier ones come first."""
    if is_persistent(call):
        return call, nonblocking(call), blocking(call)
    return (call, blocking(call)) if is_nonblocking(call) else (call,)


def in_all_forms(names: Iterable[str]) -> list[str]:
    """Return blocking calls, and behind them their nonblocking forms."""
    found = list(names)
    return [*found, *map(nonblocking, found)]


def with_persistent(names: Iterable[str]) -> list[str]:
    """Return blocking calls, and behind them their nonblocking and their persistent forms."""
    found = list(names)
    return [*in_all_forms(found), *map(persistent, found)]


def check(call: str, names: Sequence[str]) -> None:
    """Raise ArgumentError unless it is one of these blocking calls, or a nonblocking form."""
    if call not in in_all_forms(names):
        raise ArgumentError(
            f"expected a collective of {', '.join(names)}, or one of these with an i in front for"
            f" nonblocking calls, got '{call}'"
        )
