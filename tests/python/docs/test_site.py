# SPDX-License-Identifier: Apache-2.0
"""The site has a reference of the command line and of file formats, and builds."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from command_mentions import all_options
from places import repository

import docs_site
import site_figures
import site_reference
from espalier.cli.app import app, verbs

if TYPE_CHECKING:
    from pathlib import Path

SCHEMAS = repository / "python" / "espalier" / "schemas"


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages, with empty figures: drawing them is tested where they are drawn."""
    folder = tmp_path_factory.mktemp("site") / "source"

    def draw(into: Path) -> None:
        for page in into.rglob("*.md"):
            for name in re.findall(r"\]\((figures/[^)]+\.svg)\)", page.read_text(encoding="utf-8")):
                (page.parent / name).parent.mkdir(exist_ok=True)
                (page.parent / name).write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site_figures, "draw", draw)
        assert docs_site.stage(folder) == []
    return folder


def test_the_command_line_has_every_verb_and_option() -> None:
    page = site_reference.command_line_page(app)
    for verb in verbs:
        assert f"\n## espalier {verb}\n" in page
    assert "\n### espalier cluster up\n" in page
    named = set(re.findall(r"(?<![\w-])-{1,2}[a-z][a-z-]*", page))
    assert all_options() - {"-h", "--help"} <= named


def test_the_formats_have_every_schema() -> None:
    page = site_reference.formats_page(SCHEMAS)
    for path in SCHEMAS.iterdir():
        name, version = path.name.removesuffix(".schema.json").rsplit("-", maxsplit=1)
        assert f"\n## espalier-{name}, version {version}\n" in page
    rules = json.loads((SCHEMAS / "profile-1.schema.json").read_text())["properties"]["rules"]
    assert all(f"`{name}`" in page for name in rules["items"]["properties"])


def test_a_figure_that_nothing_draws_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_figures, "draw", lambda _: None)
    problems = docs_site.stage(tmp_path)
    wanted = "docs/explanation/mapping/figures/grid.svg: a page shows it, but nothing draws it"
    assert wanted in problems


def build(source: Path, output: Path) -> subprocess.CompletedProcess[str]:
    if any(importlib.util.find_spec(name) is None for name in ("sphinx", "myst_parser")):
        pytest.skip("the extra docs is not installed")
    words = ["-b", "html", "-W", "--keep-going", "-q", "-c", str(repository / "docs")]
    return subprocess.run(
        [sys.executable, "-m", "sphinx", *words, str(source), str(output)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_site_builds_without_a_warning(staged: Path, tmp_path: Path) -> None:
    built = build(staged, tmp_path)
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "docs" / "reference" / "command_line.html").is_file()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[x](nowhere.md)", "cross-reference target not found"),
        ("![x](figures/none.svg)", "image file not readable"),
    ],
)
def test_a_page_that_is_wrong_is_found(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "index.md").write_text(f"# Page\n{text}\n")
    built = build(tmp_path, tmp_path / "out")
    assert built.returncode != 0
    assert complaint in built.stderr
