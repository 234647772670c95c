# SPDX-License-Identifier: Apache-2.0
"""Collectives along the dimensions of grids: simulated and real runs, documents."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import Any

import jsonschema
import pytest
from places import repository

FOLDER = repository / "benchmarks" / "reproduce" / "process-remapping"
sys.path[:0] = [str(FOLDER)]

import grid_measurement as measurement  # noqa: E402
import grid_outcome as outcome  # noqa: E402

from espalier.launch.command import parse_command  # noqa: E402

# Inside a node messages are ten times as fast, and a node sends one at a time.
MACHINE = (
    "4n[latency=1us,bandwidth=100MB/s,channels=1,eager=8KiB]"
    " x 4c[latency=1us,bandwidth=1GB/s,eager=8KiB]"
)
POINTS: list[dict[str, Any]] = [
    {"grid": [4, 4], "collective": "bcast", "bytes": 1 << 20, "segment_bytes": 65536,
     "ways": ["pipeline", "binomial"], "trial_calls": 1},
    {"grid": [4, 4], "collective": "gather", "bytes": 4096},
    {"grid": [4, 4], "collective": "scatter", "bytes": 4096, "is_overlapped": True},
    {"grid": [3, 5], "collective": "bcast", "bytes": 8},
    {"grid": [4, 4], "collective": "bcast", "bytes": 64, "mappings": ["identity", "spiral"]},
]  # fmt: skip

simulated = pytest.mark.skipif(
    shutil.which("smpirun") is None or measurement.grid_program("smpi") is None,
    reason="no SimGrid, or espalier-grid-smpi is not built",
)


def schema(name: str) -> dict[str, Any]:
    """Return a schema of the study."""
    text = (FOLDER / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """Simulate all points."""
    plan = measurement.plan_of(POINTS, seconds=1e6)
    jsonschema.validate(plan, schema("grid-plan-1"))
    found = measurement.simulate(MACHINE, 16, plan, algorithms=("gather:ompi_binomial",))
    return outcome.conclude(plan, MACHINE, found)


@simulated
def test_documents_are_as_their_schema_says(document: dict[str, Any]) -> None:
    jsonschema.validate(document, schema("grid-1"))
    assert document["points_left"] == 0
    assert len(document["points"]) == 4


@simulated
@pytest.mark.parametrize("way", ["pipeline", "binomial"])
def test_tiles_are_faster(document: dict[str, Any], way: str) -> None:
    standard = outcome.median_ms(document, "bcast", way, "identity")
    tiled = outcome.median_ms(document, "bcast", way, "tile")
    # Columns of strips send 4 messages at a time from a node, those of tiles 2.
    assert 1.5 < standard / tiled < 3


@simulated
def test_small_messages_are_compared_and_large_ones_are_not(document: dict[str, Any]) -> None:
    assert [point["is_verified"] for point in document["points"]] == [False, True, True, True]


@simulated
@pytest.mark.parametrize("way", ["pipeline", "binomial"])
def test_the_fastest_mapping_is_found_by_trying(document: dict[str, Any], way: str) -> None:
    trial = outcome.trial_of(document, "bcast", way)
    assert trial is not None
    times = {one["mapping"]: one["call_us"] for one in trial["tried"]}
    assert times[trial["chosen"]] == min(times.values()) < times["identity"]
    overhead = trial["overhead"]
    parts = [value for name, value in overhead.items() if name != "total_us"]
    assert overhead["total_us"] == pytest.approx(sum(parts), rel=1e-4)
    saved = times["identity"] - times[trial["chosen"]]
    assert trial["calls_to_pay"] == pytest.approx(overhead["total_us"] / saved, rel=1e-4)
    assert trial["gain"] > 1.5


@simulated
def test_what_cannot_be_is_said(document: dict[str, Any]) -> None:
    other_grid, unknown = document["errors"]
    assert (other_grid["point"], other_grid["reason"]) == (3, "refused")
    assert "all 16 ranks" in other_grid["text"]
    assert (unknown["point"], unknown["mapping"]) == (4, "spiral")
    assert "hilbert" in unknown["text"]


@pytest.mark.skipif(
    shutil.which("mpirun.openmpi") is None or measurement.grid_program("openmpi") is None,
    reason="no Open MPI, or espalier-grid-openmpi is not built",
)
def test_a_real_mpi_computes_what_it_should() -> None:
    points = [
        {"grid": [2, 2], "collective": name, "bytes": 1000, "is_overlapped": overlaps,
         "trial_calls": 1}
        for name in ("bcast", "gather", "scatter")
        for overlaps in (False, True)
    ]  # fmt: skip
    words = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-n", "4"]
    if os.geteuid() == 0:
        words.insert(1, "--allow-run-as-root")
    plan = measurement.plan_of(points, seconds=30) | {"repetitions": [3, 5]}
    found = measurement.measure(parse_command(words), "openmpi", plan)
    for line in (found.header, *found.lines["mapping"], *found.points, *found.lines["trial"]):
        jsonschema.validate(line, schema("grid-samples-1"))
    document = outcome.conclude(plan, None, found)
    jsonschema.validate(document, schema("grid-1"))
    assert not document["errors"]
    assert [point["is_verified"] for point in document["points"]] == [True] * 6
    for point in document["points"]:
        assert point["creations"][0]["overhead"]["create_us"] > 0
        assert {case["way"] for case in point["cases"]} >= {"native", "binomial"}
