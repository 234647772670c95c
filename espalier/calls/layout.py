# SPDX-License-Identifier: Apache-2.0
"""Lines of C++ as clang-format with the configuration of this repository would write them."""

from __future__ import annotations

COLUMNS = 100
HEAD = [
    "// SPDX-License-Identifier: Apache-2.0",
    "// Made by espalier/calls/generate.py from espalier/calls/functions.json.",
    "",
]


def listed(begin: str, items: list[str], end: str, *, indent: int = 0) -> list[str]:
    """Return `begin` items `end`: in one line, with the items in one line, or one on each."""
    space = " " * indent
    line = f"{space}{begin}{', '.join(items)}{end}"
    if len(line) <= COLUMNS or not items:
        return [line]
    inner = f"{space}    {', '.join(items)}"
    if len(inner) <= COLUMNS:
        return [space + begin, inner, space + end]
    lines = [f"{space}    {item}," for item in items]
    return [space + begin, *lines[:-1], lines[-1].removesuffix(","), space + end]


def braced(items: list[str], *, indent: int = 0) -> list[str]:
    """Return `{` items `},` as an element of a list."""
    space = " " * indent
    line = f"{space}{{{', '.join(items)}}},"
    if len(line) <= COLUMNS:
        return [line]
    inner = [f"{space} {item}," for item in items]
    return [f"{space}{{{items[0]},", *inner[1:-1], f"{space} {items[-1]}}},"]


def signature(result: str, name: str, parameters: list[str], end: str) -> list[str]:
    """Return the head of a function, or a declaration if `end` is `;`."""
    joined = ", ".join(parameters)
    if len(f"{result} {name}({joined}){end}") <= COLUMNS:
        return [f"{result} {name}({joined}){end}"]
    # clang-format leaves no shorter type alone on a line.
    if len(result) > len("int") and len(f"{name}({joined}){end}") <= COLUMNS:
        return [result, f"{name}({joined}){end}"]
    return listed(f"{result} {name}(", parameters, f"){end}")


def header(includes: list[str], namespace: str, body: list[str]) -> str:
    """Return the text of a header."""
    return _file(["#pragma once", "", *includes], namespace, body)


def source(includes: list[str], namespace: str, body: list[str]) -> str:
    """Return the text of a source file."""
    return _file(includes, namespace, body)


def _file(begin: list[str], namespace: str, body: list[str]) -> str:
    lines = [*HEAD, *begin, "", f"namespace {namespace} {{", "", *body]
    lines += [""] if lines[-1] else []
    return "\n".join([*lines, f"}}  // namespace {namespace}", ""])
