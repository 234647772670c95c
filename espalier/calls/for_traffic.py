# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - a script that prints
"""Write the wrappers of the library that counts traffic, from the table sends.json.

Usage: for_traffic.py sends.json FOLDER   write wrappers.cpp and exports.map into a folder
       for_traffic.py --list              print their names
A wrapper hands the call over, and counts what it sent if it succeeded. Handles are integers of the
width of a register, as in for_shim.py. Standard library only: CMake runs it at build time.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from for_shim import declaration
from layout import listed, signature
from table import Argument, Kind, TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAMESPACE = "espalier::shim::traffic"
REQUEST = Argument("request", Kind("request", "MPI_Request*", "MPI_Request*"), "always")
TREATMENTS = ("handler", "counts", "before")
KEYS = {"functions", "arguments", "forms", "since", *TREATMENTS}


@dataclass(frozen=True)
class Sender:
    """An MPI function that is wrapped.

    `handler` does everything; `counts` is called after the call, `before` before it. `since` is the
    version of MPI that has the function.
    """

    name: str
    arguments: tuple[Argument, ...]
    handler: str = ""
    counts: str = ""
    before: str = ""
    since: int = 3

    def large(self) -> Sender:
        """Return the form with large counts."""
        arguments = tuple(
            replace(a, kind=replace(a.kind, c_type=a.kind.large_type)) for a in self.arguments
        )
        return replace(self, name=f"{self.name}_c", arguments=arguments, since=4)

    def begun(self) -> Sender:
        """Return the nonblocking form."""
        stem = self.name.removeprefix("MPI_")
        name = f"MPI_I{stem[0].lower()}{stem[1:]}"
        return replace(self, name=name, arguments=(*self.arguments, REQUEST))


def _arguments(text: str, kinds: dict[str, Kind], name: str) -> tuple[Argument, ...]:
    found = []
    for part in filter(None, text.split(", ")):
        kind, _, argument = part.partition(" ")
        if kind not in kinds:
            raise TableError(f"{name}: expected a kind ({', '.join(kinds)}), got '{kind}'")
        found.append(Argument(argument, kinds[kind], "always"))
    return tuple(found)


def _rows_of(row: dict[str, Any], kinds: dict[str, Kind]) -> Iterator[Sender]:
    for name in row["functions"]:
        if not re.fullmatch(r"MPI_[A-Z][a-z_]+", name):
            raise TableError(f"expected the name of an MPI function, got '{name}'")
        if unknown := set(row) - KEYS:
            raise TableError(f"{name}: expected {', '.join(sorted(KEYS))}, got {unknown}")
        if sum(key in row for key in TREATMENTS) != 1:
            raise TableError(f"{name}: expected one of {', '.join(TREATMENTS)}")
        does = {key: row[key] for key in (*TREATMENTS, "since") if key in row}
        yield Sender(name, _arguments(row["arguments"], kinds, name), **does)


def read(text: str) -> list[Sender]:
    """Return all functions of a table, in all their forms."""
    table = json.loads(text)
    kinds = {
        name: Kind(name, row["c"], row.get("large", row["c"]))
        for name, row in table["kinds"].items()
    }
    found: list[Sender] = []
    for row in table["rows"]:
        for sender in _rows_of(row, kinds):
            forms = [sender, sender.begun()] if row.get("forms") == "collective" else [sender]
            found += forms
            if any(a.kind.large_type != a.c_type for a in sender.arguments):
                found += [form.large() for form in forms]
    return found


def _wrapper(sender: Sender, name: str) -> list[str]:
    parameters = [declaration(argument) for argument in sender.arguments]
    names = [argument.name for argument in sender.arguments]
    lines = signature("ESPALIER_EXPORTED int", name, parameters, " {")
    if sender.handler:
        return [
            *lines,
            *listed(f"return {NAMESPACE}::{sender.handler}(", names, ");", indent=2),
            "}",
        ]
    types = [parameter.rpartition(" ")[0] for parameter in parameters]
    begin = f"static auto* const next = {NAMESPACE}::next<int("
    lines += listed(begin, types, f')>("P{sender.name}");', indent=2)
    if sender.before:
        lines += [
            f"  {NAMESPACE}::{sender.before};",
            *listed("return next(", names, ");", indent=2),
        ]
        return [*lines, "}"]
    lines += listed("int const code = next(", names, ");", indent=2)
    lines += ["  if (code == 0) {", f"    {NAMESPACE}::{sender.counts};", "  }", "  return code;"]
    return [*lines, "}"]


def wrappers(senders: list[Sender]) -> str:
    """Return wrappers.cpp: MPI_X and PMPI_X for every function."""
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "// Made by espalier/calls/for_traffic.py from espalier/calls/sends.json.",
        "",
        '#include "shim/traffic/counting.hpp"',
        '#include "shim/traffic/lifecycle.hpp"',
        '#include "shim/traffic/next.hpp"',
        "",
        '#define ESPALIER_EXPORTED __attribute__((visibility("default")))',
        "",
        "using espalier::shim::Handle;",
        "",
        'extern "C" {',
        "",
    ]
    for sender in senders:
        lines += [f"#if ESPALIER_MPI_VERSION >= {sender.since}"]
        for prefix in ("", "P"):
            lines += _wrapper(sender, prefix + sender.name)
        lines += ["#endif", ""]
    return "\n".join([*lines, '}  // extern "C"', ""])


def exports(senders: list[Sender]) -> str:
    """Return exports.map: the only symbols that the library shows."""
    names = [name for sender in senders for name in (sender.name, f"P{sender.name}")]
    return "{\n  global:\n" + "".join(f"    {name};\n" for name in names) + "  local:\n    *;\n};\n"


FILES: dict[str, Callable[[list[Sender]], str]] = {
    "wrappers.cpp": wrappers,
    "exports.map": exports,
}


def main() -> int:
    """Read the table, and write."""
    if sys.argv[1] == "--list":
        print("\n".join(FILES))
        return 0
    try:
        senders = read(Path(sys.argv[1]).read_text(encoding="utf-8"))
    except TableError as error:
        print(f"{sys.argv[1]}: {error}", file=sys.stderr)
        return 1
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text_of in FILES.items():
        (folder / name).write_text(text_of(senders), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
