# SPDX-License-Identifier: Apache-2.0
"""What is printed, and where: results on standard output, everything else on standard error.

Colours only add meaning; NO_COLOR, terminals without Unicode and COLUMNS are respected.
Numbers with units are in `espalier.base.units`.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table

from espalier.base import units

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import rich.progress

_WIDTH_WITHOUT_TERMINAL = 120
_SECONDS_BEFORE_BAR = 2.0
_SECONDS_BETWEEN_LINES = 10.0
# Of all work: how far what was expected counts beside what is done.
_GUESSED_SHARE = 0.05


def make_console(*, stderr: bool = False) -> Console:
    """Return a console on standard output or standard error."""
    stream = sys.stderr if stderr else sys.stdout
    width = None
    if not stream.isatty() and "COLUMNS" not in os.environ:
        width = _WIDTH_WITHOUT_TERMINAL
    return Console(stderr=stderr, width=width, highlight=False, emoji=False, markup=False)


def make_table(*columns: str, right: tuple[str, ...] = ()) -> Table:
    """Return an empty table in the house look; columns in `right` are right-aligned."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return table


def document(schema: str, version: int, /, **body: Any) -> dict[str, Any]:
    """Return the JSON form of a result; `schema` and `version` come first."""
    return {"schema": schema, "version": version, **body}


def json_text(result: Mapping[str, Any]) -> str:
    """Return a document as text."""
    return json.dumps(result, indent=2, allow_nan=False) + "\n"


def emit_json(result: Mapping[str, Any]) -> None:
    """Write a document to standard output."""
    sys.stdout.write(json_text(result))


def say(text: str) -> None:
    """Write one line for the human, on standard error."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


class Progress:
    """A bar with the time left, on standard error; see progress()."""

    def __init__(
        self,
        title: str,
        total: float,
        expected_seconds: float | None = None,
        most_seconds: float | None = None,
    ) -> None:
        """Start the clock; nothing is shown yet."""
        self._title = title
        self._total = total
        self._most_seconds = most_seconds
        # What is taken for done in the expected time, so that a slow start does not tell alone.
        self._guessed = 0.0 if expected_seconds is None else _GUESSED_SHARE * total
        self._guessed_seconds = _GUESSED_SHARE * (expected_seconds or 0.0)
        self._done = 0.0
        # Of what is done, what took no time.
        self._skipped = 0.0
        self._start = time.monotonic()
        self._paused = 0.0
        self._last_line = self._start
        self._bar: rich.progress.Progress | None = None
        self._task: rich.progress.TaskID | None = None

    def advance(self, amount: float = 1.0, note: str = "") -> None:
        """Count work as done; `note` says what is next."""
        self._done += amount
        now = time.monotonic()
        if sys.stderr.isatty():
            if self._bar is None and now - self._start > _SECONDS_BEFORE_BAR:
                self._open()
            if self._bar is not None and self._task is not None:
                self._bar.update(
                    self._task,
                    completed=self._done,
                    total=self._total,
                    note=note,
                    left=self._left(),
                )
        elif now - self._last_line > _SECONDS_BETWEEN_LINES:
            self._last_line = now
            share = f"{100 * min(1.0, self._done / (self._total or 1.0)):.0f} %"
            left = self._left()
            say(f"{self._title}: {share}, about {left} left" if left else f"{self._title}: {share}")

    def skip(self, amount: float, note: str = "") -> None:
        """Count work as done that took no time: it says nothing of how fast the rest is."""
        self._skipped += amount
        self.advance(amount, note)

    def extend(self, amount: float) -> None:
        """Take note of more work than was expected, or of less."""
        self._total = max(self._total + amount, self._done)

    def exceed(self, total: float) -> None:
        """Take note that so much is done, however long it takes."""
        self._total = total
        self._most_seconds = None

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Remove the bar while something else is done, and do not count its time."""
        self.close()
        begin = time.monotonic()
        try:
            yield
        finally:
            self._paused += time.monotonic() - begin

    def seconds_left(self) -> float | None:
        """Return the time left if each piece of work takes as long as its amount says.

        How long one amount takes is known from what is done; in the beginning it is guessed from
        the time that was expected. None if there is neither.
        """
        now = time.monotonic()
        worked = self._done - self._skipped + self._guessed
        if worked <= 0:
            return None
        passed = now - self._start - self._paused + self._guessed_seconds
        left = max(0.0, passed * (self._total - self._done) / worked)
        if self._most_seconds is not None:
            left = min(left, max(0.0, self._start + self._most_seconds - now))
        return left

    def _left(self) -> str:
        left = self.seconds_left()
        return "" if left is None else units.time_text(left)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _open(self) -> None:
        import rich.progress  # noqa: PLC0415 - slow to import

        self._bar = rich.progress.Progress(
            rich.progress.TextColumn("{task.description}"),
            rich.progress.BarColumn(),
            rich.progress.TaskProgressColumn(),
            rich.progress.TextColumn("{task.fields[left]} left  {task.fields[note]}"),
            console=make_console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self._title, total=self._total, note="", left="")
        self._bar.start()


@contextlib.contextmanager
def progress(
    title: str,
    total: float,
    expected_seconds: float | None = None,
    most_seconds: float | None = None,
) -> Iterator[Progress]:
    """Show how far work is once it takes over two seconds.

    On a terminal a bar that vanishes at the end, elsewhere a line every ten seconds.

    Args:
        title: What is done.
        total: How much of it, in any unit. Where pieces of work take different times, their
            amounts have to as well: the time left is told from them.
        expected_seconds: How long all of it takes about, if somebody can say.
        most_seconds: Work ends after this time whatever is left.
    """
    bar = Progress(title, total, expected_seconds, most_seconds)
    try:
        yield bar
    finally:
        bar.close()
