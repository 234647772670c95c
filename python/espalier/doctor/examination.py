# SPDX-License-Identifier: Apache-2.0
"""All findings, and what follows from them for each MPI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier import __version__, installation
from espalier.conditions.finding import Finding
from espalier.conditions.machine import machine
from espalier.conditions.timing import timing
from espalier.doctor.command import command
from espalier.doctor.launchers import launchers
from espalier.doctor.memory import memory
from espalier.doctor.parts import parts
from espalier.doctor.settings import settings
from espalier.io.console import document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TITLES = {"openmpi": "Open MPI", "mpich": "MPICH"}


def _obstacles(findings: list[Finding], vendor: str) -> Iterator[str]:
    works = {(finding.topic, finding.name): finding.status for finding in findings}
    has_launcher = any(
        finding.topic == "mpi" and finding.status == "ok" and finding.facts["vendor"] == vendor
        for finding in findings
    )
    if not has_launcher:
        yield "no launcher"
    if works["espalier", f"shim {vendor}"] != "ok":
        yield "no loadable shim"


def _switches(findings: list[Finding], vendor: str) -> Iterator[str]:
    for finding in findings:
        if finding.name == "ESPALIER_OFF" and finding.status != "ok":
            yield "ESPALIER_OFF is set"
        if finding.name == "ESPALIER_PROFILE" and finding.status == "problem":
            yield "the profile is not valid"
        if finding.facts.get("tuned_with", vendor) != vendor:
            yield f"the profile is for {_TITLES.get(finding.facts['tuned_with'], 'another MPI')}"


def _verdict(findings: list[Finding], vendor: str) -> Finding:
    title = _TITLES[vendor]
    if obstacles := list(_obstacles(findings, vendor)):
        text = f"{title} programs run unchanged: {', '.join(obstacles)}"
        return Finding("verdict", vendor, "warning", text, "", {"works": False})
    if switches := list(_switches(findings, vendor)):
        text = f"{title} programs would run every call natively: {', '.join(switches)}"
        return Finding("verdict", vendor, "warning", text, "", {"works": True})
    text = f"{title} programs can be improved: all blocking collectives in C and Fortran"
    return Finding("verdict", vendor, "ok", text, "", {"works": True})


def examine(words: Sequence[str] = ()) -> dict[str, Any]:
    """Look at everything, a command too if one is given; return the findings as a document."""
    findings = [*parts(), *launchers(), *machine(), *timing(), *settings(), *memory()]
    findings += command(words) if words else []
    findings += [_verdict(findings, vendor) for vendor in installation.vendors]
    return document(
        "espalier-doctor",
        1,
        espalier=__version__,
        works=any(finding.facts["works"] for finding in findings if finding.topic == "verdict"),
        findings=[finding.to_json() for finding in findings],
    )
