# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import check_layering

ROOT = Path(__file__).parents[2]


def check_one(root: Path, path: str, text: str) -> list[str]:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return check_layering.check(root)


def test_this_tree_is_layered() -> None:
    assert check_layering.check(ROOT) == []


def test_upward_include_is_reported_with_file_and_line(tmp_path: Path) -> None:
    text = '#include <vector>\n#include "espalier/algorithms/algorithm.hpp"\n'
    assert check_one(tmp_path, "espalier/base/error.hpp", text) == [
        "espalier/base/error.hpp:2: base may not include algorithms"
    ]


@pytest.mark.parametrize(
    ("path", "header"),
    [
        ("espalier/pattern/tree.cpp", "espalier/schedule/program.hpp"),
        ("espalier/exec/threads/thread_crew.cpp", "espalier/algorithms/algorithm.hpp"),
        ("espalier/plan/plan.cpp", "espalier/measure/common/clock.hpp"),
        ("espalier/measure/clock.cpp", "shim/glue.hpp"),
        ("espalier/base/error.cpp", "mpi.h"),
        ("espalier/exec/threads/thread_crew.cpp", "mpi.h"),
        ("python/core.cpp", "mpi.h"),
        ("python/core.cpp", "espalier/exec/messages/mpi_p2p.hpp"),
        ("espalier/machine/tree/machine.cpp", "espalier/mpi/success.hpp"),
        ("espalier/mpi/success.hpp", "espalier/schedule/program.hpp"),
        ("tests/unit/test_plan.cpp", "mpi.h"),
    ],
)
def test_forbidden_include_is_reported(tmp_path: Path, path: str, header: str) -> None:
    assert len(check_one(tmp_path, path, f'#include "{header}"\n')) == 1


@pytest.mark.parametrize(
    ("path", "header"),
    [
        ("espalier/plan/plan.cpp", "espalier/base/error.hpp"),
        ("espalier/algorithms/bcast/binomial.cpp", "espalier/schedule/builder.hpp"),
        ("espalier/exec/messages/mpi_p2p.cpp", "mpi.h"),
        ("espalier/machine/job/mpi_job.cpp", "espalier/mpi/success.hpp"),
        ("espalier/measure/clock.cpp", "espalier/plan/plan.hpp"),
        ("shim/glue.cpp", "mpi.h"),
        ("python/core.cpp", "espalier/profile/profile.hpp"),
        ("tests/mpi/allgather.cpp", "espalier/exec/messages/mpi_p2p.hpp"),
    ],
)
def test_allowed_include_is_accepted(tmp_path: Path, path: str, header: str) -> None:
    assert check_one(tmp_path, path, f'#include "{header}"\n') == []


def test_layer_missing_in_the_table_is_reported(tmp_path: Path) -> None:
    problems = check_one(tmp_path, "espalier/extra/a.cpp", '#include "espalier/base/error.hpp"\n')
    assert problems == [
        "espalier/extra/a.cpp:1: layer extra is not in the table of tools/check_layering.py"
    ]


def test_upward_import_of_python_is_reported(tmp_path: Path) -> None:
    assert check_one(
        tmp_path, "python/espalier/launch/a.py", "from espalier.cli.app import main\n"
    ) == ["python/espalier/launch/a.py:1: launch may not import cli"]


def test_a_violation_is_printed_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check_one(tmp_path, "python/espalier/launch/a.py", "import espalier.cli\n")
    monkeypatch.setattr(sys, "argv", ["check_layering.py", str(tmp_path)])
    assert check_layering.main() == 1
    assert capsys.readouterr().out.startswith("python/espalier/launch/a.py:1: ")
