#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the pages of docs/benchmarks from the data that are kept in their folder data.

Usage: pages.py [--check]. With --check nothing is written; exit code 1 if a page is not what its
data give.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

BENCHMARKS = Path(__file__).resolve().parent
sys.path[:0] = [str(BENCHMARKS.parent / "python"), str(BENCHMARKS / "reproduce")]

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

PAGES = BENCHMARKS.parent / "docs" / "benchmarks"
# Page: folder of the study, whose page.py has `text` and, if there are figures, `draw`.
STUDIES = {
    "borrowing": BENCHMARKS / "borrowing",
    "effort": BENCHMARKS / "effort",
    "keys": BENCHMARKS / "keys",
    "node": BENCHMARKS / "node",
    "onesided": BENCHMARKS / "onesided",
    "one-sided-tuned-collectives": BENCHMARKS / "reproduce" / "one-sided-tuned-collectives",
    "orthogonal-groups": BENCHMARKS / "reproduce" / "orthogonal-groups",
    "overlap": BENCHMARKS / "overlap",
    "peers": BENCHMARKS / "peers",
    "programs": BENCHMARKS / "programs",
    "regret": BENCHMARKS / "regret",
    "scale": BENCHMARKS / "scale",
    "sparbit": BENCHMARKS / "reproduce" / "sparbit",
    "threads": BENCHMARKS / "threads",
    "unprepared": BENCHMARKS / "unprepared",
}


def module_of(folder: Path) -> ModuleType:
    """Return the module page.py of a study; several studies have one."""
    name = f"page_of_{folder.name}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, folder / "page.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(folder / "page.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(folder))
    spec.loader.exec_module(module)
    sys.path.remove(str(folder))
    return module


def declared_in(folder: Path) -> Mapping[str, Any]:
    """Return what a study declares; nothing if it has no experiments.toml."""
    path = folder / "experiments.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def text_of(name: str, data: Path) -> str:
    """Return a page as the data in a folder give it."""
    folder = STUDIES[name]
    text: str = module_of(folder).text(declared_in(folder), data)
    return text


def draw(folder: Path, data: Path = PAGES / "data") -> None:
    """Draw the figures of all pages into a folder."""
    for study in STUDIES.values():
        module = module_of(study)
        if hasattr(module, "draw"):
            module.draw(declared_in(study), data, folder)


def stale(pages: Path = PAGES) -> list[str]:
    """Return the names of the pages that are not what their data give."""
    return [
        name
        for name in STUDIES
        if (pages / f"{name}.md").read_text(encoding="utf-8") != text_of(name, pages / "data")
    ]


def main(arguments: list[str]) -> int:
    """Write, or compare."""
    if arguments == ["--check"]:
        found = stale()
        for name in found:
            sys.stderr.write(f"docs/benchmarks/{name}.md: run benchmarks/pages.py\n")
        return 1 if found else 0
    for name in STUDIES:
        (PAGES / f"{name}.md").write_text(text_of(name, PAGES / "data"), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
