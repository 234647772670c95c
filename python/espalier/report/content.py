# SPDX-License-Identifier: Apache-2.0
"""A report as content, written for the terminal, as Markdown or as HTML from one source."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.text import Text

from espalier.errors import ArgumentError, FileError
from espalier.io.console import make_console, make_table
from espalier.report.column_widths import fitted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console
    from rich.table import Table

FORMATS = (".md", ".html")
_COLUMN_GAP = 3

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.8rem; border-bottom: 1px solid #ddd; text-align: left;
  vertical-align: top; }
.right { text-align: right; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
code { background: #f3f3f3; padding: 0.1rem 0.3rem; }
"""


@dataclass
class Grid:
    """A table; columns named in `right` hold numbers.

    On a terminal too narrow for all columns those in `dispensable` go, the first one first.
    """

    columns: tuple[str, ...]
    right: tuple[str, ...] = ()
    rows: list[list[str]] = field(default_factory=list)
    dispensable: tuple[str, ...] = ()

    def without(self, column: str) -> Grid:
        """Return the table without a column."""
        place = self.columns.index(column)
        return Grid(
            tuple(name for name in self.columns if name != column),
            self.right,
            [[*row[:place], *row[place + 1 :]] for row in self.rows],
            tuple(name for name in self.dispensable if name != column),
        )

    def narrowed(self, width: int) -> Grid:
        """Return the table with as many columns as fit."""
        grid = self
        while grid.dispensable and grid.width() > width:
            grid = grid.without(grid.dispensable[0])
        return grid

    def width(self) -> int:
        """Return how wide the table is without line breaks in it."""
        widths = [max(map(len, cells)) for cells in self.cells()]
        return sum(widths) + self.gaps()

    def gaps(self) -> int:
        """Return how wide all that is between columns is."""
        return _COLUMN_GAP * (len(self.columns) - 1)

    def cells(self) -> list[tuple[str, ...]]:
        """Return the cells of each column, its name first."""
        return list(zip(self.columns, *self.rows, strict=True))


@dataclass
class Section:
    """A question that the report answers: lines, tables, notes to them, a command."""

    title: str
    lines: list[str] = field(default_factory=list)
    grids: list[Grid] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    command: str = ""


@dataclass
class Report:
    """Sections under a title."""

    title: str
    sections: list[Section]


def print_report(report: Report) -> None:
    """Write a report to standard output."""
    console = make_console()
    console.print(Text(report.title, style="bold"), soft_wrap=True)
    print_sections(console, report.sections)


def print_sections(console: Console, sections: Sequence[Section]) -> None:
    """Write sections of a report that has drawings of its own between them."""
    for section in sections:
        console.print()
        console.print(Text(section.title, style="bold underline"))
        for line in section.lines:
            _print_line(console, line)
        for grid in section.grids:
            # Not cropped: a table that is too wide even so keeps its numbers.
            console.print(_table(grid.narrowed(console.width), console.width), crop=False)
        for note in section.notes:
            _print_line(console, note)
        if section.command:
            console.print(Text(f"  {section.command}"), soft_wrap=True)


def write_report(report: Report, path: Path) -> None:
    """Write a report to a file; the name says in which form.

    Raises:
        ArgumentError: for another name than *.md or *.html.
        FileError: if it cannot be written.
    """
    check_path(path)
    text = to_html(report) if path.suffix == ".html" else to_markdown(report)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(
            f"{path}: expected a file that can be written, got '{error.strerror}'",
            "choose another with -o",
        ) from error


def check_path(path: Path) -> None:
    """Raise ArgumentError unless the name says in which form to write."""
    if path.suffix not in FORMATS:
        raise ArgumentError(f"expected a report file *.md or *.html, got '{path}'")


def to_markdown(report: Report) -> str:
    """Return a report as Markdown."""
    parts = [f"# {report.title}"]
    for section in report.sections:
        parts.append(f"## {section.title}")
        if section.lines:
            parts.append("\n".join(f"- {_markdown(line)}" for line in section.lines))
        parts += [_markdown_grid(grid) for grid in section.grids]
        parts += [_markdown(note) for note in section.notes]
        if section.command:
            parts.append(f"```sh\n{section.command}\n```")
    return "\n\n".join(parts) + "\n"


def to_html(report: Report) -> str:
    """Return a report as one HTML page that needs nothing else."""
    title = html.escape(report.title)
    parts = [f"<h1>{title}</h1>"]
    for section in report.sections:
        parts.append(f"<h2>{html.escape(section.title)}</h2>")
        if section.lines:
            items = "".join(f"<li>{html.escape(line)}</li>" for line in section.lines)
            parts.append(f"<ul>{items}</ul>")
        parts += [_html_grid(grid) for grid in section.grids]
        parts += [f"<p>{html.escape(note)}</p>" for note in section.notes]
        if section.command:
            parts.append(f"<pre><code>{html.escape(section.command)}</code></pre>")
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>'
        f"\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _print_line(console: Console, line: str) -> None:
    # Continuation lines are indented, so that each line of the report stays recognisable.
    wrapped = Text(line).wrap(console, max(20, console.width - 4))
    for i, part in enumerate(wrapped):
        console.print(Text("  " if i == 0 else "    ") + part, soft_wrap=True)


def _table(grid: Grid, width: int) -> Table:
    table = make_table(*grid.columns, right=grid.right)
    if grid.width() > width:
        is_number = [name in grid.right for name in grid.columns]
        widths = fitted(grid.cells(), is_number, width - grid.gaps())
        table.width = sum(widths) + grid.gaps()
        for column, wide in zip(table.columns, widths, strict=True):
            column.width = wide
    for row in grid.rows:
        table.add_row(*row)
    return table


def _markdown(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "|*_<>[]`\\" else letter for letter in text)


def _markdown_grid(grid: Grid) -> str:
    marks = ["--:" if column in grid.right else "---" for column in grid.columns]
    lines = [_markdown_row(grid.columns), _markdown_row(marks, is_plain=True)]
    lines += [_markdown_row(row) for row in grid.rows]
    return "\n".join(lines)


def _markdown_row(cells: Sequence[str], *, is_plain: bool = False) -> str:
    return "| " + " | ".join(cell if is_plain else _markdown(cell) for cell in cells) + " |"


def _html_grid(grid: Grid) -> str:
    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(
            f'<{tag} class="right">{html.escape(cell)}</{tag}>'
            if column in grid.right
            else f"<{tag}>{html.escape(cell)}</{tag}>"
            for column, cell in zip(grid.columns, row, strict=True)
        )

    head = f"<thead><tr>{cells('th', grid.columns)}</tr></thead>"
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in grid.rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"
