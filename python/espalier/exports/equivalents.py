# SPDX-License-Identifier: Apache-2.0
"""Which algorithms of an MPI library are the same as ours: tables kept as data beside this file.

The same means the same messages: as many, of the same sizes, between the same ranks or between
ranks in another order. Where the library sends a little more, or in another order, the table says
so in `difference`. Tests compare the messages with those that the libraries count.

A choice may also name an algorithm of the library itself, as `bcast/native[algorithm=binomial]`. It
is exported as that algorithm, if the table says how rules name it and when it is correct.
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier import _core

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Parameters coll_tuned_*_algorithm_chain_fanout, which decide where a choice names no fanout. Rules
# have to name it: Open MPI makes one chain of 0.
_FANOUT_OF_CHAIN = 4
_FOLDER = Path(__file__).parent
LIBRARIES = ("openmpi", "mpich", "intel")
_CONDITIONS: Mapping[str, Callable[[int], bool]] = {
    "power of two": lambda num_ranks: num_ranks & (num_ranks - 1) == 0,
}


@dataclass(frozen=True)
class Native:
    """An algorithm of a library; what else its rules need is in `row`."""

    name: str
    row: Mapping[str, Any]

    @property
    def difference(self) -> str:
        """Return what the library does differently, empty if nothing."""
        return str(self.row.get("difference", ""))


@dataclass(frozen=True)
class Equivalents:
    """The table of a library; `offers` says of a name whether the library at hand has it."""

    table: Mapping[str, Any]
    offers: Callable[[str], bool] = lambda _: True

    @property
    def library(self) -> str:
        """Return the library with the version that the names are from."""
        return f"{self.table['library']} {self.table['version']}"

    def call(self, call: str) -> Mapping[str, Any]:
        """Return what rules of a call need; nothing if the library has no rules for it."""
        found: Mapping[str, Any] = self.table["calls"].get(call, {})
        return found

    def find(self, call: str, choice: str, num_ranks: int) -> Native | str:
        """Return the same algorithm of the library, or why there is none."""
        wanted = _settled(choice)
        is_own = wanted[""].endswith("/native")
        row = self._own_row(call, wanted) if is_own else self._row(call, wanted)
        if isinstance(row, str):
            return row
        condition = row.get("ranks")
        if condition is not None and not _CONDITIONS[condition](num_ranks):
            return f"{row['name']} of {self.library} is the same for a {condition} of ranks only"
        if not self.offers(row["name"]):
            return f"the library at hand has no {row['name']}"
        numbers = self.call(call).get("numbers")
        return Native(
            row["name"], row if numbers is None else row | {"number": numbers[row["name"]]}
        )

    def _own_row(self, call: str, wanted: Mapping[str, str]) -> dict[str, Any] | str:
        """Return the row of an algorithm of the library itself."""
        facts, name = self.call(call), wanted["algorithm"]
        if name in facts.get("numbers", {}):
            fanout = wanted.get("fanout", _FANOUT_OF_CHAIN if name == "chain" else 0)
            arguments = {"fanout": int(fanout), "segment": int(wanted.get("segment", 0))}
            return {"name": name, "commutative": call in _reductions(), **arguments}
        for row in facts.get("algorithms", {}).values():
            if row["name"].endswith(f"_intra_{name}"):
                return dict(row, difference="")
        return f"it is not known how rules of {self.library} name {name}, or when it is correct"

    def _row(self, call: str, wanted: Mapping[str, str]) -> dict[str, Any] | str:
        known = self.call(call).get("algorithms")
        if known is None:
            return f"rules of {self.library} do not reach {call}"
        for name, row in known.items():
            if _settled(name) == wanted:
                return dict(row)
        if "segments" in wanted:
            return f"{self.library} cuts messages by bytes, not into a number of segments"
        return f"{self.library} has no such algorithm"


def read(library: str, offers: Callable[[str], bool] = lambda _: True) -> Equivalents:
    """Return the table of a library, one of LIBRARIES."""
    text = (_FOLDER / f"{library}.json").read_text(encoding="utf-8")
    return Equivalents(json.loads(text), offers)


@functools.cache
def _reductions() -> frozenset[str]:
    return frozenset(row["name"] for row in _core.collectives() if row["reduces"])


def _settled(choice: str) -> dict[str, str]:
    """Return algorithm and arguments of a choice, those included that it leaves at their usual."""
    algorithm, _, arguments = choice.removesuffix("]").partition("[")
    given = dict(pair.split("=", 1) for pair in _arguments(arguments))
    usual = {
        parameter["name"]: parameter["fallback"]
        for row in _core.catalog()
        if f"{row['collective']}/{row['name']}" == algorithm
        for parameter in row["parameters"]
    }
    return {"": algorithm, **usual, **given}


def _arguments(text: str) -> list[str]:
    """Return the arguments in a text; those of an argument stay with it."""
    return [one for one in re.split(r",(?![^\[]*\])", text) if one]
