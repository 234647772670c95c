# SPDX-License-Identifier: Apache-2.0
"""The public headers and modules in the form that the reference of C and Fortran is made from.

Hawkmoth makes the reference of C through libclang. It reads comments before what they describe, and
needs an `mpi.h`: that of the standard ABI, in which no name of an MPI library shows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A member, or one of its kind, with its comment behind it.
_MEMBER = re.compile(
    r"^(?P<indent> +)(?P<member>\S[^\n]*?[;,]) */\*\*<(?P<text>.*?)\*/", re.MULTILINE | re.DOTALL
)
# What stands between the comment of the file and the first declaration; hawkmoth would take the
# comment for one on this.
_INCLUDE = re.compile(r"^#include .*\n", re.MULTILINE)
_GUARD = re.compile(r"^#ifndef (?P<name>\w+_H)\n#define (?P=name)\n", re.MULTILINE)
_MODULE = re.compile(r"((?:^! .*\n|^!\n)+)module (\w+)", re.MULTILINE)
_GENERIC = re.compile(r"interface (\w+)\n((?: +module procedure [\w, ]+\n)+)")
_COMMENT = re.compile(r"^ *!.*\n", re.MULTILINE)


def staged_header(text: str) -> str:
    """Return a header with a guard of one line, its includes first, comments before members."""

    def turned(match: re.Match[str]) -> str:
        comment = " ".join(match["text"].split())
        return f"{match['indent']}/** {comment} */\n{match['indent']}{match['member']}"

    unguarded, num_guards = _GUARD.subn("", text)
    if num_guards:
        unguarded = unguarded.rstrip().removesuffix("#endif")
    included = "".join(_INCLUDE.findall(unguarded))
    return "#pragma once\n" + included + _MEMBER.sub(turned, _INCLUDE.sub("", unguarded))


def stage_headers(include: Path, folder: Path) -> list[str]:
    """Write all headers into a folder, and `mpi.h` beside them; return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(path.name for path in include.glob("*.h"))
    for name in names:
        text = (include / name).read_text(encoding="utf-8")
        (folder / name).write_text(staged_header(text), encoding="utf-8")
    (folder / "mpi.h").write_text("#include <mpi_abi.h>\n", encoding="utf-8")
    return names


def c_page(headers: list[str]) -> str:
    """Return the page of the C interface, a section for each header."""
    head = (
        "# C interface\n\nMade from the headers in `include`. [Grids](mpix.md) says what to include"
        " and link, [neighborhood collectives](neighborhood_collectives.md) how those are used."
    )
    sections = (f"## {name}\n\n```{{eval-rst}}\n.. c:autodoc:: {name}\n```" for name in headers)
    return "\n\n".join([head, *sections]) + "\n"


def python_page(modules: dict[str, str], shown_elsewhere: dict[str, str]) -> str:
    """Return the page of the Python interface.

    Args:
        modules: what is shown, each with its title.
        shown_elsewhere: names of a module that another one shows already.
    """
    head = "# Python interface\n\nMade from the code. Other modules may change at any time."
    sections = (
        f"## {title}\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :members:\n"
        f"   :exclude-members: {shown_elsewhere.get(name, '')}\n```"
        for name, title in modules.items()
    )
    return "\n\n".join([head, *sections]) + "\n"


def fortran_page(modules: list[Path]) -> str:
    """Return the page of the Fortran interface: each generic name with what it accepts."""
    head = (
        "# Fortran interface\n\nMade from the modules in `espalier/capi/fortran`. The"
        " [C interface](c_interface.md) says of the same names what they do and which errors they"
        " have. Arguments that are `optional` may be left out."
    )
    texts = [module.read_text(encoding="utf-8") for module in modules]
    return "\n\n".join([head, *(part for text in texts for part in _module(text))]) + "\n"


def _module(text: str) -> Iterator[str]:
    module = _MODULE.search(text)
    if module is None:
        message = "expected a comment before the module, found none"
        raise ValueError(message)
    comment = " ".join(line.removeprefix("!").strip() for line in module[1].splitlines())
    yield f"## module {module[2]}"
    yield comment.removeprefix("SPDX-License-Identifier: Apache-2.0").strip()
    for name, procedures in _GENERIC.findall(text):
        yield f"### {name}"
        for procedure in re.findall(r"\w+", procedures.replace("module procedure", "")):
            yield f"```fortran\n{_declared(text, procedure, name)}\n```"


def _declared(text: str, procedure: str, name: str) -> str:
    """Return how a procedure is called by the name of its interface, and what its arguments are."""
    match = re.search(
        rf"^  subroutine {procedure}\((?P<arguments>[^)]*)\)\n(?P<body>.*?)^  end subroutine",
        text,
        re.MULTILINE | re.DOTALL,
    )
    if match is None:
        message = f"expected subroutine {procedure} of {name}, found none"
        raise ValueError(message)
    arguments = re.sub(r"\s*&\s*", " ", match["arguments"])
    body = re.sub(r" *&\n *", " ", _COMMENT.sub("", match["body"]))
    declarations = [
        line.strip()
        for line in body.splitlines()
        if "::" in line and ("intent(" in line or "asynchronous" in line)
    ]
    return "\n".join([f"call {name}({arguments})", *(f"  {line}" for line in declarations)])
