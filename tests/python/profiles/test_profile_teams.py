# SPDX-License-Identifier: Apache-2.0
"""`espalier profile show` of what was measured for one-sided teams."""

from __future__ import annotations

import json
from typing import Any

from espalier.io import schemas


def entry(**changes: Any) -> dict[str, Any]:
    """Return what was measured for one request."""
    usual = {
        "transport": "node",
        "num_ranks": 8,
        "num_nodes": 1,
        "collective": "bcast",
        "root": 0,
        "block_bytes": 65536,
        "has_uneven_blocks": False,
        "needs_rank_order": False,
        "is_reproducible": False,
        "mode": "IN_mysync|OUT_allsync",
        "addresses": "single",
        "named_algorithm": None,
        "named_mechanism": None,
        "algorithm": "bcast/k_ary[k=2]",
        "mechanism": "signaling_put",
        "measured_at": 1_795_000_000,
    }
    return {**usual, **changes}


def write(path, *entries, **changes):
    document = {"schema": "espalier-teams", "version": 1, "entries": list(entries), **changes}
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_each_team_has_its_requests(cli, tmp_path):
    sums = {"collective": "reduce", "algorithm": "reduce/native", "is_reproducible": True}
    path = write(
        tmp_path / "teams-here.json",
        entry(root=3, named_mechanism="signaling_put"),
        entry(block_bytes=8),
        entry(transport="ucx", num_nodes=2, placement="block", **sums),
    )
    result = cli("profile", "show", path)
    assert result.code == 0, result.err
    lines = [" ".join(line.split()) for line in result.out.splitlines()]
    first = lines.index("8 members on 1 node, transport node")
    second = lines.index("8 members on 2 nodes, block, transport ucx")
    assert lines[first + 3].startswith(
        "bcast 8 B IN_mysync|OUT_allsync, single bcast/k_ary[k=2] signaling_put"
    )
    assert lines[first + 4].startswith("bcast, root 3, named")
    assert "64 KiB" in lines[first + 4]
    row = next(line for line in lines[second:] if line.startswith("reduce, reproducible"))
    assert "reduce/native -" in row, "the library says nothing of mechanisms"
    assert "2026-11-18" in row


def test_the_document_is_what_the_file_says(cli, tmp_path):
    path = write(tmp_path / "teams-here.json", entry())
    document = cli("profile", "show", path, "--json").document()
    schemas.validator("espalier-teams", 1).validate(document)
    assert document["entries"] == [entry()]


def test_nothing_was_measured(cli, tmp_path):
    assert "nothing was measured" in cli("profile", "show", write(tmp_path / "teams.json")).out


def test_damaged_files_are_one_line(cli, tmp_path):
    for changes, expected in (
        ({"version": 2}, "expected version 1 at most, got 2"),
        ({"entries": [{}]}, "is a required property"),
    ):
        result = cli("profile", "show", write(tmp_path / "teams.json", **changes))
        assert result.code == 2
        assert expected in result.err
        assert result.err.count("\n") == 1
