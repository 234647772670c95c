# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import check_prose

LONG = "word " * 24 + "w"  # 121 columns


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a page that is as wide as permitted."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)  # noqa: S607
    write(tmp_path / "README.md", f"{LONG[1:]}\n")
    return tmp_path


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_lines_of_120_columns_are_accepted(repository: Path) -> None:
    assert check_prose.check(repository) == []


def test_longer_lines_are_reported_with_file_line_and_columns(repository: Path) -> None:
    write(repository / "docs" / "page.md", f"# Page\n\n{LONG}\n")
    expected = "docs/page.md:3: expected at most 120 columns, got 121; break the line"
    assert check_prose.check(repository) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        f"| {LONG} |\n",
        f"```sh\n{LONG}\n```\n",
        f"[x](https://example.org/{'x' * 120})\n",
        f"- ![a picture](figures/{'x' * 120}.svg)\n",
    ],
)
def test_lines_that_cannot_be_broken_may_be_longer(repository: Path, text: str) -> None:
    write(repository / "page.md", text)
    assert check_prose.check(repository) == []


@pytest.mark.parametrize(
    "text",
    [
        f"```\ncode\n```\n{LONG}\n",
        f"{LONG} [x](y.md)\n",
        f"- {LONG}\n",
        f"    {LONG}\n",
    ],
)
def test_text_beside_code_and_links_is_checked(repository: Path, text: str) -> None:
    write(repository / "page.md", text)
    assert len(check_prose.check(repository)) == 1


def test_pages_that_programs_write_are_let_pass_only_if_marked(repository: Path) -> None:
    write(repository / "docs" / "made.md", f"{LONG}\n")
    assert len(check_prose.check(repository)) == 1
    write(repository / ".gitattributes", "docs/made.md linguist-generated\n")
    assert check_prose.check(repository) == []


def test_changelog_fragments_and_templates_are_let_pass(repository: Path) -> None:
    write(repository / "changelog.d" / "+x.fix.md", f"{LONG}\n")
    write(repository / "benchmarks" / "reproduce" / "study" / "page.md", f"{LONG}\n")
    assert check_prose.check(repository) == []


def test_the_repository_itself_marks_its_generated_pages() -> None:
    root = Path(__file__).parents[2]
    pages = ["docs/reference/catalog.md", "docs/benchmarks/peers.md", "README.md"]
    assert check_prose.generated(root, pages) == set(pages[:2])
