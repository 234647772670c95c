# SPDX-License-Identifier: Apache-2.0
"""Which algorithms of an MPI library are the same as ours: tables kept as data beside this file.

The same means the same messages: as many, of the same sizes, between the same ranks or between
ranks in another order. Where the library sends a little more, or in another order, the table says
so in `difference`. Tests compare the messages with those that the libraries count.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier import _core

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
        row = self._row(call, choice)
        if isinstance(row, str):
            return row
        condition = row.get("ranks")
        if condition is not None and not _CONDITIONS[condition](num_ranks):
            return f"{row['name']} of {self.library} is the same for a {condition} of ranks only"
        if not self.offers(row["name"]):
            return f"the library at hand has no {row['name']}"
        return Native(row["name"], row)

    def _row(self, call: str, choice: str) -> Mapping[str, Any] | str:
        known = self.call(call).get("algorithms")
        if known is None:
            return f"rules of {self.library} do not reach {call}"
        wanted = _settled(choice)
        for name, row in known.items():
            if _settled(name) == wanted:
                found: Mapping[str, Any] = row
                return found
        if "segments" in wanted:
            return f"{self.library} cuts messages by bytes, not into a number of segments"
        return f"{self.library} has no such algorithm"


def read(library: str, offers: Callable[[str], bool] = lambda _: True) -> Equivalents:
    """Return the table of a library, one of LIBRARIES."""
    text = (_FOLDER / f"{library}.json").read_text(encoding="utf-8")
    return Equivalents(json.loads(text), offers)


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
