# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import man_pages

if TYPE_CHECKING:
    from pathlib import Path

_VERSION = "9.9"


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """All pages."""
    pytest.importorskip("espalier._core")
    return man_pages.pages(_VERSION)


def test_each_verb_has_a_page(pages: dict[str, str]) -> None:
    assert {"espalier.1", "espalier-improve.1", "espalier-tune.1"} <= set(pages)
    names = pages["espalier.1"]
    assert all(name.removesuffix(".1").replace("-", r"\-") in names for name in pages)


def test_a_page_has_the_verbs_below_its_own_and_their_options(pages: dict[str, str]) -> None:
    page = pages["espalier-cluster.1"]
    assert ".SS espalier cluster run" in page
    assert ".B \\-\\-hosts <int range>\nHow many." in page


def test_no_page_names_the_home_of_whoever_makes_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    environment = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data")}
    words = [sys.executable, man_pages.__file__, tmp_path / "pages", _VERSION]
    subprocess.run(words, env=environment, check=True)
    made = {page.name: page.read_text(encoding="utf-8") for page in (tmp_path / "pages").iterdir()}
    assert made
    assert [name for name, text in made.items() if man_pages.plain(str(home)) in text] == []


def test_variables_are_those_of_programs(pages: dict[str, str]) -> None:
    page = pages["espalier.1"]
    assert ".B ESPALIER_PROFILE\nthe profile file with the rules. Default: what is" in page
    assert "ESPALIER_BUILD_DIR" not in page


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("`a-b`", r"a\-b"),
        ("see [the page](page.md)", "see the page"),
        (".hidden\n'quoted'", "\\&.hidden\n\\&'quoted'"),
        ("C:\\folder", r"C:\efolder"),
    ],
)
def test_text_is_printed_as_it_is(written: str, printed: str) -> None:
    assert man_pages.plain(written) == printed


def test_the_formatter_has_no_complaints(pages: dict[str, str]) -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("no groff")
    for text in pages.values():
        command = [groff, "-man", "-ww", "-z", "-Tutf8"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        assert done.stderr == ""
