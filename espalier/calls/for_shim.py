# SPDX-License-Identifier: Apache-2.0
"""Files of shim: wrappers of MPI functions, and what they reach.

Handles are pointers in one MPI and integers in another. All but serve.cpp takes them as integers of
the width of a register, so that what is handed over arrives unchanged in any MPI.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from layout import COLUMNS, HEAD, header, listed, signature, source
from table import begun

if TYPE_CHECKING:
    from table import Argument, Function

NAMESPACE = "espalier::shim"


def _intercepted(functions: list[Function]) -> list[Function]:
    """Return the rows and the nonblocking forms of those that rules speak of."""
    return [*functions, *(begun(function) for function in functions if function.collective)]


def declaration(argument: Argument) -> str:
    """Return `int count`, `Handle comm`, or `void const* types` for what points at handles."""
    c_type = argument.c_type
    if c_type.startswith("MPI_"):
        pointer = "void const*" if c_type.endswith("const*") else "void*"
        c_type = pointer if c_type.endswith("*") else "Handle"
    return f"{c_type} {argument.name}"


def _typed(argument: Argument) -> str:
    """Return the argument as the type of mpi.h."""
    c_type = argument.c_type
    if not c_type.startswith("MPI_"):
        return argument.name
    cast = "static_cast" if c_type.endswith("*") else "from_handle"
    return f"{cast}<{c_type}>({argument.name})"


def _parameters(function: Function) -> list[str]:
    return [declaration(argument) for argument in function.arguments]


def _names(function: Function) -> list[str]:
    return [argument.name for argument in function.arguments]


def _called(begin: str, function: Function, end: str = ");", indent: int = 2) -> list[str]:
    return listed(begin, _names(function), end, indent=indent)


def forward_header(functions: list[Function]) -> str:
    """Return forward.hpp: the structure of pointers to the functions of the MPI library."""
    functions = _intercepted(functions)
    body = ["/// The MPI library's own functions, found behind this library.", "struct Forward {"]
    for function in functions:
        body += listed(f"int (*{function.native})(", _parameters(function), ");", indent=2)
    body += ["};", "", "extern constinit Forward forward;"]
    return header(['#include "shim/handle.hpp"'], NAMESPACE, body)


def forward_source(functions: list[Function]) -> str:
    """Return forward.cpp: each pointer starts at a function that finds all of them."""
    functions = _intercepted(functions)
    body = ["namespace {", "", "void find_all() noexcept {"]
    body += [f'  find_symbol("P{f.name}", forward.{f.native});' for f in functions]
    body += ["}", ""]
    for function in functions:
        body += signature("int", f"first_{function.native}", _parameters(function), " {")
        body += ["  find_all();"]
        body += [*_called(f"return forward.{function.native}(", function), "}", ""]
    body += ["}  // namespace", "", "constinit Forward forward{"]
    body += [f"    .{function.native} = first_{function.native}," for function in functions]
    body += ["};"]
    includes = ['#include "shim/forward.hpp"', "", '#include "shim/symbol.hpp"']
    return source(includes, NAMESPACE, body)


def serve_header(functions: list[Function]) -> str:
    """Return serve.hpp: what calls reach while a session is active."""
    functions = _intercepted(functions)
    body: list[str] = []
    for function in functions:
        if function.has_call:
            body += signature("int", f"serve_{function.native}", _parameters(function), ";")
    return header(['#include "shim/handle.hpp"'], NAMESPACE, body)


def _serve(function: Function) -> list[str]:
    notes = [f"{a.name}: {a.significant}" for a in function.arguments if a.significant != "always"]
    lines = ["// Significant only:"] if notes else []
    lines += [f"//   {note}" for note in notes]
    lines += signature("int", f"serve_{function.native}", _parameters(function), " {")
    structure = f"plan::{function.structure}"
    dispatch = "dispatch_start" if function.begins else "dispatch"
    handles = [_typed(a) for a in function.arguments if a.kind.name in ("comm", "request")]
    native = f"forward.{function.native}("
    if not function.own_arguments:
        call = f"return {native}{', '.join(_names(function))});"
        short = f"  return {dispatch}({structure}{{}}, {', '.join(handles)}, [&] {{"
        if len(short) <= COLUMNS:
            return [*lines, short, f"    {call}", "  });", "}", ""]
        lines += [f"  return {dispatch}(", f"      {structure}{{}},"]
        lines += [f"      {handle}," for handle in handles]
        return [*lines, f"      [&] {{ {call} }}", "  );", "}", ""]
    lines += [f"  return {dispatch}(", f"      {structure}{{"]
    lines += [f"          .{a.name} = {_typed(a)}," for a in function.own_arguments]
    lines += ["      },"]
    lines += [f"      {handle}," for handle in handles]
    line = f"      [&] {{ return {native}{', '.join(_names(function))}); }}"
    if len(line) <= 100:
        lines += [line]
    else:
        lines += ["      [&] {", *_called(f"return {native}", function, indent=8), "      }"]
    return [*lines, "  );", "}", ""]


def serve_source(functions: list[Function]) -> str:
    """Return serve.cpp: the structure of each call, and how to make it natively."""
    functions = _intercepted(functions)
    body: list[str] = []
    for function in functions:
        if function.has_call:
            body += _serve(function)
    includes = ['#include "shim/serve.hpp"', "", "#include <mpi.h>", ""]
    includes += ['#include "shim/dispatch.hpp"', '#include "shim/forward.hpp"']
    return source(includes, NAMESPACE, body[:-1])


def _body(function: Function) -> list[str]:
    if function.handler:
        return _called(f"return {NAMESPACE}::{function.handler}(", function)
    native = f"{NAMESPACE}::forward.{function.native}("
    if function.makes:
        made = [f"{native}{', '.join(_names(function))})", function.makes]
        return listed(f"return {NAMESPACE}::made(", made, ");", indent=2)
    return [
        f"  if ({NAMESPACE}::is_active()) {{",
        *_called(f"return {NAMESPACE}::serve_{function.native}(", function, indent=4),
        "  }",
        *_called(f"return {native}", function),
    ]


def _wrapper(function: Function, name: str) -> list[str]:
    head = signature("ESPALIER_EXPORTED int", name, _parameters(function), " {")
    return [*head, *_body(function), "}", ""]


def wrappers_source(functions: list[Function]) -> str:
    """Return wrappers.cpp: MPI_X and PMPI_X for every row."""
    functions = _intercepted(functions)
    lines = [*HEAD]
    lines += ['#include "shim/communicators.hpp"', '#include "shim/completion.hpp"']
    lines += ['#include "shim/forward.hpp"']
    lines += ['#include "shim/lifecycle.hpp"', '#include "shim/serve.hpp"']
    lines += ['#include "shim/topology.hpp"', ""]
    lines += ['#define ESPALIER_EXPORTED __attribute__((visibility("default")))', ""]
    lines += ["using espalier::shim::Handle;", "", 'extern "C" {', ""]
    for function in functions:
        lines += _wrapper(function, function.name)
    lines += ["// A simulated program finds the simulator's own functions by these names."]
    lines += ["#ifndef ESPALIER_MPI_SIMULATED", ""]
    for function in functions:
        lines += _wrapper(function, f"P{function.name}")
    lines += ["#endif", "", '}  // extern "C"', ""]
    return "\n".join(lines)


def exports_map(functions: list[Function]) -> str:
    """Return exports.map: the only symbols that the library shows, see shim/progress_mpich.cpp."""
    names = [name for f in _intercepted(functions) for name in (f.name, f"P{f.name}")]
    names.append("ucp_worker_progress")
    return "{\n  global:\n" + "".join(f"    {name};\n" for name in names) + "  local:\n    *;\n};\n"
