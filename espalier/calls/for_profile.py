# SPDX-License-Identifier: Apache-2.0
"""Files of espalier/profile and the list of neighborhood calls: names and facts, without MPI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from layout import braced, header

if TYPE_CHECKING:
    from table import Function


def enumerator(function: Function) -> str:
    """Return the name of a call in its enumeration."""
    return function.native.removeprefix("neighbor_")


def _facts(function: Function, collective: str, scope: str = "") -> list[str]:
    sizes = f"{scope}BlockSizes::{function.block_sizes.replace(' ', '_')}"
    return braced([f'"{function.native}"', f'"{function.name}"', collective, sizes], indent=4)


def _enumeration(name: str, comment: list[str], functions: list[Function]) -> list[str]:
    names = [enumerator(function) for function in functions]
    return [*comment, f"enum class {name} : std::uint8_t {{", *[f"  {n}," for n in names], "};", ""]


def _all(array: str, name: str, functions: list[Function]) -> list[str]:
    lines = ["/// In the order of the enumeration."]
    lines += [f"inline constexpr std::array {array}{{"]
    lines += [f"    {name}::{enumerator(function)}," for function in functions]
    return [*lines, "};", ""]


def call_list(functions: list[Function]) -> str:
    """Return profile/call_list.hpp: the calls that rules speak of."""
    rows = [function for function in functions if function.collective]
    neighbors = [function for function in functions if function.neighborhood]
    body = [
        "/// An MPI function that rules speak of. Several calls can share the algorithms of one"
    ]
    body += [
        "/// collective. Those of neighborhoods come last.",
        "enum class Call : std::uint8_t {",
    ]
    body += [*[f"  {function.native}," for function in (*rows, *neighbors)], "};", ""]
    for array, some in (("all_calls", rows), ("neighbor_calls", neighbors)):
        body += ["/// In the order of the enumeration."]
        body += [f"inline constexpr std::array {array}{{"]
        body += [*[f"    Call::{function.native}," for function in some], "};", ""]
    num_rows = len(rows) + len(neighbors)
    body += [f"inline constexpr std::array<CallFacts, {num_rows}> call_facts{{{{"]
    for function in rows:
        body += _facts(function, f"schedule::Collective::{function.collective}")
    for function in neighbors:
        body += _facts(function, f"neighborhood::Collective::{function.neighborhood}")
    body += ["}};"]
    includes = ["#include <array>", "#include <cstdint>", ""]
    includes += ['#include "espalier/neighborhood/algorithm.hpp"']
    includes += ['#include "espalier/profile/call_facts.hpp"']
    includes += ['#include "espalier/schedule/collective.hpp"']
    return header(includes, "espalier::profile", body)


def neighbor_list(functions: list[Function]) -> str:
    """Return plan/neighbors/neighbor_list.hpp: the neighborhood calls that settings speak of."""
    rows = [function for function in functions if function.neighborhood]
    body = _enumeration(
        "NeighborCall",
        ["/// An MPI function for neighborhoods that settings speak of."],
        rows,
    )
    body += _all("all_neighbor_calls", "NeighborCall", rows)
    body += [
        "struct NeighborFacts {",
        "  std::string_view text;      ///< `neighbor_alltoallv`, as in settings",
        "  std::string_view function;  ///< `MPI_Neighbor_alltoallv`",
        "  neighborhood::Collective collective;",
        "  profile::BlockSizes block_sizes;",
        "};",
        "",
        f"inline constexpr std::array<NeighborFacts, {len(rows)}> neighbor_facts{{{{",
    ]
    for function in rows:
        body += _facts(function, f"neighborhood::Collective::{function.neighborhood}", "profile::")
    body += ["}};"]
    includes = ["#include <array>", "#include <cstdint>", "#include <string_view>", ""]
    includes += ['#include "espalier/neighborhood/algorithm.hpp"']
    includes += ['#include "espalier/profile/call_facts.hpp"']
    return header(includes, "espalier::plan", body)
