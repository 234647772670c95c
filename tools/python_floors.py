# SPDX-License-Identifier: Apache-2.0
"""Check that packages of python/espalier import only what stands below them.

Every import counts: inside functions and under TYPE_CHECKING as well, since a type that is borrowed
from above ties two rooms together as a call does.

Usage: python_floors.py. Prints the table as DESIGN.md has it.
"""

from __future__ import annotations

import ast
import graphlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    Table = Mapping[str, AbstractSet[str]]

PACKAGE = "espalier"
FOLDER = f"python/{PACKAGE}"
TABLE = "tools/python_floors.py"


@dataclass(frozen=True)
class Floors:
    """Direct dependencies; everything that can be reached through them may be imported.

    `packages` are folders, `modules` the files that may lie beside them; `espalier` is the
    `__init__.py` of all.
    """

    packages: Table
    modules: Table

    @property
    def table(self) -> Table:
        """Return the dependencies of packages and modules together."""
        return {**self.packages, **self.modules}

    def reachable(self, room: str) -> set[str]:
        """Return a room and everything below it. The table must not have a cycle."""
        return {room}.union(*(self.reachable(below) for below in self.table.get(room, ())))

    def mistakes(self) -> list[str]:
        """Return what is wrong with the table itself."""
        table = self.table
        missing = sorted({below for rooms in table.values() for below in rooms} - table.keys())
        if missing:
            return [f"the table has no row for {', '.join(missing)}"]
        cycle = _cycle(table)
        return [f"the table has a cycle: {' -> '.join(cycle)}"] if cycle else []


FLOORS = Floors(
    packages={
        "base": {"errors"},
        "io": {"base", "installation"},
        "machines": {"_core", "io"},
        "catalog": {"machines"},
        "profiles": {"_core", "io"},
        "conditions": {"base", "espalier"},
        "launch": {"_core", "io"},
        "exports": {"launch", "profiles"},
        "clusters": {"launch"},
        "sampling": {"catalog", "clusters"},
        "store": {"conditions", "sampling"},
        "doctor": {"conditions", "launch"},
        "maps": {"conditions", "launch", "machines"},
        "halo": {"clusters", "conditions"},
        "probing": {"conditions", "launch", "machines"},
        "orders": {"probing", "sampling"},
        "compare": {"conditions", "launch"},
        "models": {"conditions", "sampling"},
        "simulate": {"store"},
        "tuning": {"profiles", "store"},
        "peers": {"tuning"},
        "improvement": {"compare", "maps", "probing", "tuning"},
        "report": {"catalog", "maps", "probing", "profiles"},
        "onesided": {"api"},
        "planned": {"onesided"},
        "neighbors": {"planned"},
        "cli": {
            "doctor",
            "exports",
            "halo",
            "improvement",
            "models",
            "orders",
            "peers",
            "report",
            "simulate",
        },
    },
    modules={
        # Compiled code raises errors of this module, and programs catch them.
        "errors": set(),
        # Its own place says where the compiled parts are.
        "installation": set(),
        "espalier": {"errors", "installation"},
        "_core": set(),
        "__main__": {"cli"},
        # What calls the library of the C interface.
        "api": {"errors", "installation"},
        # What programs import, as they do the package onesided.
        "mpi": {"api"},
        "reordering": {"api"},
    },
)


@dataclass(frozen=True)
class Import:
    """That a module, named in full, imports another one."""

    place: str
    module: str
    imported: str

    @property
    def rooms(self) -> tuple[str, str]:
        """Return the packages or loose modules of both ends."""
        return _room(self.module), _room(self.imported)


def check(root: Path, floors: Floors = FLOORS) -> list[str]:
    """Return a line for each violation below a root: `file:line: what is wrong` for imports."""
    folder = root / FOLDER
    modules = {_name(path, folder): path for path in sorted(folder.rglob("*.py"))}
    mistakes = [f"{FOLDER}: {text}" for text in floors.mistakes()]
    mistakes += list(_strangers(modules, root, floors))
    if mistakes:
        return mistakes
    imports = [one for name, path in modules.items() for one in _imports(name, path, root, modules)]
    return [*_upward(imports, floors), *_circle(imports)]


