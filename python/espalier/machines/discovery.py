# SPDX-License-Identifier: Apache-2.0
"""The machine a job runs on, from what its ranks see.

The rules are those of espalier/machine/job/discovery.hpp; what ranks see is schema
`espalier-job-view`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.errors import FormatError
from espalier.io import documents
from espalier.machines import machines

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from espalier.machines.machines import Machine

schema = "espalier-job-view"
version = 1


def of_job(job: Mapping[str, Any], topology: Path | None = None) -> Machine:
    """Return the machine a job runs on, with where its ranks are and what is odd about it.

    `origin` of the machine has `placement` and `findings`.
    """
    text = "" if topology is None else documents.read_text(topology)
    contents = _core.discovery_json(_text(job), text, str(topology or ""))
    return machines.parse(contents, "running job")


def contradictions(machine: Machine, job: Mapping[str, Any]) -> list[str]:
    """Return in what a machine contradicts the running job; empty if the job can run there."""
    return _core.contradictions(machine.text, machine.name, _text(job))


def job_of_header(header: Mapping[str, Any], tree: str | None = None) -> dict[str, Any]:
    """Return the view of a job that the header of probe samples gives.

    Args:
        header: first line of `espalier-probe-samples`.
        tree: what all nodes of the job are like (_core.node_tree_json()).
    """
    first_rank: dict[int, int] = {}
    ranks = []
    for entry in header["ranks"]:
        first = first_rank.setdefault(entry["node"], entry["rank"])
        is_known = tree is not None and first == entry["rank"]
        ranks.append(
            {
                "processor_name": entry["host"],
                "shared_group": first,
                "allowed": entry["cpus"],
                "tree": "node" if is_known else "",
                "switches": _switches(entry["environment"]),
                **_launcher_facts(entry["environment"]),
            }
        )
    return {
        "schema": schema,
        "version": version,
        "is_simulated": header["is_simulated"],
        "ranks": ranks,
        "trees": {} if tree is None else {"node": json.loads(tree)},
    }


def _text(job: Mapping[str, Any]) -> str:
    return json.dumps(job, allow_nan=False)


def _switches(environment: Mapping[str, str]) -> list[str]:
    address = environment.get("SLURM_TOPOLOGY_ADDR", "")
    kinds = environment.get("SLURM_TOPOLOGY_ADDR_PATTERN", "").split(".")
    return [name for name, kind in zip(address.split("."), kinds, strict=False) if kind == "switch"]


def _launcher_facts(environment: Mapping[str, str]) -> dict[str, Any]:
    facts: dict[str, Any] = {"launcher": "", "num_ranks": None, "num_local": None, "warning": ""}
    try:
        found = _core.launcher(environment)
    except FormatError as error:
        return {**facts, "warning": f"the environment is not understood: {error}"}
    return {
        **facts,
        "launcher": found["name"],
        "num_ranks": found["num_ranks"],
        "num_local": found["num_local"],
    }
