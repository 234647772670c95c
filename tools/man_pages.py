# SPDX-License-Identifier: Apache-2.0
"""Write the man pages of the command line, made from its help and the page about variables.

Usage: man_pages.py FOLDER VERSION. Writes FOLDER/espalier.1 and a page for each verb, which has the
name espalier-VERB.1. Pages of an earlier run that no verb has any more are removed.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from command_line import Verb, verbs_of  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ENVIRONMENT = ROOT / "docs" / "reference" / "environment.md"
_ROW = re.compile(r"^\| (`ESPALIER_.*?`) \| (.*?) \| (.*?) \|$", re.MULTILINE)
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


def plain(text: str) -> str:
    """Return text that the formatter prints as it is, without the marks of Markdown."""
    text = _LINK.sub(r"\1", text).replace("`", "").replace("\\", r"\e").replace("-", r"\-")
    # A line that begins with one of these would be a request.
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def variables_for_programs(page: str) -> list[tuple[str, str]]:
    """Return name and meaning of the variables of a program, the first table of their page."""
    table = page.partition("## Of the command line")[0]
    return [
        (name, f"{value}. Default: {default}." if default else f"{value}.")
        for name, value, default in _ROW.findall(table)
    ]


def _items(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, meaning in rows:
        yield f".TP\n.B {plain(name)}\n{plain(' '.join(meaning.split()))}"


def _title(words: tuple[str, ...], version: str) -> str:
    return f'.TH "{plain("-".join(words)).upper()}" 1 "" "espalier {version}" "Espalier"'


def _prose(text: str) -> Iterator[str]:
    for paragraph in filter(None, map(str.strip, text.split("\n\n"))):
        yield f".PP\n{plain(' '.join(paragraph.split()))}"


def _synopsis(verb: Verb) -> str:
    return f".PP\n.B {plain(' '.join(verb.words))}\n{plain(verb.usage)}"


def page_of(verbs: list[Verb], version: str) -> str:
    """Return the page of a verb, the first of the list, with those below it."""
    first = verbs[0]
    summary = first.help.strip().partition("\n\n")[0].replace("\n", " ").removesuffix(".")
    parts = [_title(first.words, version), ".SH NAME"]
    parts.append(f"{plain('-'.join(first.words))} \\- {plain(summary)}")
    parts += [".SH SYNOPSIS", *(_synopsis(verb) for verb in verbs if not verb.has_verbs)]
    parts += [".SH DESCRIPTION", *_prose(first.help)]
    for verb in verbs:
        if verb is not first:
            parts += [f".SS {plain(' '.join(verb.words))}", *_prose(verb.help)]
        elif verb.parameters:
            parts.append(".SH OPTIONS")
        parts += _items(verb.parameters)
    parts += [".SH SEE ALSO", ".BR espalier (1)"]
    return "\n".join(parts) + "\n"


def page_of_command(command: Verb, verbs: list[Verb], version: str) -> str:
    """Return the page of the command: its verbs, and the variables that programs see."""
    parts = [_title(command.words, version), ".SH NAME"]
    summary = command.help.strip().removesuffix(".")
    parts.append(f"espalier \\- {plain(summary[:1].lower() + summary[1:])}")
    parts += [".SH SYNOPSIS", _synopsis(command), ".SH VERBS"]
    summaries = ((verb, verb.help.strip().partition("\n\n")[0]) for verb in verbs)
    parts += _items((f"{'-'.join(verb.words)}(1)", summary) for verb, summary in summaries)
    parts += [".SH OPTIONS", *_items(command.parameters), ".SH ENVIRONMENT"]
    parts += _items(variables_for_programs(ENVIRONMENT.read_text(encoding="utf-8")))
    return "\n".join(parts) + "\n"


def pages(version: str) -> dict[str, str]:
    """Return the text of every page by its file name."""
    from espalier.cli.app import app  # noqa: PLC0415  (needs the compiled module)

    command, *verbs = verbs_of(app)
    by_verb: dict[str, list[Verb]] = {}
    for verb in verbs:
        by_verb.setdefault(verb.words[1], []).append(verb)
    made = {f"espalier-{name}.1": page_of(below, version) for name, below in by_verb.items()}
    firsts = [below[0] for below in by_verb.values()]
    return {"espalier.1": page_of_command(command, firsts, version), **made}


def main() -> None:
    """Write the pages that the command line asks for."""
    folder, version = Path(sys.argv[1]), sys.argv[2]
    folder.mkdir(parents=True, exist_ok=True)
    made = pages(version)
    for old in folder.glob("*.1"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
