# SPDX-License-Identifier: Apache-2.0
"""One folder of compiled programs for all tests here, and simulating one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from simulated_programs import MACHINE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="session")
def compiled_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for compiled programs that all tests share."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _cache(compiled_programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(compiled_programs))


@pytest.fixture
def simulate(cli: Callable) -> Callable[..., dict[str, Any]]:
    """Simulate a program and return the document."""

    def run(*arguments: object, machine: str = MACHINE) -> dict[str, Any]:
        result = cli("simulate", "program", "--json", "--machine", machine, *arguments)
        assert result.code == 0, result.err
        document = result.document()
        document["output"] = result.err
        return document

    return run
