# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

import check_links

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A README that leads to a page."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)  # noqa: S607
    write(
        tmp_path / "README.md", "[the page](docs/page.md#a-part), [site](https://example.org/x)\n"
    )
    write(tmp_path / "docs" / "page.md", "# Page\n\n## A part\n[back](../README.md)\n")
    return tmp_path


def write(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_links_that_lead_somewhere_are_accepted(repository: Path) -> None:
    assert check_links.check(repository) == []


def test_dead_links_are_reported_with_file_and_line(repository: Path) -> None:
    write(repository / "docs" / "page.md", "# Page\n## A part\n\n[x](gone.md) [y](#nowhere)\n")
    assert check_links.check(repository) == [
        "docs/page.md:4: expected a file or heading of the repository, got 'gone.md'",
        "docs/page.md:4: expected a file or heading of the repository, got '#nowhere'",
    ]


def test_code_holds_no_links(repository: Path) -> None:
    write(repository / "docs" / "page.md", "## A part\n`[x](gone.md)`\n```\n[y](gone.md)\n```\n")
    assert check_links.check(repository) == []


def test_anchors_may_be_written_by_hand(repository: Path) -> None:
    write(repository / "docs" / "page.md", '## A part\n[x](#here)\n<a id="here"></a>\n')
    assert check_links.check(repository) == []


def test_pages_that_nothing_leads_to_are_reported(repository: Path) -> None:
    write(repository / "docs" / "lost.md", "# Lost\n")
    expected = "docs/lost.md: expected a link that leads here from README.md"
    assert check_links.check(repository) == [expected]
    write(repository / "docs" / "README.md", "[lost](lost.md)\n")
    write(repository / "README.md", "[all](docs)\n[the page](docs/page.md)\n")
    assert check_links.check(repository) == []


def test_fragments_and_templates_are_read_where_they_end_up(repository: Path) -> None:
    write(repository / "changelog.d" / "+x.fix.md", "[the page](docs/page.md)\n")
    folder = repository / "benchmarks" / "study"
    folder.mkdir(parents=True)
    write(folder / "page.md", "[README](../../README.md)\n")
    assert check_links.check(repository) == []
