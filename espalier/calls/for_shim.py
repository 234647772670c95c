# SPDX-License-Identifier: Apache-2.0
"""Files of shim: wrappers of MPI functions, and what they reach.

Handles are pointers in one MPI and integers in another. All but serve.cpp takes them as integers of
the width of a register, so that what is handed over arrives unchanged in any MPI.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from layout import COLUMNS, HEAD, header, listed, signature, source
from table import begun, enlarged, planned

if TYPE_CHECKING:
    from table import Argument, Function

NAMESPACE = "espalier::shim"
MPI = ["#include <mpi.h>", ""]


def _intercepted(functions: list[Function]) -> list[Function]:
    """Return the rows and the nonblocking forms of those that rules speak of."""
    return [*functions, *(begun(function) for function in functions if function.has_call)]


def _persistent(functions: list[Function]) -> list[Function]:
    """Return the persistent forms of the calls that rules speak of."""
    return [planned(function) for function in functions if function.has_call]


def _large(functions: list[Function]) -> list[Function]:
    """Return the forms with large counts of all calls that are intercepted."""
    rows = [enlarged(f) for f in functions if f.has_call and f.has_large_form]
    return [*rows, *map(begun, rows), *_persistent(rows)]


def declaration(argument: Argument) -> str:
    """Return `int count`, `Handle comm`, or `void const* types` for what points at handles."""
    c_type = argument.c_type
    if c_type == "MPI_Count":
        c_type = "std::int64_t"
    elif c_type.startswith("MPI_"):
        pointer = "void const*" if c_type.endswith("const*") else "void*"
        c_type = pointer if c_type.endswith("*") else "Handle"
    return f"{c_type} {argument.name}"


def _typed(argument: Argument) -> str:
    """Return the argument as the type of mpi.h."""
    c_type = argument.c_type
    if argument.is_large and c_type.endswith("*"):
        return f"exec::Integers::wide({argument.name})"
    if argument.is_large or not c_type.startswith("MPI_"):
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
    functions = [*_intercepted(functions), *_persistent(functions), *_large(functions)]
    body = ["/// The MPI library's own functions, found behind this library.", "struct Forward {"]
    for function in functions:
        body += listed(f"int (*{function.native})(", _parameters(function), ");", indent=2)
    body += ["};", "", "extern constinit Forward forward;"]
    return header(['#include "shim/handle.hpp"'], NAMESPACE, body)


# How a list of numbers is narrowed, by where it is significant.
LISTS = {
    "always": ("list", ""),
    "at root": ("list_at_root", ", root"),
    "not in place": ("list_unless_in_place", ", sendbuf"),
}


def _can_be_narrowed(function: Function) -> bool:
    """Tell whether the lengths of all lists are known: in a neighborhood, it alone knows them."""
    has_lists = any(a.is_large and a.c_type.endswith("*") for a in function.arguments)
    return bool(function.collective) or not has_lists


def _narrowed(function: Function, argument: Argument) -> str:
    """Return an argument of a call with large counts as one of the call without."""
    if not argument.is_large:
        return argument.name
    if not argument.c_type.endswith("*"):
        return f"narrow.count({argument.name})"
    member, rest = LISTS[argument.significant]
    if function.collective == "reduce_scatter":
        member = "list_of_group"  # between two groups, each has the parts of its own ranks
    return f"narrow.{member}({argument.name}{rest})"


def _narrow(function: Function) -> list[str]:
    """Return the function that stands in for one that the MPI library does not have."""
    lines = signature("int", f"narrow_{function.native}", _parameters(function), " {")
    waits_later = function.is_begun or function.is_planned
    lines += [f"  Narrowing narrow(comm{', Lists::for_ever' if waits_later else ''});"]
    names = []
    for argument in function.arguments:
        names.append(f"narrow_{argument.name}" if argument.is_large else argument.name)
        if argument.is_large:
            lines += [f"  auto const narrow_{argument.name} = {_narrowed(function, argument)};"]
    lines += ["  if (!narrow.fits()) {", "    return Narrowing::does_not_fit;", "  }"]
    call = f"return forward.{function.native.removesuffix('_c')}("
    return [*lines, *listed(call, names, ");", indent=2), "}", ""]


def _extension(name: str) -> str:
    """Return the name of a persistent collective in libraries that had it before the standard."""
    return name.replace("MPI_", "MPIX_", 1)


def _found(function: Function) -> list[str]:
    pointer = [f'"P{function.name}"', f"forward.{function.native}"]
    if function.is_planned and not function.is_large:
        names = [f'"P{function.name}"', f'"P{_extension(function.name)}"', pointer[1]]
        return listed("find_either(", names, ");", indent=2)
    if _can_be_narrowed(function):
        return listed("find_symbol_or(", [*pointer, f"narrow_{function.native}"], ");", indent=2)
    return listed("find_symbol(", pointer, ");", indent=2)


def forward_source(functions: list[Function]) -> str:
    """Return forward.cpp: each pointer starts at a function that finds all of them.

    Not every MPI library has functions for large counts or persistent ones, so each of these finds
    itself, or what stands in for it.
    """
    large = _large(functions)
    alone = [*_persistent(functions), *large]
    functions = _intercepted(functions)
    body = ["namespace {", "", "void find_all() noexcept {"]
    body += [f'  find_symbol("P{f.name}", forward.{f.native});' for f in functions]
    body += ["}", ""]
    for function in large:
        body += _narrow(function) if _can_be_narrowed(function) else []
    for function in [*functions, *alone]:
        body += signature("int", f"first_{function.native}", _parameters(function), " {")
        body += _found(function) if function in alone else ["  find_all();"]
        body += [*_called(f"return forward.{function.native}(", function), "}", ""]
    body += ["}  // namespace", "", "constinit Forward forward{"]
    body += [f"    .{f.native} = first_{f.native}," for f in [*functions, *alone]]
    body += ["};"]
    includes = ['#include "shim/forward.hpp"', ""]
    includes += ['#include "shim/narrowing.hpp"', '#include "shim/symbol.hpp"']
    return source(includes, NAMESPACE, body)


def serve_header(functions: list[Function]) -> str:
    """Return serve.hpp: what calls reach while a session is active."""
    body: list[str] = []
    for function in [*_intercepted(functions), *_persistent(functions), *_large(functions)]:
        if function.has_call:
            body += signature("int", f"serve_{function.native}", _parameters(function), ";")
    return header(['#include "shim/handle.hpp"'], NAMESPACE, body)


def _serve(function: Function) -> list[str]:
    notes = [f"{a.name}: {a.significant}" for a in function.arguments if a.significant != "always"]
    lines = ["// Significant only:"] if notes else []
    lines += [f"//   {note}" for note in notes]
    lines += signature("int", f"serve_{function.native}", _parameters(function), " {")
    structure = f"plan::{function.structure}"
    dispatch = "dispatch_start" if function.is_begun else "dispatch"
    dispatch = "dispatch_init" if function.is_planned else dispatch
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
    if function.is_large and function.collective:
        lines += ["          .has_large_counts = true,"]
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
    own = ['#include "shim/serve.hpp"', ""]
    includes = ['#include "shim/dispatch.hpp"', '#include "shim/forward.hpp"']
    return _serving(_intercepted(functions), [*own, *MPI, *includes])


def persistent_serve_source(functions: list[Function]) -> str:
    """Return persistent_serve.cpp: the same of persistent calls."""
    return _serving(_persistent(functions), _serving_includes())


def _serving_includes() -> list[str]:
    return [*MPI, *(f'#include "shim/{name}.hpp"' for name in ("dispatch", "forward", "serve"))]


def large_serve_source(functions: list[Function]) -> str:
    """Return large_serve.cpp: the same of calls with large counts."""
    return _serving(_large(functions), _serving_includes())


def _serving(functions: list[Function], includes: list[str]) -> str:
    body: list[str] = []
    for function in functions:
        if function.has_call:
            body += _serve(function)
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
    lines += ['#include "shim/lifecycle.hpp"', '#include "shim/persistent.hpp"']
    lines += ['#include "shim/serve.hpp"', '#include "shim/topology.hpp"', ""]
    lines += _exported(functions)
    lines += ['}  // extern "C"', ""]
    return "\n".join(lines)


def large_wrappers_source(functions: list[Function]) -> str:
    """Return large_wrappers.cpp: the same of every call with large counts."""
    return _wrappers(_exported(_large(functions)))


def persistent_wrappers_source(functions: list[Function]) -> str:
    """Return persistent_wrappers.cpp: the same of every persistent call."""
    return _wrappers(_exported(_persistent(functions)))


def extension_wrappers_source(functions: list[Function]) -> str:
    """Return extension_wrappers.cpp: MPIX_X and PMPIX_X of every persistent call."""
    lines = _begin_exported()
    for function in _persistent(functions):
        for prefix in ("", "P"):
            lines += _wrapper(function, prefix + _extension(function.name))
    return _wrappers(lines)


def _wrappers(body: list[str]) -> str:
    lines = [*HEAD, '#include "shim/forward.hpp"', '#include "shim/lifecycle.hpp"']
    return "\n".join([*lines, '#include "shim/serve.hpp"', "", *body, '}  // extern "C"', ""])


def _begin_exported() -> list[str]:
    lines = ['#define ESPALIER_EXPORTED __attribute__((visibility("default")))', ""]
    return [*lines, "using espalier::shim::Handle;", "", 'extern "C" {', ""]


def _exported(functions: list[Function]) -> list[str]:
    lines = _begin_exported()
    for function in functions:
        lines += _wrapper(function, function.name)
    lines += ["// A simulated program finds the simulator's own functions by these names."]
    lines += ["#ifndef ESPALIER_MPI_SIMULATED", ""]
    for function in functions:
        lines += _wrapper(function, f"P{function.name}")
    return [*lines, "#endif", ""]


def exports_map(functions: list[Function]) -> str:
    """Return exports.map: the only symbols that the library shows, see plan/progress."""
    persistent = _persistent(functions)
    extensions = [_extension(function.name) for function in persistent]
    return _exports([*_intercepted(functions), *persistent], extensions)


def large_exports_map(functions: list[Function]) -> str:
    """Return large_exports.map: the same of a library that has the calls with large counts."""
    return _exports([*_intercepted(functions), *_persistent(functions), *_large(functions)], [])


def _exports(functions: list[Function], extensions: list[str]) -> str:
    shown = [*(function.name for function in functions), *extensions]
    names = [name for known in shown for name in (known, f"P{known}")]
    names += ["ucp_worker_progress", "espalier_own_work"]
    return "{\n  global:\n" + "".join(f"    {name};\n" for name in names) + "  local:\n    *;\n};\n"
