# SPDX-License-Identifier: Apache-2.0
"""The Fortran module with planned collectives: handles of `mpi` and of `mpi_f08` for each call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from for_capi import forms_of, name_of
from for_foreign import foreign_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from table import Argument, Function

COLUMNS = 100
HANDLES = {"datatype": "MPI_Datatype", "datatypes": "MPI_Datatype", "operator": "MPI_Op"}
HANDLES["comm"] = "MPI_Comm"
BUFFERS = ("input", "output")
LISTS = ("counts", "displacements", "addresses")
# Kinds of integers in the module, by their types in C.
KINDS = {"int": "c_int", "MPI_Count": "c_int64_t", "MPI_Aint": "c_intptr_t"}

HEAD = """\
! SPDX-License-Identifier: Apache-2.0

! Collectives of espalier_planned.h; the module espalier_planned has all of it.
! Made by espalier/calls/generate.py from espalier/calls/functions.json.
module espalier_planned_collectives
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_intptr_t, c_loc, c_ptr
  use espalier_buffer_places, only: buffer_complaint, complaint_of, place_of
  use espalier_onesided_types, only: espalier_request
  use espalier_planned_types
  use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_Op
  implicit none
  private
"""


def wrapped(begin: str, words: list[str], end: str) -> list[str]:
    """Return `begin` words `end`, with commas, in lines that go on behind an ampersand."""
    indent = " " * (len(begin) - len(begin.lstrip()) + 2)
    lines, line = [], begin
    for i, word in enumerate(words):
        piece = word + (end if i == len(words) - 1 else ", ")
        if len(line + piece.rstrip()) + 2 > COLUMNS:
            lines.append(line.rstrip() + " &")
            line = indent
        line += piece
    return [*lines, line if words else begin + end]


def _names(function: Function) -> list[str]:
    return [argument.name for argument in function.arguments]


def kind_of(argument: Argument) -> str:
    """Return the kind of the integers of an argument; handles are numbers, too."""
    c_type = argument.c_type.replace("const", "").removesuffix("*").strip()
    return KINDS.get(c_type, KINDS["int"])


def c_declaration(argument: Argument) -> str:
    """Return the declaration of an argument in the interface of a function of C."""
    kind = argument.kind.name
    if kind in (*BUFFERS, "datatypes"):
        return f"type(c_ptr), value :: {argument.name}"
    if kind in LISTS:
        return f"integer({kind_of(argument)}), intent(in) :: {argument.name}(*)"
    return f"integer({kind_of(argument)}), value :: {argument.name}"


def _c_name(function: Function) -> str:
    return name_of(function).replace("espalier_", "c_", 1)


def _procedure_name(function: Function, *, is_f08: bool) -> str:
    return name_of(function).removeprefix("espalier_") + ("_f08" if is_f08 else "")


def _c_interface(function: Function) -> Iterator[str]:
    words = [*_names(function), "options", "complaint", "made"]
    yield from wrapped(f"    function {_c_name(function)}(", words, ") &")
    yield f"        bind(C, name='{foreign_name(function)}') result(code)"
    yield "      import :: c_int, c_int64_t, c_intptr_t, c_planned_options, c_ptr"
    for argument in function.arguments:
        yield f"      {c_declaration(argument)}"
    yield "      type(c_planned_options), intent(in) :: options"
    yield "      type(c_ptr), value :: complaint"
    yield "      type(c_ptr), intent(inout) :: made"
    yield "      integer(c_int) :: code"
    yield "    end function"


def declaration(argument: Argument, *, is_f08: bool) -> str:
    """Return the declaration of an argument in a procedure."""
    kind, name = argument.kind.name, argument.name
    if kind in BUFFERS:
        # No intent for what is written: it may be MPI_IN_PLACE or MPI_BOTTOM.
        intent = "intent(in), " if kind == "input" else ""
        return f"type(*), dimension(..), {intent}target, asynchronous :: {name}"
    integer = "integer"
    if kind in HANDLES:
        integer = f"type({HANDLES[kind]})" if is_f08 else "integer"
    elif kind_of(argument) != KINDS["int"]:
        integer = f"integer({kind_of(argument)})"
    if kind == "datatypes":
        return f"{integer}, intent(in), target :: {name}(*)"
    return f"{integer}, intent(in) :: {name}{'(*)' if kind in LISTS else ''}"


def passed(argument: Argument, *, is_f08: bool) -> str:
    """Return what a procedure hands to C for an argument."""
    kind, name = argument.kind.name, argument.name
    if kind in BUFFERS:
        return f"{name}_at"
    if kind == "datatypes":
        return f"c_loc({name})"
    return f"{name}%MPI_VAL" if is_f08 and kind in HANDLES else name


def found_places(function: Function) -> Iterator[str]:
    """Yield the last declarations of a procedure, and where it finds its buffers."""
    buffers = [a.name for a in function.arguments if a.kind.name in BUFFERS]
    yield "    type(buffer_complaint), target :: wrong"
    yield f"    type(c_ptr) :: {', '.join([*(f'{buffer}_at' for buffer in buffers), 'complaint'])}"
    yield "    integer :: code"
    for buffer in buffers:
        yield f"    {buffer}_at = place_of({buffer}, '{buffer}', wrong)"
    yield "    complaint = complaint_of(wrong)"


def _procedure(function: Function, *, is_f08: bool) -> Iterator[str]:
    words = [*_names(function), "request", "ierror", "options"]
    yield from wrapped(f"  subroutine {_procedure_name(function, is_f08=is_f08)}(", words, ")")
    for argument in function.arguments:
        yield f"    {declaration(argument, is_f08=is_f08)}"
    yield "    type(espalier_request), intent(inout) :: request"
    yield "    integer, intent(out), optional :: ierror"
    yield "    type(espalier_planned_options), intent(in), optional :: options"
    yield "    type(planned_texts), target :: texts"
    yield from found_places(function)
    words = [passed(argument, is_f08=is_f08) for argument in function.arguments]
    words += ["to_planned_options(options, texts)", "complaint", "request%handle"]
    yield from wrapped(f"    code = {_c_name(function)}(", words, ")")
    yield "    if (present(ierror)) ierror = code"
    yield "  end subroutine"


def planned_module(functions: list[Function]) -> str:
    """Return capi/fortran/espalier_planned_collectives.f90."""
    served = [function for function in functions if function.collective]
    lines = [HEAD.rstrip()]
    lines += [f"  public :: espalier_{function.native}_init" for function in served]
    handles = (False, True)
    for function in served:
        lines += ["", f"  interface {name_of(function)}"]
        for form in forms_of(function):
            names = [_procedure_name(form, is_f08=is_f08) for is_f08 in handles]
            lines += [f"    module procedure {', '.join(names)}"]
        lines += ["  end interface"]
    forms = [form for function in served for form in forms_of(function)]
    lines += ["", "  interface"]
    lines += [line for form in forms for line in _c_interface(form)]
    lines += ["  end interface", "", "contains"]
    for form in forms:
        for is_f08 in handles:
            lines += ["", *_procedure(form, is_f08=is_f08)]
    return "\n".join([*lines, "", "end module espalier_planned_collectives", ""])
