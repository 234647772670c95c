# SPDX-License-Identifier: Apache-2.0
"""Pages of reference that are made from the code: the command line, and the formats of files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from command_line import Verb, verbs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import typer

_CELL = str.maketrans({"|": r"\|", "\n": " ", "<": "&lt;", "[": r"\[", "*": r"\*", "_": r"\_"})


def command_line_page(app: typer.Typer) -> str:
    """Return the page of all verbs with their arguments and options."""
    head = (
        "# Command line\n\nMade from the code of `espalier`; `espalier VERB --help` says the same."
    )
    return "\n\n".join([head, *(part for verb in verbs_of(app) for part in _section(verb))]) + "\n"


def _section(verb: Verb) -> Iterator[str]:
    """Return the parts of the section of a verb."""
    name = " ".join(verb.words)
    if len(verb.words) > 1:
        yield f"{'#' * len(verb.words)} {name}"
    yield f"```\n{name} {verb.usage}\n```"
    if verb.help:
        yield _prose(verb.help)
    rows = [_row(*parameter) for parameter in verb.parameters]
    if rows:
        yield "\n".join(["| parameter | meaning |", "|---|---|", *rows])


def _prose(text: str) -> str:
    """Return a help text in which nothing is taken for Markdown."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line.translate(_CELL) for line in lines)


def _row(names: str, meaning: str) -> str:
    written = names.replace("|", r"\|")
    return f"| `{written}` | {meaning.translate(_CELL)} |"


def formats_page(folder: Path) -> str:
    """Return the page of all schemas: what each file is, and its members."""
    head = (
        "# File formats\n\nMade from the JSON Schemas in `python/espalier/schemas`. Every file has"
        " `schema` and `version`; a reader refuses a newer version. DESIGN has examples."
    )
    schemas = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.iterdir())]
    return "\n\n".join([head, *(part for one in schemas for part in _format(one))]) + "\n"


def _format(schema: Mapping[str, Any]) -> Iterator[str]:
    _, _, name, version = schema["$id"].split(":")
    yield f"## espalier-{name}, version {version}"
    yield f"{schema['title'].translate(_CELL)}. {schema.get('description', '').translate(_CELL)}"
    if "properties" in schema:
        yield _members(schema)
    for part, one in schema.get("$defs", {}).items():
        yield f"### {part}, in espalier-{name}"
        yield _members(one) if "properties" in one else f"{_kind(one)} {_meaning(one)}".strip()


def _members(one: Mapping[str, Any]) -> str:
    required = one.get("required", [])
    rows = [
        f"| `{name}` | {_kind(part)} | {'always' if name in required else ''} | {_meaning(part)} |"
        for name, part in one["properties"].items()
    ]
    return "\n".join(["| member | is | there | meaning |", "|---|---|---|---|", *rows])


def _kind(part: Any) -> str:
    """Return in words what values a part of a schema allows."""
    if not isinstance(part, dict):
        return "anything" if part else "nothing"
    for name, words in _WORDS.items():
        if name in part:
            return words(part[name])
    return _typed(part)


def _words_of_reference(reference: str) -> str:
    return reference.removeprefix("urn:espalier:").rsplit("/", maxsplit=1)[-1]


def _words_of_values(values: Sequence[Any]) -> str:
    return ", ".join(f"`{value}`" for value in values)


def _words_of_choice(parts: Sequence[Any]) -> str:
    return " or ".join(map(_kind, parts))


_WORDS: dict[str, Callable[[Any], str]] = {
    "$ref": _words_of_reference,
    "const": lambda value: f"`{json.dumps(value)}`",
    "enum": _words_of_values,
    "oneOf": _words_of_choice,
    "anyOf": _words_of_choice,
}


def _typed(part: Mapping[str, Any]) -> str:
    kinds = part.get("type", "anything")
    text = " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
    if "items" in part:
        return f"{text} of {_kind(part['items'])}"
    if "properties" in part:
        return f"{text} with {', '.join(f'`{name}`' for name in part['properties'])}"
    if isinstance(part.get("additionalProperties"), dict):
        return f"{text} of {_kind(part['additionalProperties'])} by name"
    return text


def _meaning(part: Any) -> str:
    return part.get("description", "").translate(_CELL) if isinstance(part, dict) else ""
