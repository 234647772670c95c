# SPDX-License-Identifier: Apache-2.0
"""Files of espalier/capi/planned, and the declarations in include/espalier_planned.h."""

from __future__ import annotations

from typing import TYPE_CHECKING

from layout import HEAD, header, listed, signature
from table import enlarged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from table import Argument, Function

# Where an argument is significant, as a condition of the rank and its call.
CONDITIONS = {
    "always": "",
    "at root": "facts.rank == call.root",
    "not in place": "!call.is_in_place()",
    "not in place, at root": "facts.rank == call.root && !call.is_in_place()",
}
LISTS = ("counts", "displacements", "datatypes")


def _served(functions: list[Function]) -> list[Function]:
    return [function for function in functions if function.collective]


def forms_of(function: Function) -> Iterator[Function]:
    """Yield the form without large counts and the one with them, if there is one."""
    yield function
    if function.has_large_form:
        yield enlarged(function)


def name_of(function: Function) -> str:
    """Return the name of the planned form of a call."""
    ending = "_init_c" if function.is_large else "_init"
    return f"espalier_{function.native.removesuffix('_c')}{ending}"


def _parameter(argument: Argument) -> str:
    c_type = argument.c_type
    if argument.kind.name in LISTS:
        return f"{c_type.removesuffix('*')} {argument.name}[]"
    return f"{c_type} {argument.name}"


def _parameters(function: Function) -> list[str]:
    own = [_parameter(argument) for argument in function.arguments]
    return [*own, "espalier_planned_options const* options", "espalier_request** request"]


def _head(function: Function, end: str) -> list[str]:
    name = name_of(function)
    parameters = _parameters(function)
    one = f"    {', '.join(parameters)}"
    if len(one) <= 100:
        return [f"int {name}(", one, f"){end}"]
    return listed(f"int {name}(", parameters, f"){end}")


def declaration(function: Function) -> str:
    """Return the declaration of the planned form of a call or of its form with large counts."""
    return "\n".join(_head(function, ";"))


def planned_functions(functions: list[Function]) -> str:
    """Return capi/planned/planned_functions.cpp: the exported functions."""
    lines = [*HEAD, '#include "include/espalier_planned.h"', "", "#include <mpi.h>", ""]
    lines += ['#include "espalier/capi/planned/plan_collective.hpp"']
    lines += ['#include "espalier/plan/calls/calls.hpp"', "", 'extern "C" {', ""]
    for function in (form for one in _served(functions) for form in forms_of(one)):
        lines += _head(function, " {")
        members = [f".{a.name} = {member(a)}" for a in function.own_arguments]
        members += [".has_large_counts = true"] if function.is_large else []
        call = listed(f"espalier::plan::{function.structure} const call{{", members, "};", indent=2)
        lines += [*call, "  return espalier::capi::plan_collective(call, comm, options, request);"]
        lines += ["}", ""]
    return "\n".join([*lines, '}  // extern "C"', ""])


def member(argument: Argument) -> str:
    """Return the value of an argument in the structure of its call."""
    is_wide_list = argument.is_large and argument.kind.name in LISTS
    return f"espalier::exec::Integers::wide({argument.name})" if is_wide_list else argument.name


def _kept(function: Function, argument: Argument) -> list[str]:
    """Return how an argument is made to last, nothing if it lasts by itself."""
    kind = argument.kind.name
    reduces = any(other.kind.name == "operator" for other in function.arguments)
    is_number = argument.kind.may_be_large and kind not in LISTS
    if is_number or (kind == "datatype" and not reduces):
        action = f"keeper.keep(call.{argument.name});"
    elif kind in LISTS:
        action = f"keeper.keep(call.{argument.name}, facts.num_ranks);"
    else:
        return []
    condition = CONDITIONS[argument.significant]
    return [f"  if ({condition}) {{", f"    {action}", "  }"] if condition else [f"  {action}"]


def kept_calls(functions: list[Function]) -> str:
    """Return capi/planned/kept_calls.hpp: each call with lists and types that last."""
    body = [
        "// The call with lists and types that last as long as the keeper. Types of reductions are",
        "// those of the program: its operator may compare them. @throws Error mpi.",
        "",
    ]
    for function in _served(functions):
        lines = [line for a in function.arguments for line in _kept(function, a)]
        text = "\n".join(lines)
        facts = "" if "facts." in text else "[[maybe_unused]] "
        keeper = "" if lines else "[[maybe_unused]] "
        parameters = [f"plan::{function.structure} call"]
        parameters += [f"{facts}plan::CommunicatorFacts const& facts", f"{keeper}Keeper& keeper"]
        head = signature(f"inline plan::{function.structure}", "kept", parameters, " {")
        body += [*head, *lines, "  return call;", "}", ""]
    includes = ['#include "espalier/capi/planned/keeper.hpp"']
    includes += ['#include "espalier/plan/calls/calls.hpp"']
    includes += ['#include "espalier/plan/calls/communicator_facts.hpp"']
    return header(includes, "espalier::capi", body[:-1])
