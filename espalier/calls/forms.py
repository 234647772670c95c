# SPDX-License-Identifier: Apache-2.0
"""The other forms of an MPI function that follow from its row.

    blocking        MPI_Allgather
    nonblocking     MPI_Iallgather            the same arguments, and a request
    persistent      MPI_Allgather_init        the same, with an info before the request
    large count     MPI_Allgather_c           counts and displacements of larger types

Nonblocking and persistent forms have large counts, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from layout import HEAD, listed

if TYPE_CHECKING:
    from table import Function

REQUEST = ("MPI_Request*", "request")
INFO = ("MPI_Info", "info")


@dataclass(frozen=True)
class Form:
    """A function of MPI: its name, and types and names of its arguments."""

    name: str
    arguments: tuple[tuple[str, str], ...]

    def prototype(self) -> str:
        """Return the declaration in C."""
        arguments = [f"{c_type} {name}" for c_type, name in self.arguments] or ["void"]
        return "\n".join(listed(f"int {self.name}(", arguments, ");"))


def blocking(function: Function, *, is_large: bool = False) -> Form:
    """Return the form of the row itself, or that with large counts."""
    arguments = tuple(
        (a.kind.large_type if is_large else a.c_type, a.name) for a in function.arguments
    )
    return Form(function.name + ("_c" if is_large else ""), arguments)


def nonblocking(function: Function, *, is_large: bool = False) -> Form:
    """Return the form that begins the call and gives a request."""
    form = blocking(function, is_large=is_large)
    stem = form.name.removeprefix("MPI_")
    return Form(f"MPI_I{stem[0].lower()}{stem[1:]}", (*form.arguments, REQUEST))


def persistent(function: Function, *, is_large: bool = False) -> Form:
    """Return the form that makes a request for any number of calls."""
    form = blocking(function, is_large=is_large)
    name = f"{function.name}_init{'_c' if is_large else ''}"
    return Form(name, (*form.arguments, INFO, REQUEST))


def forms_of(function: Function) -> list[Form]:
    """Return all forms of a row; only calls that are served have more than one."""
    if not function.has_call:
        return [blocking(function)]
    makers = (blocking, nonblocking, persistent)
    sizes = (False, True) if function.has_large_form else (False,)
    return [maker(function, is_large=is_large) for is_large in sizes for maker in makers]


def _pointer(form: Form, name: str) -> list[str]:
    """Return a pointer to the function, which compiles only if the types are right."""
    types = [c_type for c_type, _ in form.arguments]
    return listed(f"constexpr int (*{name.lower()})(", types, f") = {name};")


def pointers_source(functions: list[Function]) -> str:
    """Return a program text that compiles if mpi.h declares the forms with the expected types."""
    groups: dict[str, list[str]] = {"MPI_VERSION >= 3": [], "MPI_VERSION >= 4": []}
    extension: list[str] = []
    for function in functions:
        for form in forms_of(function):
            is_new = form.name.endswith(("_c", "_init"))
            condition = f"MPI_VERSION >= {4 if is_new else 3}"
            groups[condition] += _pointer(form, form.name)
            if form.name.endswith("_init"):
                extension += _pointer(form, form.name.replace("MPI_", "MPIX_", 1))
    lines = [*HEAD, "#include <mpi.h>", ""]
    for condition, pointers in groups.items():
        lines += [f"#if {condition}", *pointers, "#endif", ""]
    lines += ["// Open MPI 4 has persistent collectives under other names.", "#ifdef OPEN_MPI"]
    lines += ["#include <mpi-ext.h>", "#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ", *extension]
    lines += ["#endif", "#endif", ""]
    return "\n".join(lines)
