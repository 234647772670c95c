# SPDX-License-Identifier: Apache-2.0
"""What one-sided collectives of teams can be told: modes, addresses, mechanisms, algorithms.

Which there are, what goes together and which schedules can be one-sided says the compiled module.
What this file knows beside it is a line about each of them, and which collectives have no call in
the C interface (`NO_CALLS`), to whose header a test holds it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.catalog import catalog
from espalier.errors import ArgumentError
from espalier.io.console import document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from espalier._core import Algorithm, OneSidedForm

# Variants depend on the number of ranks. Among so many every algorithm has some.
NUM_RANKS = 16

# Collectives of the catalog that teams have no call for.
NO_CALLS = ("reduce_scatter", "scan", "exscan")

_BEGINS = {
    "NOSYNC": "after the first has started",
    "MYSYNC": "after its owner has started",
    "ALLSYNC": "after all have started",
}
_ENDS = {
    "NOSYNC": "until the last is through",
    "MYSYNC": "until its owner is through",
    "ALLSYNC": "until the first is through",
}
# The names in C, and what each says.
_ADDRESSES = {
    "single": {
        "ESPALIER_ADDRESSES_SYMMETRIC": "in segments, at the same offset on all members: every"
        " member knows the addresses of all",
        "ESPALIER_ADDRESSES_SINGLE": "in segments, at any offset: members tell each other their"
        " addresses when they plan",
    },
    "local": {
        "ESPALIER_ADDRESSES_LOCAL": "anywhere: every member knows its own addresses alone",
    },
}
_MECHANISMS = {
    "signaling_put": "puts where the receiver wants them, each with a counter",
    "eager": "puts into scratch memory of the receiver, which copies",
    "rendezvous": "the receiver gets what the sender says is ready",
    "counting_put": "puts; those awaited together share a counter",
}


def _mode(name: str) -> dict[str, str]:
    """Return a mode such as `IN_MYSYNC|OUT_ALLSYNC` with its names in C and what it permits."""
    begin, end = (word.partition("_")[2] for word in name.split("|"))
    return {
        "name": name,
        "in": f"ESPALIER_{begin}",
        "out": f"ESPALIER_{end}",
        "touches": f"{_BEGINS[begin]}, {_ENDS[end]}",
    }


def _address_modes(name: str) -> list[dict[str, str]]:
    """Return an address mode in each spelling that it has in C."""
    return [
        {"name": name, "addresses": spelling, "buffers": buffers}
        for spelling, buffers in _ADDRESSES[name].items()
    ]


def _forms_of(mechanism: str, forms: Iterable[OneSidedForm]) -> list[dict[str, str]]:
    return [
        {"mode": form["mode"], "addresses": form["addresses"], "refusal": form["refusal"]}
        for form in forms
        if form["mechanism"] == mechanism
    ]


def _candidates(algorithms: list[Algorithm]) -> list[str]:
    """Return the variants of these algorithms that can be one-sided programs."""
    wanted = {catalog.full_name(entry) for entry in algorithms}
    collectives = dict.fromkeys(entry["collective"] for entry in algorithms)
    return [
        choice
        for collective in collectives
        for choice in _core.one_sided_choices(collective, NUM_RANKS)
        if catalog.name_of(choice) in wanted
    ]


def _found(pattern: str) -> dict[str, Any]:
    """Return the algorithms that match and can be forced in calls of teams, and their variants.

    Raises:
        ArgumentError: if there is none.
    """
    matching = catalog.find(pattern)
    candidates = _candidates([entry for entry in matching if entry["collective"] not in NO_CALLS])
    names = {catalog.name_of(choice) for choice in candidates}
    algorithms = [entry for entry in matching if catalog.full_name(entry) in names]
    if not algorithms:
        calls = [row["name"] for row in _core.collectives() if row["name"] not in NO_CALLS]
        raise ArgumentError(
            f"expected an algorithm of a collective that teams have, got '{pattern}'",
            f"they have {', '.join(calls)}",
        )
    return {"algorithms": algorithms, "num_ranks": NUM_RANKS, "candidates": candidates}


def listing(pattern: str | None = None) -> dict[str, Any]:
    """Return what options of a team's collective may be, as a document.

    With a pattern it has the algorithms, too, and their variants among `num_ranks` ranks.

    Raises:
        ArgumentError: no algorithm that matches serves collectives of teams.
    """
    forms = _core.one_sided_forms()
    mechanisms = dict.fromkeys(form["mechanism"] for form in forms)
    return document(
        "espalier-one-sided-list",
        1,
        modes=[_mode(name) for name in dict.fromkeys(form["mode"] for form in forms)],
        address_modes=[
            row
            for name in dict.fromkeys(form["addresses"] for form in forms)
            for row in _address_modes(name)
        ],
        mechanisms=[
            {"name": name, "moves": _MECHANISMS[name], "forms": _forms_of(name, forms)}
            for name in mechanisms
        ],
        **({} if pattern is None else _found(pattern)),
    )
