# SPDX-License-Identifier: Apache-2.0
"""Pages get the form that the site needs, and the site has all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import repository
import site_pages

if TYPE_CHECKING:
    from pathlib import Path

INDEX = "# Documents\n\n## How-to\n| [A](howto/a.md) |\n\n## Reference\n[B](reference/b.md#part)\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository of a few pages."""
    for name, text in {
        "README.md": "[documents](docs/README.md)",
        "docs/README.md": INDEX,
        "docs/howto/a.md": "a",
        "docs/reference/b.md": "b",
        "docs/data/times.csv": "",
        "core/README.md": "core",
        "core/part.cpp": "",
        "changelog.d/1.fix.md": "a fix",
        "benchmarks/page.md": "a template",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    repository.output_of(tmp_path, "init", "-q")
    return tmp_path


def test_every_page_is_in_the_contents_once(root: Path) -> None:
    text = site_pages.contents(root, {"Reference": ["docs/reference/made.md"]})
    captions = text.split(":caption: ")[1:]
    found = {part.split("\n")[0]: part.split("\n```")[0].split("\n")[2:] for part in captions}
    assert found == {
        "Start": ["README.md", "docs/README.md"],
        "How-to": ["docs/howto/a.md"],
        "Reference": ["docs/reference/b.md", "docs/reference/made.md"],
        "The code, folder by folder": ["core/README.md"],
    }


def test_lines_for_figures_become_figures(root: Path) -> None:
    text = "x\n\n*Figure `figures/a-1.svg`, drawn by `make docs`: times on A, 2 ranks.*\n"
    assert site_pages.figures_of("docs/howto/a.md", text) == ["docs/howto/figures/a-1.svg"]
    staged = site_pages.staged(root, "docs/howto/a.md", text)
    assert staged == "x\n\n![times on A, 2 ranks](figures/a-1.svg)\n"


@pytest.mark.parametrize(
    ("text", "staged"),
    [
        ("[b](../reference/b.md#x)", "[b](../reference/b.md#x)"),
        ("[core](../../core)", "[core](../../core/README.md)"),
        ("[the code](../../core/part.cpp)", "the code"),
        ("[times](../data/times.csv)", "[times](../data/times.csv)"),
        ("[site](https://example.org/x.cpp)", "[site](https://example.org/x.cpp)"),
        ('<a id="k"></a> [k](#k)', '<a id="k"></a> <a href="#k">k</a>'),
        ("`[x](../../core/part.cpp)`", "`[x](../../core/part.cpp)`"),
        ("```\n[x](../../core/part.cpp)\n```", "```\n[x](../../core/part.cpp)\n```"),
    ],
)
def test_links_lead_somewhere_on_the_site(root: Path, text: str, staged: str) -> None:
    assert site_pages.staged(root, "docs/howto/a.md", text) == staged
