# SPDX-License-Identifier: Apache-2.0
"""What ranks see of their nodes names groups that messages show, and adds warnings."""

from __future__ import annotations

from typing import Any

from node_views import header, tree

from espalier.machines import discovery
from espalier.probing import places
from espalier.probing.levels import ScanLevel

_NODE = ScanLevel("node", (0, 0, 0, 0))
_CORE = ScanLevel("core", (0, 1, 2, 3))


def place(cpus: list[str], **changes: Any) -> Any:
    """Return four ranks on a node of two packages with two cores each."""
    view = discovery.job_of_header(header([0, 0, 0, 0], cpus))
    view["ranks"][0]["tree"] = "node"
    view["trees"] = {"node": {**tree(2, 2), **changes}}
    return places.of_job(view)


def test_groups_have_the_names_that_hwloc_gives_them() -> None:
    bound = place(["0", "1", "2", "3"])
    numa = next(level.name for level in bound.levels if level.counts == (2,))
    found = places.named([_NODE, ScanLevel("l3", (0, 0, 1, 1)), _CORE], bound)
    assert [level.name for level in found] == ["node", numa, "core"]
    assert numa != "l3"


def test_other_groups_keep_their_names() -> None:
    levels = (_NODE, ScanLevel("l3", (0, 1, 0, 1)), _CORE)
    assert places.named(levels, place(["0", "1", "2", "3"])) == levels
    assert places.named(levels, None) == levels


def test_containers_and_limits_are_told_with_their_effect() -> None:
    cautions = places.cautions(place(["0", "1", "2", "3"], is_container=True))
    (container,) = [caution for caution in cautions if caution.name == "container"]
    assert "container" in container.text
    assert container.advice
    assert not [
        caution
        for caution in places.cautions(place(["0", "1", "2", "3"]))
        if caution.name == "container"
    ]


def test_what_samples_show_is_not_told_twice() -> None:
    assert not [
        caution for caution in places.cautions(place(["0-3"] * 4)) if caution.name == "unbound"
    ]
    assert places.cautions(None) == []
