# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest

import catalog_page

ROOT = Path(__file__).parents[2]

HEAD = """\
// SPDX-License-Identifier: Apache-2.0

/// @file
/// Ring: every rank hands on what it got.
///
///     blocks held, p = 4     rank 0
///
/// Rounds  p - 1; with a long remark that
/// goes on
///         and on.
/// Bytes   m | p * 2.
/// Scratch m, then (1 op 2) op ...
/// Valid   p >= 1.
/// Source  [ring2005], "ring", and [other1999].

/// Rounds  of something else.
int f();
"""

REFERENCES = """\
% A comment.

@article{ring2005,
  author  = {M{\\"u}ller, Anna and Pje{\\v{s}}ivac-Grbovi{\\'c}, Jelena},
  title   = {Rings in {MPI}},
  journal = {A Journal},
  pages   = {1--2},
  year    = {2005},
}

@misc{other1999,
  author = {One, A. and Two, B. and Three, C. and Four, D.},
  title  = {Others},
  year   = {1999},
}
"""


class Core:
    """A module with one variant."""

    def __init__(self, rounds: int = 7) -> None:
        self.rounds = rounds

    @staticmethod
    def variants(_collective: str, num_ranks: int) -> list[str]:
        return ["allgather/ring[k=2]"] if num_ranks == 64 else []

    def facts(self, _choice: str, _num_ranks: int) -> dict[str, int]:
        return {
            "rounds": self.rounds,
            "messages": 3,
            "blocks": 6,
            "scratch": 0,
            "output_blocks": 8,
        }

    def count(self, _choice: str, _num_ranks: int) -> dict[str, int]:
        return {"rounds": self.rounds, "volume": 8, "reductions": 4}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "espalier" / "algorithms"
    (folder / "allgather").mkdir(parents=True)
    (folder / "allgather" / "ring.cpp").write_text(HEAD)
    (folder / "CMakeLists.txt").write_text("set(\n  catalog\n  allgather/ring\n)\n")
    (tmp_path / "docs" / "reference").mkdir(parents=True)
    (tmp_path / "docs" / "references.bib").write_text(REFERENCES)
    (tmp_path / catalog_page.PAGE).write_text(catalog_page.make_page(tmp_path, Core()))
    return tmp_path


def test_the_page_of_this_tree_has_the_heads_of_the_algorithms() -> None:
    assert catalog_page.check(ROOT, None) == ""


def test_fields_of_a_head_are_joined_and_end_with_it() -> None:
    fields = catalog_page.parse_head(HEAD)
    assert fields["Rounds"] == "p - 1; with a long remark that goes on and on."
    assert list(fields) == ["Rounds", "Bytes", "Scratch", "Valid", "Source"]


def test_page_has_texts_numbers_and_sources(tree: Path) -> None:
    page = (tree / catalog_page.PAGE).read_text()
    assert page.isascii()
    assert (
        "| [ring](../../espalier/algorithms/allgather/ring.cpp)"
        " | p - 1; with a long remark that goes on and on | m \\| p \\* 2"
        " | m, then (1 op 2) op ... | p >= 1"
        ' | [ring2005](#ring2005), "ring", and [other1999](#other1999) |\n'
    ) in page
    assert (
        "| ring[k=2] on 64 ranks | 7 | 3 | 3/4 m | 0 | 7 alpha + m beta + 1/2 m gamma |\n" in page
    )
    assert (
        '- <a id="ring2005"></a>ring2005: Mueller and Pjesivac-Grbovic, Rings in MPI, A Journal,'
        " 2005\n"
    ) in page
    assert "One and others, Others, 1999\n" in page


def test_up_to_date_page_is_accepted(tree: Path) -> None:
    assert catalog_page.check(tree, Core()) == ""
    assert catalog_page.check(tree, None) == ""


def test_changed_head_is_reported_with_its_line(tree: Path) -> None:
    path = tree / "espalier" / "algorithms" / "allgather" / "ring.cpp"
    path.write_text(HEAD.replace("p >= 1", "p >= 2"))
    problem = catalog_page.check(tree, None)
    assert problem.startswith("docs/reference/catalog.md:")
    assert "out of date; run" in problem


def test_changed_numbers_are_seen_with_the_module_only(tree: Path) -> None:
    assert "out of date" in catalog_page.check(tree, Core(rounds=8))
    assert catalog_page.check(tree, None) == ""


@pytest.mark.parametrize("name", ["other.cpp", "ring.hpp"])
def test_file_beside_the_algorithms_is_reported(tree: Path, name: str) -> None:
    folder = tree / "espalier" / "algorithms" / "allgather"
    (folder / "parts").mkdir()
    (folder / "parts" / "shared.hpp").write_text("")
    assert catalog_page.check(tree, None) == ""
    (folder / name).write_text(HEAD)
    problem = catalog_page.check(tree, None)
    assert problem.startswith(f"espalier/algorithms/allgather/{name}: expected a line in")


def test_head_without_a_source_is_reported_with_its_file(tree: Path) -> None:
    path = tree / "espalier" / "algorithms" / "allgather" / "ring.cpp"
    path.write_text("".join(line for line in HEAD.splitlines(True) if "Source" not in line))
    assert catalog_page.check(tree, None) == (
        "espalier/algorithms/allgather/ring.cpp:"
        " expected a head with Rounds, Valid, Source, got no Source"
    )


def test_added_entry_is_reported(tree: Path) -> None:
    folder = tree / "espalier" / "algorithms"
    (folder / "allgather" / "other.cpp").write_text(HEAD)
    (folder / "CMakeLists.txt").write_text("set(catalog allgather/ring allgather/other)\n")
    assert "out of date" in catalog_page.check(tree, None)


def test_missing_page_is_reported(tree: Path) -> None:
    (tree / catalog_page.PAGE).unlink()
    assert "missing" in catalog_page.check(tree, None)


def test_head_without_valid_names_the_file(tree: Path) -> None:
    path = tree / "espalier" / "algorithms" / "allgather" / "ring.cpp"
    path.write_text(HEAD.replace("/// Valid", "/// Void "))
    problem = catalog_page.check(tree, None)
    assert problem.startswith("espalier/algorithms/allgather/ring.cpp: ")
    assert problem.endswith("got no Valid")


def test_unknown_source_is_named(tree: Path) -> None:
    path = tree / "espalier" / "algorithms" / "allgather" / "ring.cpp"
    path.write_text(HEAD.replace("[ring2005]", "[ring2006]"))
    assert catalog_page.check(tree, None) == (
        "allgather/ring: expected a source of docs/references.bib, got ring2006"
    )


def test_repeated_entry_is_named(tree: Path) -> None:
    path = tree / "espalier" / "algorithms" / "CMakeLists.txt"
    path.write_text("set(catalog allgather/ring allgather/ring)\n")
    assert catalog_page.check(tree, None).endswith("each algorithm once, got allgather/ring again")
