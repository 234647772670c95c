# SPDX-License-Identifier: Apache-2.0
"""Finding algorithms: patterns of names, and the parts of a choice."""

from __future__ import annotations

import fnmatch
import functools
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.errors import ArgumentError
from espalier.io.console import document

if TYPE_CHECKING:
    from espalier._core import Algorithm

_ADVICE = "'espalier list' prints all algorithms"


def full_name(algorithm: Algorithm) -> str:
    """Return `collective/name`."""
    return f"{algorithm['collective']}/{algorithm['name']}"


def name_of(choice: str) -> str:
    """Return a choice without its arguments."""
    return choice.partition("[")[0]


def _matches(name: str, pattern: str) -> bool:
    if any(character in pattern for character in "*?"):
        return fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(
            name.partition("/")[2], pattern
        )
    # A name that is part of others (k_bruck, bruck) means itself.
    return pattern in name.split("/") or pattern == name


def find(pattern: str | None) -> list[Algorithm]:
    """Return the algorithms whose name matches: `allgather`, `*/ring`, `allgather/bruck`.

    Raises:
        ArgumentError: if there is none.
    """
    algorithms = _core.catalog()
    if pattern is None:
        return algorithms
    exact = [entry for entry in algorithms if _matches(full_name(entry), pattern)]
    found = exact or [entry for entry in algorithms if pattern in full_name(entry)]
    if not found:
        raise ArgumentError(
            f"expected a pattern that an algorithm matches, got '{pattern}'", _ADVICE
        )
    return found


@functools.cache
def _by_name() -> dict[str, Algorithm]:
    return {full_name(entry): entry for entry in _core.catalog()}


def algorithm_of(choice: str) -> Algorithm:
    """Return the algorithm of a choice of the catalog."""
    return _by_name()[name_of(choice)]


def listing(pattern: str | None) -> dict[str, Any]:
    """Return the algorithms that match as a document."""
    return document("espalier-list", 1, algorithms=find(pattern))
