# SPDX-License-Identifier: Apache-2.0
"""One choice on one number of ranks: what it says of itself, and its drawings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.catalog import catalog, crossings, programs
from espalier.errors import ArgumentError, UnsupportedError
from espalier.io.console import document

if TYPE_CHECKING:
    from espalier.catalog.crossings import Machine

_most_messages = 1_000_000
_drawings = {
    "holdings": _core.draw_holdings,
    "sent": _core.draw_sent,
    "messages": _core.draw_messages,
}


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


def costs(choice: str, num_ranks: int, root: int, *, count: bool) -> dict[str, Any]:
    """Return the work of the schedule, as the algorithm says and as counted."""
    return {
        "closed_form": _core.closed_form(choice, num_ranks, root),
        "counted": _core.count(choice, num_ranks, root) if count else None,
    }


def describe(choice: str, num_ranks: int, root: int) -> dict[str, Any]:
    """Return what is known of a choice on so many ranks, without costs and a drawing."""
    algorithm = catalog.algorithm_of(choice)
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
        order=_core.order(choice, num_ranks, root) if algorithm["orders"] else None,
        facts=_core.facts(choice, num_ranks, root),
    )


@dataclass(frozen=True)
class Schedule:
    """A choice on a number of ranks, perhaps of a machine."""

    choice: str
    num_ranks: int
    root: int
    machine: Machine | None = None

    def usual_form(self) -> str:
        """Return the drawing that says most: what ranks hold, else what they send."""
        return "holdings" if self.choice.partition("/")[0] in {"allgather", "bcast"} else "sent"

    def show(self, form: str, rank: int | None) -> dict[str, Any]:
        """Return it with costs and a drawing (or its program, as text) as a document."""
        text, num_ranks, root = self._checked(rank)
        drawing = _drawing(text, form, num_ranks, root, rank)
        return {
            **describe(text, num_ranks, root),
            "costs": costs(text, num_ranks, root, count=rank is None),
            "crossing": self._crossing(text),
            "form": form,
            "drawing": drawing.rstrip("\n"),
        }

    def picture(self) -> dict[str, Any]:
        """Return what a picture shows: messages, and where the ranks lie."""
        text, num_ranks, root = self._checked(None)
        return {
            "algorithm": text,
            "num_ranks": num_ranks,
            "sent": _core.sent(text, num_ranks, root),
            "place": self.machine.place(num_ranks) if self.machine else None,
            "crossing": self._crossing(text),
        }

    def programs(self, rank: int | None) -> dict[str, Any]:
        """Return the programs of all ranks, or of one, as a document."""
        text, num_ranks, root = self._checked(rank)
        return programs.generate(text, num_ranks, root, ranks_of(num_ranks, rank))

    def _checked(self, rank: int | None) -> tuple[str, int, int]:
        """Return the canonical text of a choice that works and is not too large to be shown."""
        text = _core.canonical(self.choice)
        check_request(text, self.num_ranks, self.root)
        if rank is None:
            check_size(text, self.num_ranks, self.root)
        return text, self.num_ranks, self.root

    def _crossing(self, text: str) -> dict[str, Any] | None:
        if self.machine is None:
            return None
        return crossings.crossing(text, self.num_ranks, self.root, self.machine)
