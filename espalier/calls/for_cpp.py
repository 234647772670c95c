# SPDX-License-Identifier: Apache-2.0
"""The functions in include/espalier_planned.hpp, which a test compares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from layout import listed

if TYPE_CHECKING:
    from table import Function


def view(function: Function) -> str:
    """Return the function of C++ that plans a call."""
    parameters = [f"{argument.c_type} {argument.name}" for argument in function.arguments]
    parameters.append("PlannedOptions const& options = {}")
    head = listed(f"[[nodiscard]] inline Request {function.native}_init(", parameters, ") {")
    passed = [f"espalier_{function.native}_init"]
    passed += [argument.name for argument in function.arguments]
    call = listed("return Request::planned(", [*passed, "options.get()"], ");", indent=2)
    return "\n".join([*head, *call, "}"])
