# SPDX-License-Identifier: Apache-2.0
"""No function of the package or of the tools is too long, or takes too much."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from places import repository as root

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LINES = 60
MOST_PARAMETERS = 8


def problems(text: str) -> Iterator[str]:
    """Yield what is wrong with the functions of a file; decorators and comments above count not."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        num_lines = (node.end_lineno or node.lineno) - node.lineno + 1
        taken = node.args
        num_parameters = len([*taken.posonlyargs, *taken.args, *taken.kwonlyargs])
        num_parameters += (taken.vararg is not None) + (taken.kwarg is not None)
        if num_lines > MOST_LINES:
            yield f"{node.lineno}: {node.name} has {num_lines} lines, more than {MOST_LINES}"
        if num_parameters > MOST_PARAMETERS:
            yield (
                f"{node.lineno}: {node.name} has {num_parameters} parameters, more than"
                f" {MOST_PARAMETERS}"
            )


def test_functions_are_short_and_take_little() -> None:
    paths = [path for folder in ("python", "tools") for path in (root / folder).rglob("*.py")]
    assert len(paths) > 200
    found = [
        f"{path.relative_to(root)}:{problem}"
        for path in sorted(paths)
        for problem in problems(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def function(parameters: str, num_lines: int, kind: str = "def") -> str:
    return f"{kind} f({parameters}):\n" + "    pass\n" * (num_lines - 1)


@pytest.mark.parametrize(
    "text",
    [
        function("", 60),
        function("a, b, /, c, d, *, e, f, g, h=1", 2),
        "@decorated\n" + function("", 60),
        "class C:\n" + "".join(f"    x{i} = {i}\n" for i in range(90)),
    ],
)
def test_what_is_small_is_accepted(text: str) -> None:
    assert list(problems(text)) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (function("", 61), "1: f has 61 lines, more than 60"),
        (function("", 61, "async def"), "1: f has 61 lines, more than 60"),
        (function("a, b, /, c, d, *, e, f, g, h, i=1", 2), "1: f has 9 parameters, more than 8"),
        (function("a, b, c, d, e, f, g, *h, **i", 2), "1: f has 9 parameters, more than 8"),
        ("class C:\n    def f(self):\n" + "        pass\n" * 60, "2: f has 61 lines"),
        (
            "def g():\n    " + function("a, b, c, d, e, f, g, h, i", 1)[:-1] + " pass\n",
            "2: f has 9",
        ),
    ],
)
def test_what_is_not_is_told(text: str, problem: str) -> None:
    assert any(one.startswith(problem) for one in problems(text))
