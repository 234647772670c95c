# SPDX-License-Identifier: Apache-2.0
"""The reference of C, Fortran and Python has all that headers and modules offer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import docs_site
import site_headers

ROOT = Path(__file__).parents[2]
FORTRAN = ROOT / "espalier" / "capi" / "fortran"
HEADERS = sorted((ROOT / "include").glob("*.h"))


def test_comments_stand_before_members() -> None:
    text = "struct s {\n  int a; /**< first,\n              and more */\n  int b;\n};\n"
    assert site_headers.staged_header(text) == (
        "#pragma once\nstruct s {\n  /** first, and more */\n  int a;\n  int b;\n};\n"
    )


def test_the_comment_of_the_file_is_on_nothing_else() -> None:
    text = "/** @file */\n#ifndef NAME_H\n#define NAME_H\n#include <mpi.h>\nint f(void);\n#endif\n"
    assert site_headers.staged_header(text) == (
        "#pragma once\n#include <mpi.h>\n/** @file */\nint f(void);\n"
    )


@pytest.mark.parametrize("header", HEADERS, ids=lambda path: path.name)
def test_every_member_has_a_comment(header: Path) -> None:
    """The reference leaves out what has none."""
    text = header.read_text(encoding="utf-8")
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\n\}", text, re.DOTALL):
        members = re.sub(r"/\*\*<.*?\*/", "commented", body, flags=re.DOTALL).splitlines()
        bare = [line for line in members if ";" in line and "commented" not in line]
        assert bare == [], name


def test_every_header_is_staged_beside_that_of_mpi(tmp_path: Path) -> None:
    names = site_headers.stage_headers(ROOT / "include", tmp_path)
    assert names == [path.name for path in HEADERS]
    assert {path.name for path in tmp_path.iterdir()} == {*names, "mpi.h"}
    page = site_headers.c_page(names)
    assert all(f"\n## {name}\n" in page for name in names)


def test_every_public_name_of_fortran_is_shown_for_both_kinds_of_handles(tmp_path: Path) -> None:
    modules = docs_site.fortran_modules(tmp_path)
    parts = ("buffer_places", "neighbor_types", "onesided_types", "order_types", "planned_types")
    inner = {FORTRAN / f"espalier_{part}.f90" for part in parts}
    assert inner.isdisjoint(modules)
    assert {*modules, *inner} == {*FORTRAN.glob("*.f90"), *tmp_path.glob("*.f90")}
    page = site_headers.fortran_page(modules)
    for module in modules:
        text = module.read_text(encoding="utf-8")
        lists = re.findall(r"^  public :: ([\w, ]+)$", text, re.MULTILINE)
        assert lists or re.search(r"^  public$", text, re.MULTILINE)
        for name in ", ".join(lists).split(", ") if lists else []:
            assert page.count(f"\n### {name}\n") == 1
            ways = re.findall(rf"```fortran\ncall {name}\((.*?)```", page, re.DOTALL)
            takes_handles = bool(re.search(r"comm|info|datatype|sendtype|\bop\b", ways[-1]))
            # Planned collectives take large counts, too.
            assert len(ways) in (2, 4) or not takes_handles
            assert ("type(MPI_" in ways[-1]) is takes_handles
            assert all("type(MPI_" not in way for way in ways[::2])
            assert all(("type(MPI_" in way) is takes_handles for way in ways[1::2])


def test_a_module_without_a_comment_is_refused(tmp_path: Path) -> None:
    module = tmp_path / "bare.f90"
    module.write_text("module bare\nend module\n", encoding="utf-8")
    with pytest.raises(ValueError, match="expected a comment before the module"):
        site_headers.fortran_page([module])
