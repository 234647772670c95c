# SPDX-License-Identifier: Apache-2.0
"""Each row of the page on programs that bend the standard names a test that is run."""

from __future__ import annotations

import re

from places import repository

PAGE = repository / "docs" / "reference" / "beyond_the_standard.md"


def _named_cases() -> list[str]:
    table = PAGE.read_text(encoding="utf-8").partition("## What a program may rely on")[2]
    rows = [line for line in table.partition("\n## ")[0].splitlines() if line.startswith("|")]
    return [re.findall(r"`(\w+)` \|$", row)[0] for row in rows[2:]]


def test_every_row_names_a_case_that_is_run_under_every_mpi() -> None:
    files = sorted((repository / "tests" / "shim").glob("irregular*.cpp"))
    program = "\n".join(file.read_text(encoding="utf-8") for file in files)
    started = (repository / "tests" / "shim" / "CMakeLists.txt").read_text(encoding="utf-8")
    cases = set(re.findall(r'\{"(\w+)", \w+\}', program))
    named = _named_cases()
    assert len(named) > 10
    assert set(named) == cases
    assert all(re.search(rf"\b{case}\b", started) for case in cases)
