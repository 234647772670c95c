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
    from collections.abc import Sequence

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


def _matching(algorithms: Sequence[Algorithm], pattern: str | None) -> list[Algorithm]:
    if pattern is None:
        return list(algorithms)
    exact = [entry for entry in algorithms if _matches(full_name(entry), pattern)]
    return exact or [entry for entry in algorithms if pattern in full_name(entry)]


def find(pattern: str | None) -> list[Algorithm]:
    """Return the algorithms whose name matches: `allgather`, `*/ring`, `allgather/bruck`.

    Those of neighborhoods are not among them.

    Raises:
        ArgumentError: if there is none.
    """
    found = _matching(_core.catalog(), pattern)
    if not found and _matching(_core.neighbor_catalog(), pattern):
        raise ArgumentError(
            f"expected algorithms of collectives of all ranks, got '{pattern}', of neighborhoods",
            "'espalier list' and 'espalier show' know these",
        )
    return _required(found, pattern)


def _required(found: list[Algorithm], pattern: str | None) -> list[Algorithm]:
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
    """Return the algorithms that match as a document, those of neighborhoods last."""
    algorithms = [*_core.catalog(), *_core.neighbor_catalog()]
    found = _required(_matching(algorithms, pattern), pattern)
    return document("espalier-list", 1, algorithms=found)
