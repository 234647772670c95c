# SPDX-License-Identifier: Apache-2.0
"""Files of espalier/plan: structures of arguments, native calls, rules and instantiations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from for_profile import enumerator
from layout import COLUMNS, HEAD, header, listed, signature, source
from table import begun, enlarged

if TYPE_CHECKING:
    from table import Argument, Function

MPI = ["#include <mpi.h>", ""]
BINDING = ["BindingTarget const& target"]


def _served(functions: list[Function]) -> list[Function]:
    return [function for function in functions if function.collective]


def _neighbors(functions: list[Function]) -> list[Function]:
    return [function for function in functions if function.neighborhood]


def _members(function: Function) -> list[str]:
    return [f"  {a.kind.member_type} {a.name};" for a in function.own_arguments]


def _structure(function: Function) -> list[str]:
    parameters = ["CommunicatorFacts const& facts", "NamedTypes& types"]
    lines = [f"struct {function.structure} {{"]
    lines += [f"  static constexpr profile::Call call = profile::Call::{enumerator(function)};", ""]
    lines += _members(function)
    if function.has_large_form:
        lines += [
            "  bool has_large_counts = false;  ///< the native call is that with large counts"
        ]
    lines += [""] if function.own_arguments else []
    lines += ["  /// By the rule `" + function.rules["bytes"] + "`."]
    bytes_head = signature(
        "[[nodiscard]] std::optional<std::int64_t>", "bytes", parameters, " const;"
    )
    lines += [f"  {line}" for line in bytes_head]
    if function.in_place:
        lines += ["", "  [[nodiscard]] bool is_in_place() const noexcept {"]
        lines[-1] += f" return {function.in_place} == MPI_IN_PLACE; }}"
    return [*lines, "};", ""]


def calls_header(functions: list[Function]) -> str:
    """Return plan/calls/calls.hpp: the arguments of each function, without the communicator."""
    rows = _served(functions)
    body = [
        "// Arguments of the MPI functions that are served, as the user gave them, without the",
        "// communicator. bytes() is the size of the whole result, equal on all ranks; none if the",
        "// arguments are out of the ordinary on this rank, see irregular.hpp; 0 where",
        "// profile::has_known_size() is false. Rooted calls look only at what MPI says is",
        "// significant on this rank. @throws Error mpi.",
        "",
    ]
    for function in rows:
        body += _structure(function)
    body += ["/// Any of them.", "using AnyCall = std::variant<"]
    body += [f"    {function.structure}," for function in rows]
    body[-1] = body[-1].removesuffix(",") + ">;"
    includes = ["#include <cstdint>", "#include <optional>", "#include <variant>", "", *MPI]
    includes += ['#include "espalier/exec/memory/integers.hpp"']
    includes += ['#include "espalier/plan/calls/communicator_facts.hpp"']
    includes += ['#include "espalier/plan/calls/named_types.hpp"']
    includes += ['#include "espalier/profile/call.hpp"']
    return header(includes, "espalier::plan", body)


def neighbor_structures(functions: list[Function]) -> str:
    """Return plan/neighbors/neighbor_structures.hpp."""
    body = [
        "// Arguments of the neighborhood collectives, as the user gave them, without the",
        "// communicator.",
        "",
    ]
    for function in _neighbors(functions):
        name = enumerator(function)
        body += [f"struct {function.structure} {{"]
        body += [f"  static constexpr NeighborCall neighbor_call = NeighborCall::{name};", ""]
        body += [*_members(function), "};", ""]
    includes = ["#include <cstdint>", "", *MPI]
    includes += ['#include "espalier/exec/memory/integers.hpp"']
    includes += ['#include "espalier/plan/neighbors/neighbor_list.hpp"']
    return header(includes, "espalier::plan", body[:-1])


def passed(argument: Argument) -> str:
    """Return a member of a call as the type that the function takes."""
    member = f"call.{argument.name}"
    kind = argument.kind
    if kind.name == "comm":
        return "comm"
    if not kind.may_be_large:
        return member
    if argument.c_type.endswith("*"):
        return f"static_cast<{argument.c_type}>({member}.data())"
    return f"static_cast<{argument.c_type}>({member})"


def _native_call(function: Function, indent: int) -> list[str]:
    names = [passed(argument) for argument in function.arguments]
    return listed(f"return P{function.name}(", names, ");", indent=indent)


def native_calls(functions: list[Function]) -> str:
    """Return plan/calls/native_calls.hpp: each call as the MPI library makes it."""
    body = [
        "// Each call as the MPI library makes it. MPI_SUCCESS or the code of an error. A library",
        "// without large counts says nothing of a call that has them.",
        "",
    ]
    for function in _served(functions):
        unused = "" if function.own_arguments else "[[maybe_unused]] "
        parameters = [f"{unused}{function.structure} const& call", "MPI_Comm comm"]
        body += signature("inline int", "call_native", parameters, " noexcept {")
        if function.has_large_form:
            body += ["#if MPI_VERSION >= 4", "  if (call.has_large_counts) {"]
            body += ["    if (!mpi::has_large_counts()) {", "      return MPI_SUCCESS;"]
            body += ["    }", *_native_call(enlarged(function), 4), "  }", "#endif"]
        body += [*_native_call(function, 2), "}", ""]
    includes = [*MPI, '#include "espalier/mpi/large_counts.hpp"']
    includes += ['#include "espalier/plan/calls/calls.hpp"']
    return header(includes, "espalier::plan", body[:-1])


def _native_start(function: Function, indent: int) -> list[str]:
    names = [passed(argument) for argument in function.arguments]
    begin = f"return P{begun(function).name}("
    return listed(begin, [*names, "&request"], ");", indent=indent)


def native_starts(functions: list[Function]) -> str:
    """Return plan/calls/native_starts.hpp: each call as the MPI library starts it."""
    body = [
        "// MPI_SUCCESS or the code of an error. Large counts only where the library has them",
        "// (mpi::has_large_counts()) and its header, too (MPI_VERSION).",
        "",
    ]
    for function in _served(functions):
        unused = "" if function.own_arguments else "[[maybe_unused]] "
        parameters = [f"{unused}{function.structure} const& call", "MPI_Comm comm"]
        parameters.append("MPI_Request& request")
        body += signature("inline int", "start_native", parameters, " noexcept {")
        if function.has_large_form:
            body += ["#if MPI_VERSION >= 4", "  if (call.has_large_counts) {"]
            body += [*_native_start(enlarged(function), 4), "  }", "#endif"]
        body += [*_native_start(function, 2), "}", ""]
    includes = [*MPI, '#include "espalier/plan/calls/calls.hpp"']
    return header(includes, "espalier::plan", body[:-1])


def _bind(function: Function, end: str) -> list[str]:
    parameters = [f"{function.structure} const& call", *BINDING, "NamedTypes& types"]
    return signature("Binding", "bind", parameters, end)


def _make_executor(function: Function, end: str) -> list[str]:
    parameters = [f"{function.structure} const& call", *BINDING]
    parameters += ["schedule::RankProgram const& program"]
    return signature("exec::MpiExecutor", "make_executor", parameters, end)


def _mend(function: Function, end: str) -> list[str]:
    parameters = [f"{function.structure} const& call", "CommunicatorFacts const& facts"]
    parameters += ["Library const& library"]
    return signature(f"Mended<{function.structure}>", "mend", parameters, end)


def bindings_header(functions: list[Function]) -> str:
    """Return plan/calls/bindings.hpp: two functions for each call, found by overloading."""
    body = [
        "// What the cache of executors needs to know; the choice is added by the caller.",
        "// @throws Error mpi.",
        "",
    ]
    for function in _served(functions):
        body += _bind(function, ";")
    body += ["", "// The executor of a call. @throws Error mpi, unsupported, argument.", ""]
    for function in _served(functions):
        body += _make_executor(function, ";")
    includes = ['#include "espalier/exec/messages/mpi_executor.hpp"']
    includes += ['#include "espalier/plan/calls/binding.hpp"']
    includes += ['#include "espalier/plan/calls/calls.hpp"']
    includes += ['#include "espalier/schedule/program.hpp"']
    return header(includes, "espalier::plan", body)


def mend_header(functions: list[Function]) -> str:
    """Return plan/irregular/mend.hpp: what a rank can do about an irregular call."""
    body = [
        "// Local. What a rank can do about a call for which bytes() has no value.",
        "// @throws ClassError if it cannot take part; Error mpi.",
        "",
    ]
    for function in _served(functions):
        body += _mend(function, ";")
    includes = ['#include "espalier/plan/calls/calls.hpp"']
    includes += ['#include "espalier/plan/irregular/irregular.hpp"']
    includes += ['#include "espalier/plan/irregular/library.hpp"']
    return header(includes, "espalier::plan", body)


def call_rules(functions: list[Function]) -> str:
    """Return plan/calls/call_rules.cpp: bytes() by rule, and bindings that follow one."""
    body: list[str] = []
    parameters = ["CommunicatorFacts const& facts", "NamedTypes& types"]
    for function in _served(functions):
        rule = function.rules["bytes"]
        name = f"{function.structure}::bytes"
        body += signature("std::optional<std::int64_t>", name, parameters, " const {")
        body += [f"  return {rule}_bytes(*this, facts, types);", "}", ""]
        if binding := function.rules.get("binding"):
            body += _bind(function, " {")
            body += [f"  return bind_{binding}(call, target, types);", "}", ""]
            body += _make_executor(function, " {")
            maker = f"exec::{function.native}_executor"
            body += listed(
                f"return {binding}_executor(", [maker, "call", "target", "program"], ");", indent=2
            )
            body += ["}", ""]
    includes = ["#include <cstdint>", "#include <optional>", ""]
    includes += ['#include "espalier/exec/collectives/mpi_collectives.hpp"']
    includes += ['#include "espalier/plan/calls/binding_rules.hpp"']
    includes += ['#include "espalier/plan/calls/bindings.hpp"']
    includes += ['#include "espalier/plan/calls/bytes_rules.hpp"']
    includes += ['#include "espalier/plan/calls/calls.hpp"']
    return source(includes, "espalier::plan", body[:-1])


def mend_rules(functions: list[Function]) -> str:
    """Return plan/irregular/mend_rules.cpp: irregular calls that follow a rule."""
    body: list[str] = []
    for function in _served(functions):
        if rule := function.rules.get("irregular"):
            body += _mend(function, " {")
            body += [f"  return mend_{rule}(call, facts, library);", "}", ""]
    includes = ['#include "espalier/plan/irregular/irregular_vector.hpp"']
    includes += ['#include "espalier/plan/irregular/mend.hpp"']
    return source(includes, "espalier::plan", body[:-1])


def communicator_runs(functions: list[Function]) -> str:
    """Return plan/communicators/communicator_runs.inc: members of Communicator for each call."""
    lines: list[str] = []
    for function in _served(functions):
        call = f"{function.structure} const&"
        lines += [f"template int Communicator::run(Choice const&, {call}) noexcept;"]
        started = f"Choice const&, {call}, StartedCalls&, StartedCalls::Ending, MPI_Request&"
        lines += ["template int Communicator::", f"    start({started}) noexcept;"]
        planned = f"bind_planned(Choice const&, {call}, PlannedFor const&, BoundCall&);"
        if len(f"Communicator::{planned}") <= COLUMNS:
            lines += ["template int", f"Communicator::{planned}"]
        else:
            lines += ["template int Communicator::", f"    {planned}"]
        if function.block_sizes == "known to owners":
            told = f"Choice const&, {call}, std::optional<exec::MpiContext> const&"
            lines += ["template std::optional<AgreedProgram>", f"Communicator::agree({told});"]
    return "\n".join([*HEAD, *lines, ""])


def neighbor_runs(functions: list[Function]) -> str:
    """Return plan/neighbors/neighbor_runs.inc: members of Neighbors for each call."""
    members = (
        "int Neighbors::run(Algorithm const&, {} const&);",
        "void\nNeighbors::start(Algorithm const&, {} const&, StartedCalls&, MPI_Request&);",
        "BoundCall\nNeighbors::bind_planned(Algorithm const&, {} const&, exec::MpiContext);",
        "PlannedNeighbors Neighbors::plan(Algorithm const&, {} const&);",
        "std::int64_t Neighbors::typical_bytes({} const&);",
    )
    lines = [
        f"template {member.format(function.structure)}"
        for member in members
        for function in _neighbors(functions)
    ]
    return "\n".join([*HEAD, *lines, ""])
