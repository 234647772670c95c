# SPDX-License-Identifier: Apache-2.0
"""The functions in include/espalier_planned.hpp, which a test compares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from for_capi import name_of
from layout import listed

if TYPE_CHECKING:
    from table import Function


def view(function: Function) -> str:
    """Return the function of C++ that plans a call, or that with large counts."""
    planned = name_of(function)
    parameters = [f"{argument.c_type} {argument.name}" for argument in function.arguments]
    parameters.append("PlannedOptions const& options = {}")
    name = planned.removeprefix("espalier_")
    head = listed(f"[[nodiscard]] inline Request {name}(", parameters, ") {")
    passed = [planned]
    passed += [argument.name for argument in function.arguments]
    call = listed("return Request::planned(", [*passed, "options.get()"], ");", indent=2)
    return "\n".join([*head, *call, "}"])
