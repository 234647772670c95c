# SPDX-License-Identifier: Apache-2.0
"""Files that are written whole: who may read them afterwards, and where links lead."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from espalier.errors import FileError
from espalier.io.output_files import check_writable, target_of, write_whole

if TYPE_CHECKING:
    from pathlib import Path


def mode_of(path: Path) -> int:
    """Return the permissions of a file."""
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_a_file_that_is_there_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, "new", "text", "")
    assert (path.read_text(), mode_of(path)) == ("new", mode)
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_that_are_asked_for_are_given(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o600)
    write_whole(path, "new", "text", "", 0o644)
    assert mode_of(path) == 0o644


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("")
    write_whole(tmp_path / "file", "new", "text", "")
    assert mode_of(tmp_path / "file") == mode_of(tmp_path / "usual")


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give a file to any group")
def test_a_file_that_is_there_keeps_its_group(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    os.chown(path, -1, 12345)
    path.chmod(0o640)
    write_whole(path, "new", "text", "")
    assert (path.stat().st_gid, mode_of(path)) == (12345, 0o640)


def test_another_group_may_not_do_what_the_one_before_might(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o664)
    monkeypatch.setattr(os, "fchown", refuse)
    write_whole(path, "new", "text", "")
    assert mode_of(path) == 0o644


class TestLinks:
    """A link to a file is the name of that file."""

    @pytest.mark.parametrize("is_there", [True, False])
    def test_a_check_leaves_the_link_and_its_target_as_they_are(
        self, tmp_path: Path, is_there: bool
    ) -> None:
        link, target = linked(tmp_path, "old" if is_there else None)
        check_writable(link)
        assert link.readlink() == target
        assert (target.read_text() if target.exists() else None) == ("old" if is_there else None)

    @pytest.mark.parametrize("is_there", [True, False])
    def test_what_is_written_goes_to_the_target(self, tmp_path: Path, is_there: bool) -> None:
        link, target = linked(tmp_path, "old" if is_there else None)
        write_whole(link, "new", "text", "")
        assert (link.readlink(), target.read_text()) == (target, "new")
        assert list(target.parent.iterdir()) == [target]

    def test_the_target_keeps_its_permissions(self, tmp_path: Path) -> None:
        link, target = linked(tmp_path, "old")
        target.chmod(0o600)
        write_whole(link, "new", "text", "")
        assert mode_of(target) == 0o600

    def test_links_in_a_circle_are_no_file(self, tmp_path: Path) -> None:
        link = tmp_path / "link"
        link.symlink_to(link)
        with pytest.raises(FileError, match="expected a file that can be written"):
            check_writable(link)

    def test_a_pipe_stays_what_it_is(self, tmp_path: Path) -> None:
        link, pipe = tmp_path / "link", tmp_path / "pipe"
        os.mkfifo(pipe)
        link.symlink_to(pipe)
        assert target_of(link) == link


def linked(folder: Path, text: str | None) -> tuple[Path, Path]:
    """Return a link, and the file in another folder that it leads to; None for no such file."""
    target = folder / "elsewhere" / "file"
    target.parent.mkdir()
    if text is not None:
        target.write_text(text)
    link = folder / "link"
    link.symlink_to(target)
    return link, target
