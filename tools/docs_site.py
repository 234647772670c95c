# SPDX-License-Identifier: Apache-2.0
"""Stage what the site is made from: pages, figures drawn from kept data, reference from the code.

Usage: docs_site.py FOLDER, which is emptied first. Exit code 1 if a page shows a figure that is not
drawn, or a figure that is drawn is shown by no page.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "python"))
sys.path.insert(0, str(ROOT / "espalier" / "calls"))

import for_fortran  # noqa: E402
import for_fortran_neighbors  # noqa: E402
import table  # noqa: E402

import site_figures  # noqa: E402
import site_headers  # noqa: E402
import site_pages  # noqa: E402
import site_reference  # noqa: E402
from espalier.cli.app import app  # noqa: E402

# Pages that are made here, by the shelf of docs/README.md on which they stand.
_REFERENCE = "docs/reference"
GENERATED = {
    "Reference": [
        f"{_REFERENCE}/{name}.md"
        for name in (
            "command_line",
            "file_formats",
            "c_interface",
            "fortran_interface",
            "python_interface",
        )
    ]
}
FORTRAN = (
    "espalier.f90",
    "espalier_mpix.f90",
    "espalier_neighbor.f90",
    "espalier_neighborhoods.f90",
    "espalier_onesided.f90",
    "espalier_onesided_conduit.f90",
    "espalier_onesided_segment.f90",
    "espalier_onesided_transfer.f90",
    "espalier_onesided_messages.f90",
    "espalier_onesided_team.f90",
    "espalier_onesided_collectives.f90",
    "espalier_onesided_uneven.f90",
    "espalier_onesided_arrays.f90",
    "espalier_order.f90",
    "espalier_order_calls.f90",
    "espalier_planned.f90",
    "espalier_requests.f90",
)
PYTHON = {
    "espalier.mpi": "Grids on communicators of mpi4py",
    "espalier.neighbors": "Neighborhood collectives for mpi4py and NumPy",
    "espalier.onesided": "One-sided communication for mpi4py and NumPy",
    "espalier.planned": "Planned collectives for mpi4py and NumPy",
    "espalier.reordering": "Rank orders for trees on communicators of mpi4py",
    "espalier.errors": "Errors",
}
# Names of a module that another one shows already.
SHOWN_ELSEWHERE = {"espalier.neighbors": "Request", "espalier.planned": "Request"}


def fortran_modules(folder: Path) -> list[Path]:
    """Return the modules that are shown; what the table of calls gives is written to a folder."""
    sources = ROOT / "espalier"
    calls = table.read_table(sources / "calls" / "functions.json")
    made = {
        "espalier_neighbor_collectives.f90": for_fortran_neighbors.module(calls),
        "espalier_planned_collectives.f90": for_fortran.planned_module(calls),
    }
    for name, text in made.items():
        _write(folder / name, text)
    written = [sources / "capi" / "fortran" / name for name in FORTRAN]
    return [*written, *(folder / name for name in made)]


def stage(folder: Path) -> list[str]:
    """Fill a folder, and return a line for each problem."""
    wanted: set[str] = set()
    for page in site_pages.shown(ROOT):
        text = (ROOT / page).read_text(encoding="utf-8")
        wanted |= set(site_pages.figures_of(page, text))
        _write(folder / page, site_pages.staged(ROOT, page, text))
    for path in (ROOT / "docs").rglob("*"):
        name = path.relative_to(ROOT).as_posix()
        if path.is_file() and site_pages.is_data(name):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / name)
    for page, text in zip(GENERATED["Reference"], _reference(folder), strict=True):
        _write(folder / page, text)
    _write(folder / "index.md", site_pages.contents(ROOT, GENERATED))
    site_figures.draw(folder)
    drawn = {path.relative_to(folder).as_posix() for path in folder.rglob("figures/*.svg")}
    return [
        *(f"{name}: a page shows it, but nothing draws it" for name in sorted(wanted - drawn)),
        *(f"{name}: drawn, but no page shows it" for name in sorted(drawn - wanted)),
    ]


def _reference(folder: Path) -> list[str]:
    """Return the pages of reference that are made from the code, in the order of GENERATED."""
    return [
        site_reference.command_line_page(app),
        site_reference.formats_page(ROOT / "python" / "espalier" / "schemas"),
        site_headers.c_page(site_headers.stage_headers(ROOT / "include", folder / "include")),
        site_headers.fortran_page(fortran_modules(folder / "fortran")),
        site_headers.python_page(PYTHON, SHOWN_ELSEWHERE),
    ]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main() -> int:
    """Stage, and say what is wrong."""
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    problems = stage(folder)
    sys.stderr.write("".join(f"docs: {problem}\n" for problem in problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
