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

import rich.progress
from rich import box
from rich.console import Console
from rich.table import Table

from espalier.base import units

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WIDTH_WITHOUT_TERMINAL = 120
_SECONDS_BEFORE_BAR = 2.0
_SECONDS_BETWEEN_LINES = 10.0


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

    def __init__(self, title: str, total: float) -> None:
        """Start the clock; nothing is shown yet."""
        self._title = title
        self._total = total
        self._done = 0.0
        self._start = time.monotonic()
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
                self._bar.update(self._task, completed=self._done, note=note)
        elif now - self._last_line > _SECONDS_BETWEEN_LINES:
            self._last_line = now
            left = units.time_text(self.seconds_left())
            say(f"{self._title}: {100 * self._done / self._total:.0f} %, about {left} left")

    def seconds_left(self) -> float:
        """Return the time left if work goes on as fast as so far."""
        if self._done == 0:
            return 0.0
        passed = time.monotonic() - self._start
        return max(0.0, passed * (self._total - self._done) / self._done)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _open(self) -> None:
        self._bar = rich.progress.Progress(
            rich.progress.TextColumn("{task.description}"),
            rich.progress.BarColumn(),
            rich.progress.TaskProgressColumn(),
            rich.progress.TimeRemainingColumn(compact=True),
            rich.progress.TextColumn("left  {task.fields[note]}"),
            console=make_console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self._title, total=self._total, note="")
        self._bar.start()


@contextlib.contextmanager
def progress(title: str, total: float) -> Iterator[Progress]:
    """Show how far work is once it takes over two seconds.

    On a terminal a bar that vanishes at the end, elsewhere a line every ten seconds.
    """
    bar = Progress(title, total)
    try:
        yield bar
    finally:
        bar.close()
