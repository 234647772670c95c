# SPDX-License-Identifier: Apache-2.0
"""The store keeps what was measured, and says in one line what is wrong with a file."""

from __future__ import annotations

import os
import sqlite3

import pytest

from espalier.conditions import metadata
from espalier.errors import FileError
from espalier.sampling.samples import Point, Problem
from espalier.store.database import SessionFacts, Store, default_path

_FACTS = SessionFacts(
    key="k",
    command="espalier tune -- mpirun -n 4",
    mpi={"vendor": "openmpi", "version": "4.1.4"},
    job={"num_ranks": 4},
    method={"seed": 1},
)
_POINT = Point("allgather", 62, 64, 3, {"native": (1.5, 2.25), "allgather/bruck": (1.0, 0.125)})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "measurements.db"


def test_points_come_back_as_they_were(path):
    with Store(path) as store:
        session = store.begin_session(_FACTS)
        store.add_point(session, "race", _POINT)
    with Store(path) as store:
        (point,) = store.points(session, "race")
        assert point == _POINT
        assert list(point.samples_us) == ["native", "allgather/bruck"]
        assert store.points(session, "screening") == []


def test_every_point_is_on_disk_at_once(path):
    with Store(path) as store:
        session = store.begin_session(_FACTS)
        store.add_point(session, "race", _POINT)
        # Another process sees it while the first one is still writing.
        with Store(path) as other:
            assert len(other.points(session, "race")) == 1


def test_a_session_carries_what_is_needed_to_trust_it(path):
    with Store(path) as store:
        store.begin_session(_FACTS)
    connection = sqlite3.connect(path)
    row = connection.execute(
        "SELECT created, command, code_version, machine, mpi, environment FROM sessions"
    ).fetchone()
    connection.close()
    assert row[0].endswith("Z")
    assert row[1] == _FACTS.command
    assert row[2].startswith("0.")
    assert "hostname" in row[3]
    assert "4.1.4" in row[4]
    assert row[5].startswith("{")


def test_only_the_latest_interrupted_session_is_resumed(path):
    with Store(path) as store:
        assert store.unfinished_session("k") is None
        first = store.begin_session(_FACTS)
        assert store.unfinished_session("k") == first
        second = store.begin_session(_FACTS)
        assert store.unfinished_session("k") == second
        store.complete_session(second)
        assert store.unfinished_session("k") is None
        assert store.unfinished_session("other") is None


def test_two_sessions_that_start_together_make_one_store(path, monkeypatch):
    # The other session makes the tables between this one's first two looks at the file.
    class Slow(sqlite3.Connection):
        looks = 0

        def execute(self, statement, *arguments):
            self.looks += statement != "PRAGMA foreign_keys = ON"
            if self.looks == 2:
                monkeypatch.undo()
                Store(path).close()
            return super().execute(statement, *arguments)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, **k, factory=Slow))
    with Store(path) as store:
        store.begin_session(_FACTS)
        assert store.latest_session("k") == 1


def test_problems_are_told_once(path):
    problem = Problem("bcast", 8, "bcast/flat", "wrong", "rank 1: byte 7")
    with Store(path) as store:
        session = store.begin_session(_FACTS)
        store.add_problem(session, "screening", problem)
        store.add_problem(session, "race", problem)
        assert store.problems(session) == [problem]


def test_another_file_is_left_alone(path):
    path.parent.mkdir()
    path.write_text("these are my notes, please do not touch them\n" * 100)
    with pytest.raises(FileError, match=r"expected a store of measurements.*move it away"):
        Store(path)
    assert path.read_text().startswith("these are my notes")


def test_another_database_is_left_alone(path):
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE letters (text TEXT)")
    connection.commit()
    connection.close()
    with pytest.raises(FileError, match="found another SQLite file"):
        Store(path)


def test_a_newer_store_is_refused(path):
    Store(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 9")
    connection.close()
    with pytest.raises(FileError, match="version 1 at most, got 9; use a newer espalier"):
        Store(path)


def test_a_damaged_store_is_one_line(path):
    with Store(path) as store:
        session = store.begin_session(_FACTS)
        for _ in range(200):
            store.add_point(session, "race", _POINT)
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)

    def use() -> None:
        with Store(path) as store:
            store.points(session, "race")
            store.begin_session(_FACTS)

    with pytest.raises(FileError) as error:
        use()
    assert "\n" not in str(error.value)
    assert "--store" in str(error.value)


def test_a_full_disk_is_one_line(path):
    with Store(path) as store:
        session = store.begin_session(_FACTS)
        store._connection.execute("PRAGMA max_page_count = 10")

        def fill() -> None:
            for _ in range(1000):
                store.add_point(session, "race", _POINT)

        with pytest.raises(FileError, match=r"database or disk is full.*free space"):
            fill()
        assert store.points(session, "race"), "what was written before is still there"


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"expected a folder.*--store"):
        Store(tmp_path / "file" / "measurements.db")


def test_the_usual_place_follows_the_standard(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path() == tmp_path / "espalier" / "measurements.db"
    monkeypatch.delenv("XDG_DATA_HOME")
    assert default_path().parts[-4:] == (".local", "share", "espalier", "measurements.db")


def test_metadata_names_machine_and_environment(monkeypatch):
    monkeypatch.setenv("OMPI_MCA_btl", "self,vader")
    monkeypatch.setenv("UNRELATED", "x")
    machine = metadata.machine()
    assert machine["num_cores"] >= 1
    assert machine["memory_bytes"] > 2**20
    environment = metadata.environment()
    assert environment["OMPI_MCA_btl"] == "self,vader"
    assert "UNRELATED" not in environment
