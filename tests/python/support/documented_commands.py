# SPDX-License-Identifier: Apache-2.0
"""The commands that README.md and the pages of docs/ tell users to type.

A command is a line of a block of code: each line of a block that is marked `sh`, and in blocks
without a mark the lines that begin with one of our commands or with a launcher, behind settings
of variables. Lines behind `$ command` are what it prints. Lines that only set variables belong to
all later commands of the page.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from command_mentions import texts

if TYPE_CHECKING:
    from collections.abc import Iterator

_SETTING = r"\w+=(?:\"[^\"]*\"|'[^']*'|[^\s\"']*)"
_PROGRAM = r"(?:(?:~/espalier/|\.venv/)?bin/)?(?:espalier|make|cmake|python3?|mpirun|mpiexec)"
_MARKS = ("", "sh")
_COMMAND = re.compile(rf"(?:{_SETTING} +)*{_PROGRAM}(?:\.\w+)?(?= )")
_ONLY_SETTINGS = re.compile(rf"(?:export +)?{_SETTING}(?: +{_SETTING})*")
_FENCE = re.compile(r" *```(?P<mark>\w*)$")
_INDENT = "    "


@dataclass(frozen=True)
class Command:
    """A command of a page, what is set before it, and what the page says that it prints."""

    page: str
    line: str
    settings: tuple[str, ...] = ()
    output: str | None = None


@functools.cache
def pages() -> dict[str, list[Command]]:
    """Return the commands of each page that has some."""
    found = {
        one.origin: list(commands_of(one.origin, one.text))
        for one in texts()
        if one.origin == "README.md" or one.origin.startswith("docs/")
    }
    return {page: commands for page, commands in found.items() if commands}


def commands_of(page: str, text: str) -> Iterator[Command]:
    """Yield the commands in a page whose broken lines are joined, in order."""
    settings: list[str] = []
    for mark, lines in _blocks(text):
        for position, line in enumerate(lines):
            is_prompt = line.startswith("$ ")
            bare = line.removeprefix("$ ").strip()
            if _ONLY_SETTINGS.fullmatch(bare):
                settings.append(bare)
            elif is_prompt or _is_command(mark, bare):
                output = "\n".join(_shown(lines[position + 1 :])) if is_prompt else ""
                yield Command(page, bare, tuple(settings), output or None)


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield blocks that may have commands, and their marks; an indented one has no mark."""
    mark, lines, is_fenced = "", [], False
    for line in (*text.splitlines(), ""):
        fence = _FENCE.match(line)
        if fence is None and (is_fenced or line.startswith(_INDENT)):
            lines.append(line if is_fenced else line.removeprefix(_INDENT))
            continue
        if lines and mark in _MARKS:
            yield mark, lines
        lines = []
        if fence is not None:
            is_fenced, mark = not is_fenced, "" if is_fenced else fence["mark"]


def _is_command(mark: str, line: str) -> bool:
    if mark == "sh":
        return bool(line) and not line.startswith("#")
    return _COMMAND.match(line) is not None


def _shown(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if line.startswith("$ "):
            return
        yield line
