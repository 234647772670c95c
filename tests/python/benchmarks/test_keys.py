# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the study of what rules tell apart."""

from __future__ import annotations

import sys

import pytest
import tomllib
from places import repository

FOLDER = repository / "benchmarks" / "keys"
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "reproduce")]

from regrets import blocks_of, mean, regrets, share_lost  # noqa: E402

DECLARED = tomllib.loads((FOLDER / "experiments.toml").read_text())


def test_a_regret_is_what_the_choice_of_another_situation_takes_longer() -> None:
    cell = {
        "seconds": 2.0,
        "others": {
            "there": {"choice": "bcast/flat", "seconds": 8.0},
            "where it is as good": {"choice": "bcast/chain", "seconds": 2.0},
            "where it cannot serve": {"choice": "bcast/ring", "seconds": None},
        },
    }
    found = regrets([cell])
    assert [(one.elsewhere, one.choice, one.ratio) for one in found] == [
        ("there", "bcast/flat", 4.0),
        ("where it is as good", "bcast/chain", 1.0),
    ]
    assert mean(found) == pytest.approx(2.0)
    assert share_lost(found, 1.1) == 0.5


@pytest.mark.parametrize("kind", ["rising", "one large"])
def test_blocks_of_any_kind_are_the_whole(kind: str) -> None:
    blocks = blocks_of(kind, 1000.0, 7)
    assert len(blocks) == 7
    assert sum(blocks) == pytest.approx(1000.0)
    assert max(blocks) > 1000 / 7
    assert blocks_of("equal", 1000.0, 7) == []


def test_situations_of_a_group_have_as_many_ranks() -> None:
    for question in DECLARED["question"]:
        groups: dict[str, set[int]] = {}
        for row in question["situation"]:
            groups.setdefault(row["group"], set()).add(row["ranks"])
        assert all(len(ranks) == 1 for ranks in groups.values())
        assert all(
            sum(one["group"] == row["group"] for one in question["situation"]) > 1
            for row in question["situation"]
        )
