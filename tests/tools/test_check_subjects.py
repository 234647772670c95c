# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

import check_subjects

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "subject",
    [
        "algorithms: add sparbit allgather",
        "plan, shim: serve every blocking collective",
        "docs: process words as they come",
    ],
)
def test_imperatives_behind_a_layer_are_accepted(subject: str) -> None:
    assert check_subjects.check([subject]) == []


@pytest.mark.parametrize(
    ("subject", "complaint"),
    [
        ("add sparbit", "expected 'layer: imperative, what changes'"),
        ("Plan: add sparbit", "expected 'layer: imperative, what changes'"),
        ("plan: Add sparbit", "expected 'layer: imperative, what changes'"),
        ("plan: add sparbit.", "expected 'layer: imperative, what changes'"),
        ("plan: added sparbit", "expected an imperative such as 'add', got 'added'"),
        ("plan: adding sparbit", "expected an imperative such as 'add', got 'adding'"),
        ("plan: messages travel far", "expected an imperative such as 'add', got 'messages'"),
        (f"plan: add {'a' * 63}", "expected at most 72 columns, got 73"),
    ],
)
def test_other_subjects_are_named(subject: str, complaint: str) -> None:
    (problem,) = check_subjects.check([subject])
    assert problem.startswith(f"'{subject}': {complaint}")


def test_subjects_come_from_a_range_of_commits(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True)  # noqa: S607

    git("init", "-q")
    for subject in ("base: begin", "Wrong", "base: go on"):
        git("commit", "-q", "--allow-empty", "-m", subject)
    assert check_subjects.subjects_of("HEAD~2..HEAD", tmp_path) == ["base: go on", "Wrong"]
