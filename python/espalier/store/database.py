# SPDX-License-Identifier: Apache-2.0
"""The SQLite store of measurements.

A *session* is one `espalier tune`: what was asked, on which machine, with which MPI. Its *points*
are one call and size each, with the *samples* of all candidates; points are written as soon as they
are measured. A session that is not complete can be resumed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier.conditions import metadata
from espalier.errors import FileError
from espalier.sampling.samples import Point, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

APPLICATION_ID = 0x45737061  # "Espa"
VERSION = 1
_SECONDS_TO_WAIT = 30.0

_SCHEMA = """
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    created TEXT NOT NULL,
    key TEXT NOT NULL,
    command TEXT NOT NULL,
    code_version TEXT NOT NULL,
    machine TEXT NOT NULL,
    mpi TEXT NOT NULL,
    environment TEXT NOT NULL,
    job TEXT NOT NULL,
    method TEXT NOT NULL,
    complete INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_key ON sessions (key);
CREATE TABLE points (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (id),
    measured TEXT NOT NULL,
    stage TEXT NOT NULL,
    collective TEXT NOT NULL,
    asked_bytes INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    calls_per_sample INTEGER NOT NULL
);
CREATE INDEX points_by_session ON points (session, stage);
CREATE TABLE samples (
    point INTEGER NOT NULL REFERENCES points (id),
    position INTEGER NOT NULL,
    algorithm TEXT NOT NULL,
    times_us TEXT NOT NULL,
    PRIMARY KEY (point, position)
);
CREATE TABLE problems (
    session INTEGER NOT NULL REFERENCES sessions (id),
    stage TEXT NOT NULL,
    collective TEXT NOT NULL,
    asked_bytes INTEGER NOT NULL,
    algorithm TEXT NOT NULL,
    reason TEXT NOT NULL,
    text TEXT NOT NULL
);
"""


def key_of(identity: object) -> str:
    """Return a key that is equal for sessions with the same identity: plain data."""
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class SessionFacts:
    """What a session was: see the columns. `key` is equal for sessions that continue each other."""

    key: str
    command: str
    mpi: dict[str, Any]
    job: dict[str, Any]
    method: dict[str, Any]


def default_path() -> Path:
    """Return $XDG_DATA_HOME/espalier/measurements.db, or that in ~/.local/share."""
    home = os.environ.get("XDG_DATA_HOME")
    folder = Path(home) if home else Path.home() / ".local" / "share"
    return folder / "espalier" / "measurements.db"


class Store:
    """An open store. Every method that writes is one transaction.

    All methods raise FileError, with what to do, when the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        """Open the store, and make it if there is none."""
        self.path = path
        with self._errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=_SECONDS_TO_WAIT)
            try:
                self._connection.execute("PRAGMA foreign_keys = ON")
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Store:
        """Return the store."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def begin_session(self, facts: SessionFacts) -> int:
        """Add a session with this machine, environment and time; return its number."""
        row = (
            metadata.now(),
            facts.key,
            facts.command,
            metadata.code_version(),
            json.dumps(metadata.machine()),
            json.dumps(facts.mpi),
            json.dumps(metadata.environment()),
            json.dumps(facts.job),
            json.dumps(facts.method),
        )
        with self._transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO sessions (created, key, command, code_version, machine, mpi,"
                " environment, job, method) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
            return int(cursor.lastrowid or 0)

    def unfinished_session(self, key: str) -> int | None:
        """Return the latest session of this key if it was interrupted."""
        with self._errors():
            row = self._connection.execute(
                "SELECT id, complete FROM sessions WHERE key = ? ORDER BY id DESC LIMIT 1", (key,)
            ).fetchone()
        return int(row[0]) if row and not row[1] else None

    def latest_session(self, key: str) -> int | None:
        """Return the latest session of this key, complete or not."""
        with self._errors():
            row = self._connection.execute(
                "SELECT id FROM sessions WHERE key = ? ORDER BY id DESC LIMIT 1", (key,)
            ).fetchone()
        return int(row[0]) if row else None

    def complete_session(self, session: int) -> None:
        """Mark a session as complete."""
        with self._transaction() as connection:
            connection.execute("UPDATE sessions SET complete = 1 WHERE id = ?", (session,))

    def add_point(self, session: int, stage: str, point: Point) -> None:
        """Keep a measured point."""
        with self._transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO points (session, measured, stage, collective, asked_bytes, bytes,"
                " calls_per_sample) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    session,
                    metadata.now(),
                    stage,
                    point.collective,
                    point.asked_bytes,
                    point.bytes,
                    point.calls_per_sample,
                ),
            )
            connection.executemany(
                "INSERT INTO samples (point, position, algorithm, times_us) VALUES (?, ?, ?, ?)",
                [
                    (cursor.lastrowid, position, algorithm, json.dumps(list(times)))
                    for position, (algorithm, times) in enumerate(point.samples_us.items())
                ],
            )

    def add_problem(self, session: int, stage: str, problem: Problem) -> None:
        """Keep why a candidate was not timed."""
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO problems (session, stage, collective, asked_bytes, algorithm, reason,"
                " text) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    session,
                    stage,
                    problem.collective,
                    problem.asked_bytes,
                    problem.algorithm,
                    problem.reason,
                    problem.text,
                ),
            )

    def points(self, session: int, stage: str) -> list[Point]:
        """Return the points of a stage in the order in which they were measured."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT id, collective, asked_bytes, bytes, calls_per_sample FROM points"
                " WHERE session = ? AND stage = ? ORDER BY id",
                (session, stage),
            ).fetchall()
            return [
                Point(collective, asked, size, calls, self._samples(number))
                for number, collective, asked, size, calls in rows
            ]

    def problems(self, session: int) -> list[Problem]:
        """Return why candidates were not timed, each once."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT DISTINCT collective, asked_bytes, algorithm, reason, text FROM problems"
                " WHERE session = ?",
                (session,),
            ).fetchall()
        return [Problem(*row) for row in rows]

    def _samples(self, point: int) -> dict[str, tuple[float, ...]]:
        rows = self._connection.execute(
            "SELECT algorithm, times_us FROM samples WHERE point = ? ORDER BY position", (point,)
        )
        return {algorithm: tuple(json.loads(times)) for algorithm, times in rows}

    def _prepare(self) -> None:
        """Check that the file is ours, and make the tables in a new one."""
        connection = self._connection
        # Two sessions may start together. Tables and marks come in one transaction: who sees
        # tables, and looks for marks after that, finds them.
        is_new = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if is_new:
            script = _SCHEMA.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS").replace(
                "CREATE INDEX", "CREATE INDEX IF NOT EXISTS"
            )
            connection.executescript(
                f"BEGIN IMMEDIATE; {script} PRAGMA application_id = {APPLICATION_ID};"
                f" PRAGMA user_version = {VERSION}; COMMIT;"
            )
            return
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION_ID:
            raise self._error("expected a store of measurements, found another SQLite file")
        if version > VERSION:
            raise FileError(
                f"{self.path}: expected a store of version {VERSION} at most, got {version}",
                "use a newer espalier, or another file with --store",
            )

    def _error(self, text: str) -> FileError:
        return FileError(f"{self.path}: {text}", "move it away, or name another file with --store")

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise FileError(
                f"{self.path}: expected to read and write the store of measurements, got '{error}'",
                "free space or permissions there, or name another file with --store",
            ) from error
        except (sqlite3.DatabaseError, json.JSONDecodeError) as error:
            raise self._error(f"expected a store of measurements, got '{error}'") from error
        except OSError as error:
            raise FileError(
                f"{self.path}: expected a folder for the store of measurements, got"
                f" '{error.strerror}'",
                "name another file with --store",
            ) from error

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._errors(), self._connection:
            yield self._connection
