# SPDX-License-Identifier: Apache-2.0
"""The rows of functions.json: MPI functions, their arguments, and what is done with them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

SIGNIFICANT = ("always", "at root", "not in place", "not in place, at root")
# Who knows how large the blocks of a call are, as in espalier/profile/call_facts.hpp.
BLOCK_SIZES = ("none", "equal", "known to all", "known to owners")
TREATMENTS = ("handler", "makes", "collective", "neighborhood")


class TableError(Exception):
    """The table of functions says something the generator does not understand."""


@dataclass(frozen=True)
class Kind:
    """What an argument is, and its type in mpi.h; `large_type` is that of large-count functions."""

    name: str
    c_type: str
    large_type: str

    @property
    def may_be_large(self) -> bool:
        """Tell whether large-count functions have another type."""
        return self.large_type != self.c_type

    @property
    def member_type(self) -> str:
        """Return the type in a structure of arguments, which is that of all forms."""
        if not self.may_be_large:
            return self.c_type
        return "exec::Integers" if self.c_type.endswith("*") else "std::int64_t"


@dataclass(frozen=True)
class Argument:
    """One argument of an MPI function."""

    name: str
    kind: Kind
    significant: str
    is_large: bool = False

    @property
    def c_type(self) -> str:
        """Return the type in mpi.h."""
        return self.kind.large_type if self.is_large else self.kind.c_type


@dataclass(frozen=True)
class Function:
    """One row.

    `handler` names the function of the shim that does everything, `makes` the argument that points
    at a new communicator, `collective` the collective of espalier/schedule that serves the call,
    `neighborhood` that of espalier/neighborhood. Exactly one of them is not empty. `form_of` and
    what follows are not of a row: the function of the row that this is another form of, see
    `begun()`, `planned()` and `enlarged()`.
    """

    name: str
    arguments: tuple[Argument, ...]
    handler: str = ""
    makes: str = ""
    collective: str = ""
    neighborhood: str = ""
    block_sizes: str = ""
    in_place: str = ""
    rules: dict[str, str] = field(default_factory=dict)
    form_of: str = ""
    is_begun: bool = False
    is_planned: bool = False
    is_large: bool = False

    @property
    def has_call(self) -> bool:
        """Tell whether the arguments have a structure, with which the call may be served."""
        return bool(self.collective or self.neighborhood)

    @property
    def native(self) -> str:
        """Return the name in lower case without the prefix: `allgather` for MPI_Allgather."""
        return self.name.removeprefix("MPI_").lower()

    @property
    def structure(self) -> str:
        """Return the name of the structure: `ReduceScatterCall` for MPI_Reduce_scatter."""
        words = (self.form_of or self.name).removeprefix("MPI_").lower().split("_")
        return "".join(word.capitalize() for word in words) + "Call"

    @property
    def own_arguments(self) -> tuple[Argument, ...]:
        """Return all arguments of the call itself: no communicator, no request and its info."""
        others = ("comm", "request", "info") if self.is_planned else ("comm", "request")
        return tuple(a for a in self.arguments if a.kind.name not in others)

    @property
    def has_large_form(self) -> bool:
        """Tell whether a type depends on how large counts may be."""
        return any(argument.kind.may_be_large for argument in self.arguments)


INFO = Argument("info", Kind("info", "MPI_Info", "MPI_Info"), "always")
REQUEST = Argument("request", Kind("request", "MPI_Request*", "MPI_Request*"), "always")


def begun(function: Function) -> Function:
    """Return the nonblocking form of a call as a function of its own."""
    stem = function.name.removeprefix("MPI_")
    return replace(
        function,
        name=f"MPI_I{stem[0].lower()}{stem[1:]}",
        arguments=(*function.arguments, REQUEST),
        form_of=function.form_of or function.name,
        is_begun=True,
    )


def planned(function: Function) -> Function:
    """Return the persistent form of a call as a function of its own."""
    end = "_init_c" if function.is_large else "_init"
    return replace(
        function,
        name=f"{function.name.removesuffix('_c')}{end}",
        arguments=(*function.arguments, INFO, REQUEST),
        form_of=function.form_of or function.name,
        is_planned=True,
    )


def enlarged(function: Function) -> Function:
    """Return the form of a call with large counts as a function of its own."""
    return replace(
        function,
        name=f"{function.name}_c",
        arguments=tuple(
            replace(argument, is_large=argument.kind.may_be_large)
            for argument in function.arguments
        ),
        form_of=function.name,
        is_large=True,
    )


def _kinds(rows: dict[str, dict[str, str]]) -> dict[str, Kind]:
    return {name: Kind(name, row["c"], row.get("large", row["c"])) for name, row in rows.items()}


def _argument(row: dict[str, str], kinds: dict[str, Kind], function: str) -> Argument:
    kind, significant = row["kind"], row["significant"]
    if kind not in kinds:
        raise TableError(f"{function}: expected a kind ({', '.join(kinds)}), got '{kind}'")
    if significant not in SIGNIFICANT:
        raise TableError(
            f"{function}: expected significant ({'; '.join(SIGNIFICANT)}), got '{significant}'"
        )
    return Argument(row["name"], kinds[kind], significant)


def _check(function: Function) -> None:
    names = {argument.name for argument in function.arguments}
    if function.makes and function.makes not in names:
        raise TableError(
            f"{function.name}: expected 'makes' to be an argument, got '{function.makes}'"
        )
    if not function.has_call:
        return
    if sum(argument.kind.name == "comm" for argument in function.arguments) != 1:
        raise TableError(f"{function.name}: expected one communicator among the arguments")
    if function.block_sizes not in BLOCK_SIZES:
        raise TableError(
            f"{function.name}: expected block_sizes ({'; '.join(BLOCK_SIZES)}), "
            f"got '{function.block_sizes}'"
        )
    if function.in_place and function.in_place not in names:
        raise TableError(
            f"{function.name}: expected 'in_place' to be an argument, got '{function.in_place}'"
        )
    if function.collective and "bytes" not in function.rules:
        raise TableError(f"{function.name}: expected a rule 'bytes', got none")


def parse_function(row: dict[str, Any], kinds: dict[str, Kind]) -> Function:
    """Read one row."""
    name = str(row.get("name"))
    if not re.fullmatch(r"MPI_[A-Z][a-z_]+", name):
        raise TableError(f"expected the name of an MPI function, got '{name}'")
    if sum(key in row for key in TREATMENTS) != 1:
        raise TableError(f"{name}: expected one of {', '.join(TREATMENTS)}, got more or none")
    if not isinstance(row["arguments"], list):
        raise TableError(
            f"{name}: expected a list of arguments, got {type(row['arguments']).__name__}"
        )
    others = {key: value for key, value in row.items() if key not in ("name", "arguments")}
    known = set(Function.__dataclass_fields__) - {"form_of", "is_begun", "is_planned", "is_large"}
    for key in others:
        if key not in known:
            raise TableError(f"{name}: expected a key ({', '.join(sorted(known))}), got '{key}'")
    arguments = tuple(_argument(argument, kinds, name) for argument in row["arguments"])
    function = Function(name, arguments, **others)
    _check(function)
    return function


def parse_table(text: str) -> list[Function]:
    """Read the rows of a table."""
    table = json.loads(text)
    kinds = _kinds(table["kinds"])
    return [parse_function(row, kinds) for row in table["functions"]]


def read_table(path: Path) -> list[Function]:
    """Read the rows of a file."""
    return parse_table(path.read_text(encoding="utf-8"))
