# SPDX-License-Identifier: Apache-2.0
"""Generated pages and quotes are those of the module and the data they are made from."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from places import repository

import catalog_page
import check_quotes
import model_figures
from espalier import _core
from espalier.io import documents

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result


def test_numbers_of_the_page_are_those_of_the_catalog() -> None:
    assert catalog_page.check(repository, _core) == ""


def test_every_figure_of_the_models_is_drawn_and_shown(tmp_path: Path) -> None:
    model_figures.draw(tmp_path)
    drawn = list(tmp_path.iterdir())
    assert len(drawn) == 8
    for figure in drawn:
        page = model_figures.MODELS / f"{figure.stem}.md"
        assert f"`figures/{figure.name}`" in page.read_text(encoding="utf-8")


def test_the_data_behind_the_figures_are_validations() -> None:
    for name in model_figures.DATA.values():
        documents.read(model_figures.MODELS / "data" / name, "espalier-model-validation", 1)


def test_texts_quote_what_commands_print(cli: Callable[..., Result]) -> None:
    assert check_quotes.check(repository, lambda command: cli(*shlex.split(command)).out) == []
