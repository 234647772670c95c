# SPDX-License-Identifier: Apache-2.0
"""Sections that reports of several verbs have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_text
from espalier.report.content import Section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def machine_section(result: Mapping[str, Any]) -> Section:
    """Return what the measurements were made on."""
    machine, mpi = result["machine"], result["mpi"]
    host = (
        f"{machine['hostname']}: {machine['cpu']}, {machine['num_cores']} processors,"
        f" {bytes_text(machine['memory_bytes'])} of memory, {machine['kernel']}"
    )
    software = f"{mpi['version']}; espalier {result['espalier']}; {result['created']}"
    return Section("On what machine", [host, software])


def cautions_section(warnings: Sequence[Mapping[str, str]]) -> Section:
    """Return what could be wrong, and what to do about it: the `warnings` of a document."""
    lines = [f"{one['text']}; {one['advice']}" for one in warnings]
    return Section("What could be wrong", lines or ["nothing was found"])
