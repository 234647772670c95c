# SPDX-License-Identifier: Apache-2.0
"""The machine a job runs on, from what its ranks see."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from node_views import header, tree

from espalier import _core, errors
from espalier.io import documents
from espalier.machines import discovery, machines

if TYPE_CHECKING:
    from collections.abc import Sequence


def job(nodes: Sequence[int], cpus: Sequence[str], **changes: object) -> dict[str, Any]:
    view = discovery.job_of_header(header(nodes, cpus, **changes), json.dumps(tree(2, 2)))
    return documents.parse(json.dumps(view), "job view", discovery.schema, discovery.version)


def kinds(machine: machines.Machine) -> list[str]:
    return [finding["kind"] for finding in machine.document["origin"]["findings"]]


def test_launchers_tell_what_they_know() -> None:
    found = _core.launcher({"PMI_RANK": "1", "PMI_SIZE": "2", "MPI_LOCALRANKID": "1"})
    assert found == {
        "name": "hydra",
        "rank": 1,
        "num_ranks": 2,
        "local_rank": 1,
        "num_local": None,
        "node": None,
    }


def test_running_jobs_are_machines() -> None:
    machine = discovery.of_job(job([0, 1, 0, 1], ["0", "0", "2", "2"]))
    assert machine.short_text == "2n x 2s x 2c"
    assert machine.core_of_rank == [0, 4, 2, 6]
    assert machine.names("node") == ["n0", "n1"]
    assert machine.document["origin"]["placement"] == "cyclic"
    assert kinds(machine) == []


def test_findings_are_warnings_of_the_machine() -> None:
    machine = discovery.of_job(job([0, 0], ["0-3", "0-3"]))
    assert machine.short_text == "1n x 4c"
    assert kinds(machine) == ["unbound"]
    assert any(
        "levels package and numa are not used" in text for text in machines.cautions(machine)
    )


def test_simulated_jobs_have_nodes_only() -> None:
    machine = discovery.of_job(job([0, 0, 1, 1], [""] * 4, is_simulated=True))
    assert machine.short_text == "2n x 2c"
    assert kinds(machine) == ["simulated"]


def test_what_launchers_say_goes_into_the_view() -> None:
    lines = header([0, 1], ["0", "0"])
    lines["ranks"][0]["environment"] = {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "x"}
    lines["ranks"][1]["environment"] = {
        "SLURM_TOPOLOGY_ADDR": "top.s1.n1",
        "SLURM_TOPOLOGY_ADDR_PATTERN": "switch.switch.node",
    }
    view = discovery.job_of_header(lines)
    assert "OMPI_COMM_WORLD_SIZE: expected a number" in view["ranks"][0]["warning"]
    assert view["ranks"][1]["switches"] == ["top", "s1"]
    assert kinds(discovery.of_job(view)) == ["warning", "unknown_cores"]


def test_machines_are_held_against_the_job() -> None:
    view = job([0, 1], ["0", "0"])
    assert discovery.contradictions(machines.parse("2n x 2s x 2c"), view) == []
    assert discovery.contradictions(machines.parse("1n x 2s x 2c"), view) == [
        "the machine has 1 node, the job runs on 2"
    ]


def test_views_of_another_kind_are_refused() -> None:
    view = job([0], ["0"])
    view["ranks"][0]["shared_group"] = -1
    with pytest.raises(errors.FormatError, match="shared_group"):
        discovery.of_job(view)
