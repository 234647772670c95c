# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest

from python_floors import FLOORS as REAL
from python_floors import TABLE, Floors, check, table_text

ROOT = Path(__file__).parents[2]

FLOORS = Floors(
    packages={"low": {"errors"}, "middle": {"low"}, "high": {"middle"}, "beside": {"low"}},
    modules={"errors": set(), "espalier": {"errors"}, "_core": set()},
)


def problems(root: Path, files: dict[str, str], floors: Floors = FLOORS) -> list[str]:
    for name, text in files.items():
        file = root / "python" / "espalier" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return check(root, floors)


def test_this_tree_has_floors() -> None:
    assert check(ROOT) == []


def test_every_row_of_the_table_is_a_room_of_this_tree() -> None:
    folder = ROOT / "python" / "espalier"
    assert all((folder / name / "__init__.py").is_file() for name in REAL.packages)
    files = {name for name in REAL.modules if name not in ("_core", "espalier")}
    assert all((folder / f"{name}.py").is_file() for name in files)


def test_every_dependency_of_the_table_is_one() -> None:
    spare = Floors({room: set() for room in REAL.packages}, {room: set() for room in REAL.modules})
    needed = {
        tuple(line.partition(": ")[2].split(" may not import ")) for line in check(ROOT, spare)
    }
    allowed = {(room, below) for room, rooms in REAL.table.items() for below in rooms}
    assert allowed <= needed


def test_the_table_in_the_design_is_this_one() -> None:
    assert table_text(ROOT) in (ROOT / "DESIGN.md").read_text(encoding="utf-8"), (
        "expected the table that python tools/python_floors.py prints"
    )


def test_the_table_tells_what_a_room_is_for_and_may_use(tmp_path: Path) -> None:
    floors = Floors(
        packages={"low": {"errors", "_core"}}, modules={"errors": set(), "_core": set()}
    )
    texts = {"low/__init__.py": "Lowest.", "errors.py": "Errors.\n\nMore.\n", "_core.pyi": "Core."}
    problems(tmp_path, {name: f'"""{text}"""\n' for name, text in texts.items()}, floors)
    assert table_text(tmp_path, floors).splitlines()[2:] == [
        "| `low` | Lowest | _core, errors |",
        "| `errors` | Errors |  |",
        "| `_core` | Core |  |",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "from espalier.high.a import b\n",
        "from espalier.high import a\n",
        "from espalier import high\n",
        "import espalier.high.a as b\n",
        "from ..high import a\n",
        "def f():\n    from espalier.high import a\n",
        "if TYPE_CHECKING:\n    from espalier.high.a import B\n",
        "module = importlib.import_module('espalier.high.a')\n",
    ],
)
def test_upward_import_is_reported_with_file_and_line(tmp_path: Path, text: str) -> None:
    files = {"high/__init__.py": "", "high/a.py": "", "low/c.py": f"import os\n{text}"}
    line = 2 + text.count("\n") - 1
    assert problems(tmp_path, files) == [
        f"python/espalier/low/c.py:{line}: low may not import high"
    ]


@pytest.mark.parametrize(
    ("room", "text"),
    [
        ("high", "from espalier.low import a\n"),
        ("high", "from espalier.errors import Error\n"),
        ("low", "from espalier import errors\n"),
        ("low", "from espalier.low.b import c\nimport json\n"),
    ],
)
def test_downward_import_is_accepted(tmp_path: Path, room: str, text: str) -> None:
    assert problems(tmp_path, {"errors.py": "", "low/b.py": "", f"{room}/a.py": text}) == []


@pytest.mark.parametrize(
    ("text", "imported"),
    [
        ("from espalier.beside import a\n", "beside"),
        ("from espalier import _core\n", "_core"),
        ("from espalier import __version__\n", "espalier"),
        ("from espalier.gone import a\n", "gone"),
    ],
)
def test_import_that_the_table_lacks_is_reported(tmp_path: Path, text: str, imported: str) -> None:
    files = {"__init__.py": "", "beside/a.py": "", "middle/a.py": text}
    assert problems(tmp_path, files) == [
        f"python/espalier/middle/a.py:1: middle may not import {imported}"
    ]


def test_package_missing_in_the_table_is_reported_once(tmp_path: Path) -> None:
    assert problems(tmp_path, {"extra/a.py": "", "extra/b.py": ""}) == [
        f"python/espalier/extra/a.py:1: package extra is not in the table of {TABLE}"
    ]


@pytest.mark.parametrize("name", ["loose", "low"])
def test_loose_module_missing_in_the_table_is_reported(tmp_path: Path, name: str) -> None:
    assert problems(tmp_path, {f"{name}.py": ""}) == [
        f"python/espalier/{name}.py:1: loose module {name} is not in the table of {TABLE}"
    ]


def test_package_in_the_place_of_a_loose_module_is_reported(tmp_path: Path) -> None:
    assert problems(tmp_path, {"errors/a.py": ""}) == [
        f"python/espalier/errors/a.py:1: package errors is not in the table of {TABLE}"
    ]


def test_cycle_in_the_table_is_an_error(tmp_path: Path) -> None:
    floors = Floors(packages={"a": {"b"}, "b": {"c"}, "c": {"a"}}, modules={})
    (problem,) = problems(tmp_path, {"a/x.py": ""}, floors)
    assert problem.startswith("python/espalier: the table has a cycle: ")
    assert sorted(problem.rpartition(": ")[2].split(" -> ")[1:]) == ["a", "b", "c"]


def test_row_missing_in_the_table_is_an_error(tmp_path: Path) -> None:
    floors = Floors(packages={"a": {"b"}}, modules={})
    assert problems(tmp_path, {"a/x.py": ""}, floors) == [
        "python/espalier: the table has no row for b"
    ]


def test_modules_of_a_package_that_import_each_other_are_reported(tmp_path: Path) -> None:
    files = {
        "low/a.py": "from espalier.low import b\n",
        "low/b.py": "import os\nif TYPE_CHECKING:\n    from espalier.low.a import A\n",
    }
    a, b = "espalier.low.a", "espalier.low.b"
    (problem,) = problems(tmp_path, files)
    assert problem in (
        f"python/espalier/low/a.py:1: modules import each other: {a} -> {b} -> {a}",
        f"python/espalier/low/b.py:3: modules import each other: {b} -> {a} -> {b}",
    )


def test_tree_without_the_package_has_no_problem(tmp_path: Path) -> None:
    assert check(tmp_path, FLOORS) == []
