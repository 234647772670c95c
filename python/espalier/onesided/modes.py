# SPDX-License-Identifier: Apache-2.0
"""What a collective promises about buffers, and how to choose among algorithms."""

from __future__ import annotations

import ctypes
import enum
from typing import TypedDict

from espalier.errors import ArgumentError
from espalier.onesided.functions import OnesidedOptions

_REPRODUCIBLE = 1
"""ESPALIER_REPRODUCIBLE."""
_LEARN = 2
"""ESPALIER_LEARN_IN_STARTS."""


class Sync(enum.IntEnum):
    """When a collective may begin to touch buffers (`sync_in`), and until when (`sync_out`)."""

    ALLSYNC = 0
    """In: after all members have started it. Out: until it is over on the first member, which so
    may read what others got, and write what others gave."""
    MYSYNC = 1
    """In: buffers of a member after this member has started it. Out: until it is over on this
    member. What MPI promises."""
    NOSYNC = 2
    """In: after the first member has started it, so before that all buffers have to be ready. Out:
    until it is over on the last member; a barrier or counter has to tell that."""


class Addresses(enum.IntEnum):
    """Who knows where buffers are."""

    SYMMETRIC = 0
    """In segments, at the same offset on all members. Input or output that only the root has lies
    in its segment, at any offset."""
    LOCAL = 1
    """Anywhere; nobody knows those of others."""
    SINGLE = 2
    """In segments, at any offset of each member: members tell each other where, once, when they
    plan. So planning waits for all members, which plan in the order in which they start
    collectives. Data go straight to where they belong, as with `SYMMETRIC`."""


class Modes(TypedDict, total=False):
    """Keywords of all collectives, equal on all members; what is left out is strict and chosen."""

    sync_in: Sync
    """`ALLSYNC` if it is left out."""
    sync_out: Sync
    """`ALLSYNC` if it is left out."""
    addresses: Addresses
    """`SYMMETRIC` if it is left out."""
    reproducible: bool
    """Reductions combine from the left in the order of ranks, so that the result has the same bits
    in each run, whatever was measured. False if it is left out."""
    algorithm: str
    """As `espalier list` names it: `bcast/binomial`; `bcast/native`: the collective of the MPI
    library, with no mechanism."""
    mechanism: str
    """How data move: `signaling_put` or `rendezvous` (neither with local addresses), `eager` or
    `counting_put`. Chosen if it is left out, as the algorithm."""
    learn: bool
    """Starts are also trials of other algorithms and mechanisms, until one is clearly faster; they
    lose at most 5 % of the time of starts. A start may wait until all members have made the one
    before. Not for collectives of arrays."""


def options(  # noqa: PLR0913 - the keywords of Modes
    *,
    sync_in: Sync = Sync.ALLSYNC,
    sync_out: Sync = Sync.ALLSYNC,
    addresses: Addresses = Addresses.SYMMETRIC,
    reproducible: bool = False,
    algorithm: str = "",
    mechanism: str = "",
    learn: bool = False,
) -> OnesidedOptions:
    """Return the options of C; pass the keywords of `Modes`."""
    flags = _REPRODUCIBLE if _flag(reproducible, "reproducible") else 0
    flags |= _LEARN if _flag(learn, "learn") else 0
    found = OnesidedOptions(size=ctypes.sizeof(OnesidedOptions), flags=flags)
    setattr(found, "in", _member(Sync, sync_in, "sync_in"))
    found.out = _member(Sync, sync_out, "sync_out")
    found.addresses = _member(Addresses, addresses, "addresses")
    found.algorithm = algorithm.encode() or None
    found.mechanism = mechanism.encode() or None
    return found


def _flag(value: bool, name: str) -> bool:
    if not isinstance(value, bool):
        raise ArgumentError(f"expected True or False as {name}, got {value!r}")
    return value


def _member(kind: type[enum.IntEnum], value: enum.IntEnum, name: str) -> int:
    if not isinstance(value, kind):
        members = ", ".join(f"{kind.__name__}.{member.name}" for member in kind)
        raise ArgumentError(f"expected one of {members} as {name}, got {value!r}")
    return int(value)
