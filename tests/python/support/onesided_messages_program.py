# SPDX-License-Identifier: Apache-2.0
"""Run by test_onesided.py on several ranks: active messages.

Usage: onesided_messages_program.py node|rma
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from mpi4py import MPI

from espalier.errors import ArgumentError
from espalier.onesided import Conduit, Message

if TYPE_CHECKING:
    import numpy.typing as npt

world = MPI.COMM_WORLD
SLOT = 64


class Seen:
    """What the handlers of this process have seen."""

    def __init__(self) -> None:
        self.questions: list[tuple[int, tuple[int, ...], list[int]]] = []
        self.answers: list[tuple[int, tuple[int, ...], list[int]]] = []
        self.kept: Message | None = None
        self.payloads: list[npt.NDArray[np.uint8]] = []

    def take(self, message: Message) -> None:
        """Answer in the way of the question: short, medium or long."""
        payload = message.payload.tolist()
        self.payloads.append(message.payload)
        assert message.conduit.rank == world.rank
        self.questions.append((message.source, message.arguments, payload))
        self.kept = message
        (kind,) = message.arguments
        numbers = (kind, 2**64 - 1)
        data = np.full(3, world.rank, np.uint8)
        if kind == 0:
            message.reply(1, *numbers)
        elif kind == 1:
            message.reply(1, *numbers, payload=data)
        else:
            offset = SLOT * (world.size + world.rank)
            message.reply(1, *numbers, payload=data, offset=offset)

    def hear(self, message: Message) -> None:
        """Keep an answer."""
        self.answers.append((message.source, message.arguments, message.payload.tolist()))


def check_all_kinds(conduit: Conduit, seen: Seen) -> None:
    data = np.arange(4, dtype=np.uint8) + world.rank
    for to in range(world.size):
        conduit.send(to, 0, 0)
        conduit.send(to, 0, 1, payload=data)
        conduit.send(to, 0, 2, payload=data, offset=SLOT * world.rank)
    all_of_them = 3 * world.size
    conduit.wait_until(lambda: len(seen.answers) == all_of_them)
    conduit.wait_until(lambda: len(seen.questions) == all_of_them)
    ranks = range(world.size)
    expected = [(r, (k,), [] if k == 0 else list(range(r, r + 4))) for r in ranks for k in range(3)]
    assert sorted(seen.questions) == expected
    answered = [(r, (k, 2**64 - 1), [] if k == 0 else [r] * 3) for r in ranks for k in range(3)]
    assert sorted(seen.answers) == answered
    kept = [payload.tolist() for payload in seen.payloads]
    assert kept == [payload for _, _, payload in seen.questions]
    seen.payloads.clear()  # some are part of the segment
    assert conduit.array(4, np.uint8, SLOT * world.rank).tolist() == data.tolist()
    with pytest.raises(ArgumentError, match="inside of its handler"):
        _ = seen.kept.source if seen.kept else None
    conduit.barrier()


def check_refusals(conduit: Conduit) -> None:
    data = np.zeros(conduit.max_medium_bytes + 1, np.uint8)
    for numbers, keywords, words in (
        ((1, 2, 3, 4, 5, 6), {}, "at most 5 arguments, got 6"),
        ((-1,), {}, "argument in"),
        ((), {"payload": data}, "send a long one"),
        ((), {"offset": 0}, "a payload for that place"),
        ((), {"payload": data[::2]}, "contiguous"),
        ((), {"payload": data, "offset": 2**40}, "a long message inside"),
    ):
        with pytest.raises(ArgumentError, match=words):
            conduit.send(world.rank, 0, *numbers, **keywords)
    with pytest.raises(ArgumentError, match="one of 3 handlers, got number 3"):
        conduit.send(world.rank, 3)
    with pytest.raises(ArgumentError, match="rank in"):
        conduit.send(world.size, 0)


def wait_for_ever(conduit: Conduit) -> None:
    """Let handlers run where nobody looks at what they raise but this."""
    while True:
        conduit.fence()


def check_errors_of_handlers(conduit: Conduit) -> None:
    nothing: list[bool] = []
    conduit.send(world.rank, 2)
    with pytest.raises(ZeroDivisionError):
        conduit.wait_until(lambda: False)
    conduit.send(world.rank, 2)
    with pytest.raises(ZeroDivisionError):
        wait_for_ever(conduit)
    with pytest.raises(IndexError):
        conduit.wait_until(lambda: nothing[0])
    conduit.poll()
    conduit.barrier()


def fail(message: Message) -> None:
    """Raise something."""
    raise ZeroDivisionError(message.source)


def main() -> None:
    """Check everything, and say so."""
    seen = Seen()
    handlers = [seen.take, seen.hear, fail]
    num_bytes = 2 * SLOT * world.size
    with Conduit(world, num_bytes, transport=sys.argv[1], handlers=handlers) as conduit:
        check_all_kinds(conduit, seen)
        check_refusals(conduit)
        check_errors_of_handlers(conduit)
    world.Barrier()
    if world.rank == 0:
        sys.stdout.write("ok\n")


if __name__ == "__main__":
    main()
