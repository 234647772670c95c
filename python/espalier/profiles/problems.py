# SPDX-License-Identifier: Apache-2.0
"""Everything that is wrong with a profile, a line each, where reading it stops at the first."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.errors import Error
from espalier.io import documents, schemas
from espalier.io.console import document
from espalier.io.names import printable
from espalier.profiles import profiles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_RULE = re.compile(r"\brules\[(\d+)\]")
_VERSION = re.compile(r"\d+(?:\.\d+)+")
_TUNE = "tune again with 'espalier tune', or remove the rule"
_MOST_TEXT = 200


@dataclass(frozen=True)
class Problem:
    """What was expected and found, and what to do."""

    text: str
    advice: str

    def to_json(self) -> dict[str, str]:
        """Return the form of documents."""
        return {"text": self.text, "advice": self.advice}


def examine(path: Path, installed: Mapping[str, Sequence[str]] | None = None) -> dict[str, Any]:
    """Return all problems of a profile as a document.

    Args:
        path: The profile.
        installed: The versions of each MPI on this machine; None if they do not matter.
    """
    problems, found = _of_file(path)
    if found is not None:
        rules = found["rules"]
        problems += [*_of_rules(found, path), *_of_runs(found, path)]
        if not rules:
            problems.append(
                Problem(f"{path}: expected rules, got none", "tune with this file as -o")
            )
        if installed is not None:
            problems += _of_mpi(found["mpi"], path, installed)
    return document(
        "espalier-profile-check",
        1,
        profile=str(path),
        num_rules=None if found is None else len(found["rules"]),
        mpi=None if found is None else found["mpi"],
        problems=[problem.to_json() for problem in problems],
    )


def _of_file(path: Path) -> tuple[list[Problem], dict[str, Any] | None]:
    """Return what keeps a file from being a profile, or the profile in it."""
    try:
        text = documents.read_text(path)
        return [], documents.parse(text, str(path), profiles.schema, profiles.version)
    except Error as error:
        places = list(_of_schema(path))
        usual = "write it again with 'espalier tune', or restore a copy"
        return places or [Problem(error.text, error.advice or usual)], None


def _of_schema(path: Path) -> Iterator[Problem]:
    """Yield what does not fit the schema, if the file is JSON with that schema."""
    try:
        value = json.loads(documents.read_text(path))
    except (Error, ValueError, RecursionError):
        return
    if not isinstance(value, dict) or value.get("schema") != profiles.schema:
        return
    checker = schemas.validator(profiles.schema, profiles.version)
    for error in sorted(checker.iter_errors(value), key=lambda one: one.json_path):
        place = error.json_path.removeprefix("$").removeprefix(".") or "the file"
        message = " ".join(error.message.split())[:_MOST_TEXT]
        yield Problem(f"{path}: {place}: {message}", "correct or remove it")


def _of_rules(found: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """Yield what a preloaded program would complain about, rule by rule."""
    readable: dict[profiles.Part, list[int]] = {}
    for position, rule in enumerate(found["rules"]):
        part = profiles.part_of(rule)
        before = readable.get(part, [])
        if complaint := _complaint(found, [position], path):
            yield Problem(complaint, _TUNE)
        elif complaint := _complaint(found, [*before, position], path):
            yield Problem(complaint, "remove one of the two rules, or cut its sizes")
        else:
            readable.setdefault(part, []).append(position)


def _complaint(found: Mapping[str, Any], positions: Sequence[int], path: Path) -> str:
    """Return what is wrong with some of the rules, empty if nothing is."""
    rules = [found["rules"][position] for position in positions]
    try:
        _core.check_profile(json.dumps({**found, "rules": rules}), printable(path))
    except Error as error:
        return _RULE.sub(lambda match: f"rules[{positions[int(match[1])]}]", error.text)
    return ""


def _of_runs(found: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    for complaint in profiles.wrong_runs(found):
        yield Problem(f"{path}: {complaint}", "remove the rule, or restore a copy of the file")


def _of_mpi(
    mpi: Mapping[str, str], path: Path, installed: Mapping[str, Sequence[str]]
) -> Iterator[Problem]:
    """Yield whether this machine has the MPI that a profile is for; a simulator is no matter."""
    vendor = mpi["vendor"]
    if vendor == "smpi":
        return
    here = ", ".join(f"{name} {' and '.join(found)}" for name, found in installed.items())
    if vendor not in installed:
        yield Problem(
            f"{path}: mpi: expected {vendor} on this machine, got {here or 'no MPI'}",
            "use the profile where that MPI is, or tune with the one that is here",
        )
        return
    version = _VERSION.search(mpi["version"])
    if version and version[0] not in installed[vendor]:
        yield Problem(
            f"{path}: mpi: expected {vendor} {version[0]}, with which the rules were found, got"
            f" {' and '.join(installed[vendor])}",
            "tune again: other versions have other native calls",
        )
