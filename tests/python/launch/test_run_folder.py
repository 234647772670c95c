# SPDX-License-Identifier: Apache-2.0
"""Where the ranks of a program leave files: in a folder that all hosts see."""

from __future__ import annotations

from pathlib import Path

import pytest

from espalier.launch.run_folder import run_folder


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Work in an empty folder, without TMPDIR."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.delenv("TMPDIR", raising=False)


def place_of(beside=None):
    """Return in which folder the folder is; check that it is there, and removed."""
    with run_folder(beside) as name:
        folder = Path(name)
        assert folder.is_dir()
        assert folder.is_absolute()
        (folder / "rank-0.json").write_text("{}")
    assert not folder.exists()
    return folder.parent


def test_it_is_in_the_working_directory(tmp_path):
    assert place_of() == tmp_path / "work"


def test_it_is_beside_the_output(tmp_path):
    assert place_of(tmp_path) == tmp_path
    assert place_of(Path("..")) == tmp_path


def test_it_is_hidden():
    with run_folder() as name:
        assert Path(name).name.startswith(".espalier-")


def test_tmpdir_decides_if_it_is_set(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert place_of(Path()) == tmp_path


def test_where_nothing_can_be_written_it_is_elsewhere(tmp_path):
    assert place_of(tmp_path / "missing") not in {tmp_path, tmp_path / "missing"}
