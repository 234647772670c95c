# SPDX-License-Identifier: Apache-2.0
"""From functions to commands: verbs, and verbs that have verbs of their own."""

from __future__ import annotations

import functools
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from espalier.cli.expansion import expand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

INTERRUPTED = 128 + signal.SIGINT
_BROKEN_PIPE = 128 + signal.SIGPIPE
_HELP = ("-h", "--help")


class Ended(Exception):  # noqa: N818 - not an error
    """A verb was ended from outside; carries the exit code past typer, which has its own ideas."""

    def __init__(self, code: int) -> None:
        """Keep the exit code."""
        super().__init__(code)
        self.code = code


def command_of(verb: Callable[..., Any], path: Sequence[str], summary: str) -> Any:
    """Return the command of a function whose parameters are options, or groups of them."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name=path[-1], short_help=summary)(_carrying_out(expand(verb, path)))
    return typer.main.get_command(app)


class Family:
    """A verb that has verbs of its own.

    Args:
        usual: The one that is meant if none is named.
        formerly: Says for the words of a command in which none is named which one it was when the
            verb was not divided yet; such a command works, and a hint says how it is written now.
    """

    def __init__(
        self, usual: str | None = None, formerly: Callable[[Sequence[str]], str] | None = None
    ) -> None:
        """Begin with no verbs."""
        self.usual = usual
        self._formerly = formerly
        self._verbs: dict[str, tuple[Callable[..., Any], str]] = {}

    def add(self, verb: Callable[..., Any], name: str, summary: str) -> None:
        """Add a verb."""
        self._verbs[name] = verb, summary

    def group(self, title: str, summary: str) -> Any:
        """Return the command that has the verbs as commands."""
        usual = f". The word '{self.usual}' may be left out." if self.usual else ""
        group = typer.Typer(
            name=title,
            cls=_group_class(self, title),
            help=f"{summary}{usual}",
            add_completion=False,
            rich_markup_mode=None,
            context_settings={"help_option_names": list(_HELP)},
        )
        for name, (verb, short) in self._verbs.items():
            path = (title,) if name == self.usual else (title, name)
            group.command(name=name, short_help=short)(_carrying_out(expand(verb, path)))
        return typer.main.get_command(group)

    def completed(self, title: str, words: list[str]) -> list[str]:
        """Return the words of a command with the name of the verb in front."""
        if words[:1] and words[0] in (*self._verbs, *_HELP):
            return words
        name = self._formerly(words) if self._formerly and words else self.usual
        if name is None:
            return words
        if name != self.usual:
            # Not by io.console, which is slow to import.
            sys.stderr.write(
                f"note: this is 'espalier {title} {name}' now; without the word '{name}' it is"
                " understood in this release only\n"
            )
        return [name, *words]


def _group_class(family: Family, title: str) -> type[TyperGroup]:
    class Group(TyperGroup):
        """The verbs of a family."""

        usual = family.usual

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            """Name the verb if the words do not, then go on as usual."""
            return super().parse_args(ctx, family.completed(title, args))

    return Group


def options_before(words: Sequence[str], name: str) -> bool:
    """Return whether an option is given before the `--` that begins the user's command."""
    own = words[: words.index("--")] if "--" in words else words
    return any(word == name or word.startswith(f"{name}=") for word in own)


def _carrying_out(verb: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(verb)
    def run(**arguments: Any) -> None:
        try:
            verb(**arguments)
            sys.stdout.flush()
        except KeyboardInterrupt as error:
            raise Ended(INTERRUPTED) from error
        except BrokenPipeError as error:
            # Nobody reads on, as in `espalier list | head -3`; keep the interpreter from flushing.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise Ended(_BROKEN_PIPE) from error

    return run
