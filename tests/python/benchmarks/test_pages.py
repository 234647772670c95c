# SPDX-License-Identifier: Apache-2.0
"""Pages of results are what the data that are kept beside them give."""

from __future__ import annotations

import re
import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from places import repository

sys.path.insert(0, str(repository / "benchmarks"))

import pages

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of pages and data that can be changed."""
    shutil.copytree(pages.PAGES, tmp_path / "pages")
    return tmp_path / "pages"


def test_every_page_is_what_its_data_give() -> None:
    assert pages.stale() == []


def test_every_page_of_results_is_made_from_data() -> None:
    assert {path.stem for path in pages.PAGES.glob("*.md")} == set(pages.STUDIES)


def test_a_page_that_was_edited_is_found(copy: Path) -> None:
    page = copy / "peers.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("reached: 1.99x", "reached: 2.99x"), encoding="utf-8")
    assert pages.stale(copy) == ["peers"]


@pytest.mark.parametrize(
    ("study", "file", "old", "new"),
    [
        ("orthogonal-groups", "orthogonal-groups.csv", r"(?<=,)\d+\.\d+$", "1.5"),
        ("one-sided-tuned-collectives", "one-sided-tuned-collectives.csv", r"(?<=,)[\d.]+$", "1"),
        ("borrowing", "borrowing.json", r'(?<="us": )[\d.]+', "0.001"),
        ("effort", "effort.json", r'(?<="seconds": )[\d.]+', "1"),
        ("keys", "keys.json", r'(?<="seconds": )[\d.e-]+(?=\}\})', "9e9"),
        ("node", "node.json", r'(?<="barrier": )\[\[[^"]+?\]\]', "[[9.0, 9.0, 9.0]]"),
        ("onesided", "onesided.json", r'(?<="ratio": )[\d.]+', "99"),
        ("regret", "regret.json", r'(?<="charged_us": )[\d.]+', "99"),
        ("scale", "scale-simulated.csv", r"(?<=,)[\d.]+$", "1"),
        ("sparbit", "sparbit.json", "104 s", "105 s"),
        ("threads", "threads.json", r'(?<="us": )\[[^]]+\]', "[9.0, 9.0]"),
        ("programs", "programs.json", r'(?<="collective_share": )[\d.]+', "0.01"),
        ("programs", "programs-cores.json", r'(?<="collective_share": )[\d.]+', "0.99"),
        ("programs", "programs-shared-cores.json", r'(?<="share": )[\d.]+', "0.99"),
        ("unprepared", "unprepared.json", r'(?<="second": )\[\[[^"]+\]\]', str([[9] * 7] * 3)),
        ("peers", "peers.json", r'(?<="ratios": \{"profile": )[\d.]+', "99"),
    ],
)
def test_data_that_were_changed_are_found(
    copy: Path, study: str, file: str, old: str, new: str
) -> None:
    path = copy / "data" / file
    before = path.read_text(encoding="utf-8")
    after = re.sub(old, new, before, count=1, flags=re.MULTILINE)
    assert after != before
    path.write_text(after, encoding="utf-8")
    assert pages.text_of(study, copy / "data") != (copy / f"{study}.md").read_text(encoding="utf-8")


def test_every_figure_that_a_page_names_is_drawn(tmp_path: Path) -> None:
    pages.draw(tmp_path)
    shown = {
        name
        for path in pages.PAGES.glob("*.md")
        for name in re.findall(r"^\*Figure `figures/([^`]+)`", path.read_text(), re.MULTILINE)
    }
    assert len(shown) == 17
    assert {path.name for path in tmp_path.iterdir()} == shown


def test_the_index_names_every_study() -> None:
    index = (pages.BENCHMARKS / "reproduce" / "README.md").read_text(encoding="utf-8")
    for folder in (pages.BENCHMARKS / "reproduce").glob("*/experiments.toml"):
        assert f"`{folder.parent.name}`" in index