def _strangers(modules: Mapping[str, Path], root: Path, floors: Floors) -> Iterator[str]:
    """Yield a line for each package and loose module that the table does not have."""
    seen = set()
    for name, path in modules.items():
        room = _room(name)
        is_loose = path.parent == root / FOLDER
        known = floors.modules if is_loose else floors.packages
        if room not in known and room not in seen:
            seen.add(room)
            place = path.relative_to(root).as_posix()
            what = "loose module" if is_loose else "package"
            yield f"{place}:1: {what} {room} is not in the table of {TABLE}"


def _upward(imports: list[Import], floors: Floors) -> Iterator[str]:
    allowed = {room: floors.reachable(room) for room in floors.table}
    for one in imports:
        room, imported = one.rooms
        if imported not in allowed[room]:
            yield f"{one.place}: {room} may not import {imported}"


def _circle(imports: list[Import]) -> Iterator[str]:
    """Yield a line for one circle of modules, if there is any."""
    places = {(one.module, one.imported): one.place for one in imports}
    graph: dict[str, set[str]] = {}
    for one in imports:
        graph.setdefault(one.module, set()).add(one.imported)
    cycle = _cycle(graph)
    if cycle:
        yield f"{places[cycle[0], cycle[1]]}: modules import each other: {' -> '.join(cycle)}"


def _cycle(table: Table) -> list[str]:
    """Return a cycle, each member depending on the next, the first one again at the end."""
    try:
        graphlib.TopologicalSorter(table).prepare()
    except graphlib.CycleError as error:
        cycle: list[str] = error.args[1]
        return cycle[::-1]
    return []


def _name(path: Path, folder: Path) -> str:
    """Return the full name of a module: `espalier.cli.app`, for a package that of its folder."""
    parts = path.relative_to(folder.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _room(module: str) -> str:
    """Return the package or loose module that a module belongs to, `espalier` for the root."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def _imports(name: str, path: Path, root: Path, modules: Mapping[str, Path]) -> Iterator[Import]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    place = path.relative_to(root).as_posix()
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr):
            for imported in _imported(node, package, modules):
                if imported.partition(".")[0] == PACKAGE and imported != name:
                    yield Import(f"{place}:{node.lineno}", name, imported)


def _imported(
    node: ast.stmt | ast.expr, package: str, modules: Mapping[str, Path]
) -> Iterator[str]:
    """Yield the full names of the modules that a statement or a call imports."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package.split(".")[: 1 - node.level or None] if node.level else []
        origin = ".".join([*above, *filter(None, [node.module])])
        for alias in node.names:
            full = f"{origin}.{alias.name}"
            # The compiled module has no file here.
            is_module = full in modules or full == f"{PACKAGE}._core"
            yield full if is_module else origin
    elif isinstance(node, ast.Call) and _is_import_call(node.func):
        argument = node.args[0] if node.args else None
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            yield argument.value


def _is_import_call(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("import_module", "__import__")


def table_text(root: Path, floors: Floors = FLOORS) -> str:
    """Return the table in Markdown; what a room is for is the first line of its docstring."""
    lines = ["| package | job | may use |", "|---|---|---|"]
    for room, below in floors.table.items():
        uses = ", ".join(sorted(below))
        lines.append(f"| `{room}` | {_job(root / FOLDER, room)} | {uses} |")
    return "\n".join(lines) + "\n"


def _job(folder: Path, room: str) -> str:
    """Return what a package or loose module is for, without the full stop."""
    init = folder / ("" if room == PACKAGE else room) / "__init__.py"
    files = (init, folder / f"{room}.py", folder / f"{room}.pyi")
    path = next(path for path in files if path.is_file())
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0].removesuffix(".")


if __name__ == "__main__":
    print(table_text(Path(__file__).parents[1]), end="")
