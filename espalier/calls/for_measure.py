# SPDX-License-Identifier: Apache-2.0
"""The file of espalier/measure/collectives that makes calls of any function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from for_profile import enumerator
from layout import header, listed

if TYPE_CHECKING:
    from table import Argument, Function

# Members of CallParts by name of argument, or by its kind.
SENT = {"sendcounts": "sent_counts", "sdispls": "sent_displacements"}
PARTS = {
    "input": "input",
    "output": "output",
    "counts": "counts",
    "displacements": "displacements",
    "datatype": "type",
    "datatypes": "types",
    "operator": "op",
    "root": "root",
}


def _part(argument: Argument) -> str:
    if argument.kind.name == "count":
        return "parts.whole" if argument.name == "count" else "parts.own"
    part = f"parts.{SENT.get(argument.name) or PARTS[argument.kind.name]}"
    is_buffer = argument.kind.name in ("input", "output")
    return f"parts.at_root({part})" if is_buffer and argument.significant == "at root" else part


def filled_call(functions: list[Function]) -> str:
    """Return measure/collectives/filled_call.hpp: a call of any function."""
    body = [
        "/// The call on what there is of its parts.",
        "inline plan::AnyCall filled_call(profile::Call call, CallParts const& parts) noexcept {",
        "  switch (call) {",
    ]
    for function in functions:
        if function.collective:
            parts = [_part(argument) for argument in function.own_arguments]
            body += [f"  case profile::Call::{enumerator(function)}:"]
            body += listed(f"return plan::{function.structure}{{", parts, "};", indent=4)
    body += ["  default:", "    break;", "  }", "  return plan::BarrierCall{};", "}"]
    includes = ['#include "espalier/measure/collectives/call_parts.hpp"']
    includes += ['#include "espalier/plan/calls/calls.hpp"', '#include "espalier/profile/call.hpp"']
    return header(includes, "espalier::measure", body)
