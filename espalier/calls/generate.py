# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - a script that prints
"""Write the MPI wrappers of the shim from a table of functions.

Usage: generate.py functions.json OUTPUT_FOLDER. Standard library only: CMake runs it at build time.

    forward.hpp, forward.cpp    pointers to the functions of the MPI library
    serve.hpp, serve.cpp        for functions with a call structure: decide and run
                                (those that make a communicator get ready to serve it)
    wrappers.cpp                MPI_X and PMPI_X
    exports.map                 the symbols that may be seen

Handles are pointers in one MPI and integers in another. All but serve.cpp takes them as integers of
the width of a register, so that what is handed over arrives unchanged in any MPI.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

HEAD = "// SPDX-License-Identifier: Apache-2.0\n// Made by espalier/calls/generate.py.\n"
SIGNIFICANT = ("always", "at root", "not in place", "not in place, at root")


class TableError(Exception):
    """The table of functions says something the generator does not understand."""


@dataclass(frozen=True)
class Argument:
    """One argument of an MPI function."""

    name: str
    c_type: str
    significant: str

    @property
    def is_handle(self) -> bool:
        """True for opaque objects of MPI."""
        return self.c_type.startswith("MPI_") and not self.is_list

    @property
    def is_list(self) -> bool:
        """True for lists of opaque objects of MPI."""
        return self.c_type.startswith("MPI_") and self.c_type.endswith("*")

    @property
    def declaration(self) -> str:
        """`int count`, `Handle comm`."""
        if self.is_list:
            return f"void const* {self.name}"
        return f"{'Handle' if self.is_handle else self.c_type} {self.name}"

    @property
    def typed(self) -> str:
        """The argument as the type of mpi.h."""
        if self.is_list:
            return f"static_cast<{self.c_type}>({self.name})"
        return f"from_handle<{self.c_type}>({self.name})" if self.is_handle else self.name


@dataclass(frozen=True)
class Function:
    """One row: a function that is caught, with its call structure, its handler, or what it makes.

    `makes` is the argument that points at a new communicator.
    """

    name: str
    call: str
    handler: str
    makes: str
    arguments: tuple[Argument, ...]

    @property
    def native(self) -> str:
        """Name inside the shim: `allgather` for MPI_Allgather."""
        return self.name.removeprefix("MPI_").lower()

    @property
    def parameters(self) -> str:
        """Parameter list of a declaration."""
        return ", ".join(argument.declaration for argument in self.arguments)

    @property
    def names(self) -> str:
        """Arguments as they are passed on."""
        return ", ".join(argument.name for argument in self.arguments)


def parse_argument(row: dict[str, str], kinds: dict[str, str], function: str) -> Argument:
    """Read one argument."""
    kind, significant = row["kind"], row["significant"]
    if kind not in kinds:
        raise TableError(f"{function}: expected a kind ({', '.join(kinds)}), got '{kind}'")
    if significant not in SIGNIFICANT:
        raise TableError(
            f"{function}: expected significant ({'; '.join(SIGNIFICANT)}), got '{significant}'"
        )
    return Argument(row["name"], kinds[kind], significant)


def parse_function(row: dict[str, object], kinds: dict[str, str]) -> Function:
    """Read one row."""
    name = str(row.get("name"))
    call, handler = str(row.get("call", "")), str(row.get("handler", ""))
    makes = str(row.get("makes", ""))
    if not re.fullmatch(r"MPI_[A-Z][a-z_]+", name):
        raise TableError(f"expected the name of an MPI function, got '{name}'")
    if sum(map(bool, (call, handler, makes))) != 1:
        raise TableError(f"{name}: expected one of 'call', 'handler' and 'makes', got more or none")
    rows = row["arguments"]
    if not isinstance(rows, list):
        raise TableError(f"{name}: expected a list of arguments, got {type(rows).__name__}")
    arguments = tuple(parse_argument(argument, kinds, name) for argument in rows)
    if call and sum(argument.c_type == "MPI_Comm" for argument in arguments) != 1:
        raise TableError(f"{name}: expected one communicator among the arguments")
    if makes and makes not in {argument.name for argument in arguments}:
        raise TableError(f"{name}: expected 'makes' to be an argument, got '{makes}'")
    return Function(name, call, handler, makes, arguments)


def forward_header(functions: list[Function]) -> str:
    """Declare the structure of pointers to the functions of the MPI library."""
    lines = [HEAD, "#pragma once", "", '#include "shim/handle.hpp"', ""]
    lines += ["namespace espalier::shim {", ""]
    lines += ["/// The MPI library's own functions, found behind this library.", "struct Forward {"]
    for function in functions:
        lines.append(f"  int (*{function.native})({function.parameters});")
    lines += ["};", "", "extern constinit Forward forward;", ""]
    lines += ["}  // namespace espalier::shim", ""]
    return "\n".join(lines)


def forward_source(functions: list[Function]) -> str:
    """Define the pointers: each starts at a function that finds all of them."""
    lines = [HEAD, '#include "forward.hpp"', "", '#include "shim/symbol.hpp"', ""]
    lines += ["namespace espalier::shim {", "namespace {", "", "void find_all() noexcept {"]
    for function in functions:
        lines.append(f'  find_symbol("P{function.name}", forward.{function.native});')
    lines += ["}", ""]
    for function in functions:
        lines.append(f"int first_{function.native}({function.parameters}) {{")
        lines.append("  find_all();")
        lines.append(f"  return forward.{function.native}({function.names});")
        lines += ["}", ""]
    lines += ["}  // namespace", "", "constinit Forward forward{"]
    lines += [f"    .{function.native} = first_{function.native}," for function in functions]
    lines += ["};", "", "}  // namespace espalier::shim", ""]
    return "\n".join(lines)


def serve_header(functions: list[Function]) -> str:
    """Declare what calls reach while a session is active."""
    lines = [HEAD, "#pragma once", "", '#include "shim/handle.hpp"', ""]
    lines += ["namespace espalier::shim {", ""]
    for function in functions:
        if function.call:
            lines.append(f"int serve_{function.native}({function.parameters});")
    lines += ["", "}  // namespace espalier::shim", ""]
    return "\n".join(lines)


def serve_source(functions: list[Function]) -> str:
    """Define them: the structure of the call, and how to make it natively."""
    lines = [HEAD, '#include "serve.hpp"', "", "#include <mpi.h>", ""]
    lines += [
        '#include "forward.hpp"',
        '#include "shim/dispatch.hpp"',
        '#include "shim/dispatch_neighbor.hpp"',
        "",
    ]
    lines += ["namespace espalier::shim {", ""]
    for function in functions:
        if not function.call:
            continue
        notes = [
            f"{a.name}: {a.significant}" for a in function.arguments if a.significant != "always"
        ]
        if notes:
            lines.append(f"// Significant only: {'; '.join(notes)}.")
        comm = next(a.typed for a in function.arguments if a.c_type == "MPI_Comm")
        lines.append(f"int serve_{function.native}({function.parameters}) {{")
        lines.append("  return dispatch(")
        lines.append(f"      plan::{function.call}{{")
        for argument in function.arguments:
            if argument.c_type != "MPI_Comm":
                lines.append(f"          .{argument.name} = {argument.typed},")
        lines += ["      },", f"      {comm},"]
        lines.append(f"      [&] {{ return forward.{function.native}({function.names}); }}")
        lines += ["  );", "}", ""]
    lines += ["}  // namespace espalier::shim", ""]
    return "\n".join(lines)


def body(function: Function) -> list[str]:
    """Statements of a wrapper."""
    scope = "espalier::shim::"
    if function.handler:
        return [f"  return {scope}{function.handler}({function.names});"]
    if function.makes:
        made = f"{scope}forward.{function.native}({function.names})"
        return [f"  return {scope}made({made}, {function.makes});"]
    return [
        f"  if ({scope}is_active()) {{",
        f"    return {scope}serve_{function.native}({function.names});",
        "  }",
        f"  return {scope}forward.{function.native}({function.names});",
    ]


def definition(function: Function, name: str) -> list[str]:
    """Return a wrapper of a name."""
    head = f'__attribute__((visibility("default"))) int {name}({function.parameters}) {{'
    return [head, *body(function), "}", ""]


def wrappers_source(functions: list[Function]) -> str:
    """Define MPI_X and PMPI_X for every row."""
    lines = [
        HEAD,
        '#include "forward.hpp"',
        '#include "serve.hpp"',
        '#include "shim/communicators.hpp"',
        '#include "shim/lifecycle.hpp"',
        '#include "shim/topology.hpp"',
    ]
    lines += ["", "using espalier::shim::Handle;", "", 'extern "C" {', ""]
    for function in functions:
        lines += definition(function, function.name)
    lines += ["// A simulated program finds the simulator's own functions by these names."]
    lines += ["#ifndef ESPALIER_MPI_SIMULATED", ""]
    for function in functions:
        lines += definition(function, f"P{function.name}")
    lines += ["#endif", "", '}  // extern "C"', ""]
    return "\n".join(lines)


def exports_map(functions: list[Function]) -> str:
    """List the only symbols the library shows."""
    names = [name for function in functions for name in (function.name, f"P{function.name}")]
    return "{\n  global:\n" + "".join(f"    {name};\n" for name in names) + "  local:\n    *;\n};\n"


def main() -> int:
    """Read the table, write the files."""
    table = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    folder = Path(sys.argv[2])
    try:
        functions = [parse_function(row, table["kinds"]) for row in table["functions"]]
    except TableError as error:
        print(f"{sys.argv[1]}: {error}", file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {
        "forward.hpp": forward_header(functions),
        "forward.cpp": forward_source(functions),
        "serve.hpp": serve_header(functions),
        "serve.cpp": serve_source(functions),
        "wrappers.cpp": wrappers_source(functions),
        "exports.map": exports_map(functions),
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
