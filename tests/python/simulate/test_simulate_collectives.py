# SPDX-License-Identifier: Apache-2.0
"""Collectives timed in simulation, and kept."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

from simulated_programs import MACHINE, simulated

from espalier.errors import MpiError
from espalier.simulate import collectives, memory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest


MEASURED = ("--algorithms", "ring", "--algorithms", "binomial", "--sizes", "64,1KiB")


@simulated
def test_collectives_are_timed_and_kept(cli: Callable, tmp_path: Path) -> None:
    words = [
        "simulate",
        "collectives",
        "--machine",
        MACHINE,
        "--collectives",
        "bcast,allgather",
        *MEASURED,
    ]
    words += ["--json", "--store", tmp_path / "store.db"]
    first, second = cli(*words), cli(*words)
    assert first.code == 0, first.err
    assert first.out == second.out
    found = first.document()
    places = [(point["collective"], point["bytes"]) for point in found["points"]]
    assert places == [("bcast", 64), ("bcast", 1024), ("allgather", 64), ("allgather", 1024)]
    times = found["points"][2]["times_us"]
    assert list(times.values()) == sorted(times.values())
    assert times["allgather/ring"] > 15 * 0.3
    with sqlite3.connect(tmp_path / "store.db") as store:
        jobs = store.execute("SELECT mpi, job, complete FROM sessions").fetchall()
        kept = store.execute("SELECT times_us FROM samples WHERE algorithm = 'allgather/ring'")
        assert json.loads(kept.fetchone()[0]) == [times["allgather/ring"]]
    assert [json.loads(mpi)["vendor"] for mpi, _, _ in jobs] == ["smpi"] * 2
    assert all(json.loads(job)["simulated"] and complete for _, job, complete in jobs)


@simulated
def test_what_a_profile_chooses_is_timed_beside_it(
    cli: Callable, profile: dict[str, Any], tmp_path: Path
) -> None:
    profile["mpi"]["vendor"] = "smpi"
    file = tmp_path / "profile.json"
    file.write_text(json.dumps(profile))
    words = [
        "simulate",
        "collectives",
        "--machine",
        MACHINE,
        "-p",
        4,
        "--collectives",
        "allgather",
        "--json",
    ]
    words += ["--algorithms", "ring", "--sizes", "16KiB", "--store", tmp_path / "store.db"]
    result = cli(*words, "--profile", file)
    assert result.code == 0, result.err
    point = result.document()["points"][0]
    assert point["decided"] == {"profile/given": "allgather/ring"}
    assert point["times_us"]["profile/given"] == point["times_us"]["allgather/ring"]


@simulated
def test_an_interruption_keeps_what_was_measured(
    cli: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = collectives.measure

    def interrupted(job: object, requests: list[Any], *rest: object) -> object:
        if requests[0].collective == "allgather":
            raise KeyboardInterrupt
        return measure(job, requests, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(collectives, "measure", interrupted)
    words = ["--collectives", "bcast,allgather", *MEASURED, "--store", tmp_path / "store.db"]
    result = cli("simulate", "collectives", "--machine", "2n x 2c", "--json", *words)
    assert result.code == 130
    assert [point["collective"] for point in result.document()["points"]] == ["bcast"] * 2
    assert "2 points are kept in" in result.err
    with sqlite3.connect(tmp_path / "store.db") as store:
        assert store.execute("SELECT complete FROM sessions").fetchall() == [(0,)]


@simulated
def test_a_collective_that_fails_takes_no_other_along(
    cli: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = collectives.measure

    def failing(job: object, requests: list[Any], *rest: object) -> object:
        if requests[0].collective == "bcast":
            raise MpiError("the simulator failed")
        return measure(job, requests, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(collectives, "measure", failing)
    words = ["--collectives", "bcast,allgather", *MEASURED, "--store", tmp_path / "store.db"]
    result = cli("simulate", "collectives", "--machine", "2n x 2c", *words)
    assert result.code == 0
    assert "bcast: 2 sizes; the simulator failed" in result.out
    assert "allgather/ring" in result.out


@simulated
def test_ranks_for_which_there_is_no_memory_are_refused_at_once(
    cli: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 50_000_000)
    store = tmp_path / "store.db"
    options = ("--machine", MACHINE, "--collectives", "bcast", "--sizes", "8", "--store", store)
    result = cli("simulate", "collectives", *options)
    assert result.code == 1
    assert "of memory for 16 ranks with a copy of" in result.err
    assert not store.exists()
