# SPDX-License-Identifier: Apache-2.0
"""What `espalier order` says of several sizes and collectives by its model."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MACHINE = "2n[latency=20us,bandwidth=12GB/s] x 4c[latency=200ns,bandwidth=10GB/s]"


def model(cli: Callable, *words: object) -> dict[str, Any]:
    result = cli("order", "--json", *words)
    assert result.code == 0, result.err
    return result.document()


def totals(document: dict[str, Any]) -> dict[tuple[int, str], float]:
    return {
        (one["bytes"], entry["order"]): entry["total"]
        for one in document["model"]
        for entry in one["times"]
    }


def test_a_machine_has_its_times_for_each_size(cli: Callable) -> None:
    alone = [totals(model(cli, "--machine", MACHINE, "--bytes", size)) for size in ("8", "1MiB")]
    expected = alone[0] | alone[1]
    for sizes in ("8,1MiB", "1MiB,8"):
        found = totals(model(cli, "--machine", MACHINE, "--bytes", sizes, "--orders", "standard"))
        assert found == {key: expected[key] for key in found}
        assert len(found) == 2
    # Two messages of 4 parts and one of half of that, roughly.
    assert 100 < expected[1 << 20, "standard"] < 5000


@pytest.mark.parametrize(("sizes", "is_told"), [("16KiB", False), ("16KiB,64KiB", True)])
def test_sizes_that_a_matrix_does_not_have_are_told(
    cli: Callable, tmp_path: Path, sizes: str, is_told: bool
) -> None:
    matrix = tmp_path / "matrix"
    lines = [",0,1,2,3"]
    for row in range(4):
        times = ["0" if row == j else "10" if row // 2 == j // 2 else "90" for j in range(4)]
        lines.append(",".join([str(row), *times]))
    head = "# espalier-rtt-matrix 1: round-trip times in us of 16384 bytes, from row to column"
    matrix.write_text("\n".join([head, *lines, ""]), encoding="utf-8")
    document = model(cli, "--matrix", matrix, "--bytes", sizes)
    codes = [warning["name"] for warning in document["warnings"]]
    assert ("sizes_scaled" in codes) == is_told


@pytest.mark.parametrize(
    "collectives", list(itertools.permutations(("scatter", "gather", "bcast"), 2))
)
def test_what_is_best_does_not_depend_on_the_order_of_words(
    cli: Callable, collectives: tuple[str, ...]
) -> None:
    words = ("--machine", "2s x 4c", "--collective", ",".join(collectives))
    best = model(cli, *words)["best"]
    assert (
        best["order"] == model(cli, "--machine", "2s x 4c", "--collective", "all")["best"]["order"]
    )
    assert "faster in" in best["reason"]
    assert "slower in none" in best["reason"]


def test_an_order_that_loses_somewhere_is_not_the_best(cli: Callable) -> None:
    document = model(cli, "--machine", "2s x 4c", "--collective", "all", "--orders", "standard,fef")
    (of_bcast,) = [
        entry["ratio"]
        for one in document["model"]
        for entry in one["times"]
        if one["collective"] == "bcast" and entry["order"] == "fef"
    ]
    assert of_bcast < 1
    assert document["best"]["order"] == "standard"
    assert document["best"]["reason"] == (
        "no other order is faster in the model without being slower elsewhere"
    )


def test_one_model_has_no_mean(cli: Callable) -> None:
    document = model(cli, "--machine", "2s x 4c")
    assert document["best"]["order"] == "cao"
    assert document["best"]["reason"] == "1.22x as fast as the standard order in the model"
    assert json.dumps(document).count("mean") == 0
