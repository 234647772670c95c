# SPDX-License-Identifier: Apache-2.0
"""The Fortran module with collectives of neighborhoods, blocking and planned.

Each has procedures for handles of `mpi` and for those of `mpi_f08`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from for_fortran import c_declaration, declaration, found_places, passed, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from table import Function

HEAD = """\
! SPDX-License-Identifier: Apache-2.0

! Collectives of espalier_neighbor.h; the module espalier_neighbor has all of it.
! Made by espalier/calls/generate.py from espalier/calls/functions.json.
module espalier_neighbor_collectives
  use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t, c_loc, c_ptr
  use espalier_buffer_places, only: buffer_complaint, complaint_of, place_of
  use espalier_neighbor_types, only: espalier_neighborhood
  use espalier_onesided_types, only: espalier_request
  use mpi_f08, only: MPI_Datatype
  implicit none
  private
"""


def _name(function: Function, *, is_planned: bool) -> str:
    return f"{function.native}_init" if is_planned else function.native


def _names(function: Function) -> list[str]:
    return [argument.name for argument in function.own_arguments]


def _c_interface(function: Function, *, is_planned: bool) -> Iterator[str]:
    name = _name(function, is_planned=is_planned)
    made = ["made"] if is_planned else []
    words = [*_names(function), "neighborhood", "complaint", *made]
    yield from wrapped(f"    function c_{name}(", words, ") &")
    yield f"        bind(C, name='espalier_f_{name}') result(code)"
    yield "      import :: c_int, c_intptr_t, c_ptr"
    for argument in function.own_arguments:
        yield f"      {c_declaration(argument)}"
    yield "      type(c_ptr), value :: neighborhood, complaint"
    if is_planned:
        yield "      type(c_ptr), intent(inout) :: made"
    yield "      integer(c_int) :: code"
    yield "    end function"


def _procedure(function: Function, *, is_planned: bool, is_f08: bool) -> Iterator[str]:
    native = _name(function, is_planned=is_planned)
    name = f"{native}_f08" if is_f08 else native
    request = ["request"] if is_planned else []
    words = [*_names(function), "neighborhood", *request, "ierror"]
    yield from wrapped(f"  subroutine {name}(", words, ")")
    for argument in function.own_arguments:
        yield f"    {declaration(argument, is_f08=is_f08)}"
    yield "    type(espalier_neighborhood), intent(in) :: neighborhood"
    if is_planned:
        yield "    type(espalier_request), intent(inout) :: request"
    yield "    integer, intent(out), optional :: ierror"
    yield from found_places(function)
    words = [passed(argument, is_f08=is_f08) for argument in function.own_arguments]
    words += ["neighborhood%handle", "complaint", *(f"{one}%handle" for one in request)]
    yield from wrapped(f"    code = c_{native}(", words, ")")
    yield "    if (present(ierror)) ierror = code"
    yield "  end subroutine"


def module(functions: list[Function]) -> str:
    """Return capi/fortran/espalier_neighbor_collectives.f90."""
    served = [function for function in functions if function.neighborhood]
    forms = [(function, is_planned) for function in served for is_planned in (False, True)]
    names = [_name(function, is_planned=is_planned) for function, is_planned in forms]
    lines = [HEAD.rstrip(), *(f"  public :: espalier_{name}" for name in names)]
    for name in names:
        lines += ["", f"  interface espalier_{name}"]
        lines += [f"    module procedure {name}, {name}_f08", "  end interface"]
    lines += ["", "  interface"]
    for function, is_planned in forms:
        lines += _c_interface(function, is_planned=is_planned)
    lines += ["  end interface", "", "contains"]
    for function, is_planned in forms:
        for is_f08 in (False, True):
            lines += ["", *_procedure(function, is_planned=is_planned, is_f08=is_f08)]
    return "\n".join([*lines, "", "end module espalier_neighbor_collectives", ""])
