# SPDX-License-Identifier: Apache-2.0
"""Collectives of the C interface as the Fortran modules and the Python package call them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from for_capi import forms_of, member, name_of
from layout import HEAD, listed

if TYPE_CHECKING:
    from table import Argument, Function

# How a handle of Fortran becomes one of C; a list of them needs memory.
TURNED = {
    "datatype": "PMPI_Type_f2c({name})",
    "datatypes": "lists.of({name})",
    "operator": "PMPI_Op_f2c({name})",
}
LISTS = ("counts", "displacements", "addresses", "datatypes")
# Whose lists of types are of the blocks that a rank sends to its neighbours, or receives.
LISTS_OF_NEIGHBORS = {"sendtypes": "sent", "recvtypes": "received"}
ENDING = ["espalier_planned_options const* options", "char const* complaint"]
ENDING += ["espalier_request** request"]


def foreign_name(function: Function) -> str:
    """Return the name of the planned form of a call that takes handles of Fortran."""
    return name_of(function).replace("espalier_", "espalier_f_", 1)


def _parameter(argument: Argument) -> str:
    kind = argument.kind.name
    c_type = "MPI_Fint" if kind in (*TURNED, "comm") else argument.c_type.removesuffix("*")
    if kind in LISTS:
        const = "" if c_type.endswith("const") else " const"
        return f"{c_type}{const} {argument.name}[]"
    star = "*" if argument.c_type.endswith("*") else ""
    return f"{c_type}{star} {argument.name}"


def _member(function: Function, argument: Argument) -> str:
    kind, name = argument.kind.name, argument.name
    value = TURNED[kind].format(name=name) if kind in TURNED else member(argument)
    # A list that does not count may be shorter than the communicator.
    if kind == "datatypes" and argument.significant == "not in place":
        value = f"{function.in_place} == MPI_IN_PLACE ? nullptr : {value}"
    return f".{name} = {value}"


def foreign_functions(functions: list[Function]) -> str:
    """Return capi/planned/foreign_functions.cpp: functions that take handles of Fortran."""
    lines = [*HEAD, '#include "include/espalier_planned.h"', "", "#include <mpi.h>", ""]
    lines += ['#include "espalier/capi/planned/plan_foreign.hpp"']
    lines += ['#include "espalier/plan/calls/calls.hpp"', "", 'extern "C" {', ""]
    for function in (form for one in functions if one.collective for form in forms_of(one)):
        parameters = [_parameter(argument) for argument in function.arguments]
        lines += listed(f"int {foreign_name(function)}(", [*parameters, *ENDING], ") {")
        members = [_member(function, argument) for argument in function.own_arguments]
        members += [".has_large_counts = true"] if function.is_large else []
        lists = any(argument.kind.name == "datatypes" for argument in function.arguments)
        taken = "espalier::capi::DatatypeLists& lists" if lists else "auto&"
        made = f"return espalier::plan::{function.structure}{{"
        if members:
            lines += [f"  auto const call = [&]({taken}) {{"]
            lines += [*listed(made, members, "};", indent=4), "  };"]
        else:
            lines += [f"  auto const call = [&]({taken}) {{ {made}}}; }};"]
        lines += [
            "  return espalier::capi::plan_foreign(call, comm, {options, request, complaint});"
        ]
        lines += ["}", ""]
    return "\n".join([*lines, '}  // extern "C"', ""])


def _neighbor_member(argument: Argument) -> str:
    kind, name = argument.kind.name, argument.name
    if kind == "datatypes":
        return f".{name} = {LISTS_OF_NEIGHBORS[name]}.of({name})"
    return f".{name} = {TURNED.get(kind, '{name}').format(name=name)}"


def _neighbor_function(function: Function, *, is_planned: bool) -> list[str]:
    parameters = [_parameter(argument) for argument in function.own_arguments]
    parameters += ["espalier_neighborhood* neighborhood", "char const* complaint"]
    parameters += ["espalier_request** request"] if is_planned else []
    head = f"int espalier_f_{function.native}{'_init' if is_planned else ''}("
    has_lists = any(argument.kind.name == "datatypes" for argument in function.arguments)
    taken = "auto& sent, auto& received" if has_lists else "auto&, auto&"
    members = [_neighbor_member(argument) for argument in function.own_arguments]
    made = f"return espalier::plan::{function.structure}{{"
    action = "plan" if is_planned else "run"
    given = ["call", "neighborhood", "complaint", *(["request"] if is_planned else [])]
    return [
        *listed(head, parameters, ") {"),
        f"  auto const call = [&]({taken}) {{",
        *listed(made, members, "};", indent=4),
        "  };",
        f"  return espalier::capi::{action}_foreign_neighbors({', '.join(given)});",
        "}",
        "",
    ]


def foreign_neighbors(functions: list[Function]) -> str:
    """Return capi/foreign_neighbor_functions.cpp: the same for neighborhoods of the C interface."""
    lines = [*HEAD, '#include "include/espalier_neighbor.h"', "", "#include <mpi.h>", ""]
    lines += ['#include "espalier/capi/foreign_neighbors.hpp"']
    lines += ['#include "espalier/plan/neighbors/neighbor_structures.hpp"', "", 'extern "C" {', ""]
    for function in functions:
        if function.neighborhood:
            lines += _neighbor_function(function, is_planned=False)
            lines += _neighbor_function(function, is_planned=True)
    return "\n".join([*lines, '}  // extern "C"', ""])
