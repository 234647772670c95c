# SPDX-License-Identifier: Apache-2.0
"""What a session has measured, kept as it comes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from espalier.errors import FileError
from espalier.io.console import say
from espalier.sampling.samples import Point, Problem

if TYPE_CHECKING:
    from espalier.store.database import Store


@dataclass
class Memory:
    """Where results go at once. A store that cannot be written any more is given up, loudly."""

    store: Store | None
    session: int
    problems: list[Problem] = field(default_factory=list)

    def recall(self, stage: str) -> list[Point]:
        """Return the points of a stage that an interrupted session measured."""
        return self.store.points(self.session, stage) if self.store else []

    def keep(self, stage: str, result: Point | Problem) -> None:
        """Keep a result."""
        if isinstance(result, Problem):
            self.problems.append(result)
        if self.store is None:
            return
        try:
            if isinstance(result, Point):
                self.store.add_point(self.session, stage, result)
            else:
                self.store.add_problem(self.session, stage, result)
        except FileError as error:
            self.store = None
            say(f"warning: {error}; going on without keeping measurements")
