# SPDX-License-Identifier: Apache-2.0
"""One choice on one number of ranks: what it says of itself, and its drawings."""

from __future__ import annotations

from typing import Any

from espalier import _core, catalog, programs
from espalier.console import document
from espalier.errors import ArgumentError, UnsupportedError

_most_messages = 1_000_000
_drawings = {"holdings": _core.draw_holdings, "messages": _core.draw_messages}


def check_rank(what: str, value: int, num_ranks: int) -> None:
    """Raise ArgumentError unless 0 <= value < num_ranks."""
    if not 0 <= value < num_ranks:
        raise ArgumentError(f"{what} must be in 0 .. {num_ranks - 1}, got {value}")


def check_request(choice: str, num_ranks: int, root: int) -> None:
    """Raise unless the choice works for this many ranks and this root."""
    if num_ranks < 1:
        raise ArgumentError(f"the number of ranks must be at least 1, got {num_ranks}")
    check_rank("the root", root, num_ranks)
    if reason := _core.refuses(choice, num_ranks, root):
        raise UnsupportedError(f"{choice}: {reason}", "'espalier list' says what is valid")


def ranks_of(num_ranks: int, rank: int | None) -> list[int]:
    """Return the rank asked for, or all of them."""
    if rank is None:
        return list(range(num_ranks))
    check_rank("the rank", rank, num_ranks)
    return [rank]


def _text_of(choice: str, num_ranks: int, root: int, ranks: list[int]) -> str:
    return "\n".join(_core.program_text(choice, num_ranks, root, rank) for rank in ranks)


def check_size(choice: str, num_ranks: int, root: int) -> None:
    """Raise UnsupportedError if the programs of all ranks are more than anybody would read."""
    num_messages = num_ranks * _core.facts(choice, num_ranks, root)["messages"]
    if num_messages > _most_messages:
        raise UnsupportedError(
            f"all ranks of {choice} send up to {num_messages} messages, more than {_most_messages}",
            "take fewer ranks, or --rank for the program of one",
        )


def _drawing(choice: str, form: str, num_ranks: int, root: int, rank: int | None) -> str:
    if draw := _drawings.get(form):
        return draw(choice, num_ranks, root)
    return _text_of(choice, num_ranks, root, ranks_of(num_ranks, rank))


def describe(choice: str, num_ranks: int, root: int) -> dict[str, Any]:
    """Return what is known of a choice on so many ranks, without a drawing."""
    algorithm = next(
        entry for entry in _core.catalog() if catalog.full_name(entry) == catalog.name_of(choice)
    )
    return document(
        "espalier-show",
        1,
        algorithm=choice,
        collective=algorithm["collective"],
        num_ranks=num_ranks,
        root=root,
        summary=algorithm["summary"],
        source=algorithm["source"],
        valid=algorithm["valid"],
        facts=_core.facts(choice, num_ranks, root),
    )


def show(choice: str, form: str, num_ranks: int, root: int, rank: int | None) -> dict[str, Any]:
    """Return a choice with a drawing of it (or its program, as text) as a document."""
    text = _core.canonical(choice)
    check_request(text, num_ranks, root)
    if rank is None:
        check_size(text, num_ranks, root)
    drawing = _drawing(text, form, num_ranks, root, rank)
    return {**describe(text, num_ranks, root), "form": form, "drawing": drawing.rstrip("\n")}


def show_programs(choice: str, num_ranks: int, root: int, rank: int | None) -> dict[str, Any]:
    """Return the programs of all ranks, or of one, as a document."""
    text = _core.canonical(choice)
    check_request(text, num_ranks, root)
    if rank is None:
        check_size(text, num_ranks, root)
    return programs.generate(text, num_ranks, root, ranks_of(num_ranks, rank))
