# SPDX-License-Identifier: Apache-2.0
"""The verbs of the command line with what their help says, for pages that are made from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Verb:
    """A command: its words as one types them, its help, and its parameters with their meanings.

    `has_verbs` tells that further words have to follow.
    """

    words: tuple[str, ...]
    usage: str
    help: str
    parameters: list[tuple[str, str]]
    has_verbs: bool


def verbs_of(app: typer.Typer, name: str = "espalier") -> Iterator[Verb]:
    """Yield the command itself, and each verb followed by those below it."""
    yield from _verbs(typer.main.get_command(app), (name,))


def _verbs(command: Any, words: tuple[str, ...]) -> Iterator[Verb]:
    context = typer.Context(command, info_name=" ".join(words))
    records = [parameter.get_help_record(context) for parameter in command.params]
    below = command.list_commands(context) if hasattr(command, "list_commands") else []
    yield Verb(
        words,
        " ".join(command.collect_usage_pieces(context)),
        (command.help or "").replace("\b", ""),
        [record for record in records if record is not None],
        bool(below),
    )
    for name in below:
        yield from _verbs(command.get_command(context, name), (*words, name))
