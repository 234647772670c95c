# SPDX-License-Identifier: Apache-2.0
"""Documents are checked against their schemas, also where these refer to each other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from places import repository

from espalier.errors import FormatError
from espalier.io import documents, schemas
from espalier.profiles import problems

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCHEMAS = sorted((repository / "python" / "espalier" / "schemas").glob("*.json"))


def references(part: Any) -> Iterator[str]:
    """Return what a part of a schema refers to."""
    if isinstance(part, dict):
        if "$ref" in part:
            yield part["$ref"]
        part = list(part.values())
    if isinstance(part, list):
        for one in part:
            yield from references(one)


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_what_a_schema_refers_to_is_there(path: Any) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    resolver = schemas.registry.resolver(schema["$id"])
    for reference in references(schema):
        # Raises an error if there is nothing.
        resolver.lookup(reference)


def test_no_common_object_is_there_in_vain() -> None:
    common = json.loads(next(one for one in SCHEMAS if one.name.startswith("common")).read_text())
    used = {one for path in SCHEMAS for one in references(json.loads(path.read_text()))}
    assert {f"{common['$id']}#/$defs/{name}" for name in common["$defs"]} <= used


def test_no_object_is_written_twice() -> None:
    places: dict[str, list[str]] = {}

    def note(part: Any, place: str) -> None:
        if isinstance(part, dict):
            if len(part.get("properties", {})) > 1:
                told = {name: one for name, one in part.items() if name != "description"}
                places.setdefault(json.dumps(told, sort_keys=True), []).append(place)
            for name, one in part.items():
                note(one, f"{place}/{name}")

    for path in SCHEMAS:
        note(json.loads(path.read_text()), path.stem)
    twice = [where for where in places.values() if len({one.split("/")[0] for one in where}) > 1]
    # Of these, one has texts on its members and the other has not.
    assert [where for where in twice if not where[0].endswith("own_communicators")] == []


def test_objects_behind_references_are_checked(profile: dict[str, Any]) -> None:
    documents.parse(json.dumps(profile), "a profile", "espalier-profile", 1)
    del profile["mpi"]["version"]
    with pytest.raises(FormatError, match=r"a profile: mpi: 'version' is a required property"):
        documents.parse(json.dumps(profile), "a profile", "espalier-profile", 1)


def test_values_behind_references_are_checked(profile: dict[str, Any]) -> None:
    profile["rules"][0]["collective"] = "allgater"
    with pytest.raises(FormatError, match=r"rules\[0\]\.collective: 'allgater' is not one of"):
        documents.parse(json.dumps(profile), "a profile", "espalier-profile", 1)


def test_programs_hold_whole_programs() -> None:
    program = {"schema": "espalier-program", "version": 1}
    whole = {"schema": "espalier-programs", "version": 1, "collective": "bcast", "num_ranks": 2}
    with pytest.raises(jsonschema.ValidationError, match="'num_ranks' is a required property"):
        schemas.validator("espalier-programs", 1).validate(
            {**whole, "root": 0, "programs": [program]}
        )


@pytest.mark.parametrize("text", ["[" * 100_000, '{"schema":' * 100_000])
def test_what_is_nested_too_deeply_is_a_broken_document(tmp_path: Path, text: str) -> None:
    path = tmp_path / "profile.json"
    path.write_text(text)
    with pytest.raises(FormatError, match="expected JSON, got too many levels of nesting"):
        documents.read(path, "espalier-profile", 1)
    assert documents.schema_of(path) is None
    (problem,) = problems.examine(path)["problems"]
    assert problem["text"] == f"{path}: expected JSON, got too many levels of nesting"
