# SPDX-License-Identifier: Apache-2.0
"""Planned collectives of the C interface as the Fortran module and the Python package call them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from layout import HEAD, listed

if TYPE_CHECKING:
    from table import Argument, Function

# How a handle of Fortran becomes one of C; a list of them needs memory.
TURNED = {
    "datatype": "PMPI_Type_f2c({name})",
    "datatypes": "lists.of({name})",
    "operator": "PMPI_Op_f2c({name})",
}
LISTS = ("counts", "displacements", "datatypes")
ENDING = ["espalier_planned_options const* options", "char const* complaint"]
ENDING += ["espalier_request** request"]


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
    value = TURNED.get(kind, "{name}").format(name=name)
    # A list that does not count may be shorter than the communicator.
    if kind == "datatypes" and argument.significant == "not in place":
        value = f"{function.in_place} == MPI_IN_PLACE ? nullptr : {value}"
    return f".{name} = {value}"


def foreign_functions(functions: list[Function]) -> str:
    """Return capi/planned/foreign_functions.cpp: functions that take handles of Fortran."""
    lines = [*HEAD, '#include "include/espalier_planned.h"', "", "#include <mpi.h>", ""]
    lines += ['#include "espalier/capi/planned/plan_foreign.hpp"']
    lines += ['#include "espalier/plan/calls/calls.hpp"', "", 'extern "C" {', ""]
    for function in functions:
        if not function.collective:
            continue
        parameters = [_parameter(argument) for argument in function.arguments]
        head = f"int espalier_f_{function.native}_init("
        lines += listed(head, [*parameters, *ENDING], ") {")
        members = [_member(function, argument) for argument in function.own_arguments]
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
