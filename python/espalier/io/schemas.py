# SPDX-License-Identifier: Apache-2.0
"""The JSON schemas of Espalier's files, and what checks documents against them.

`documents` imports this module when the first document is checked, since the checker is slow to
import and most runs read no document.
"""

from __future__ import annotations

import functools
import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]
from referencing import Registry
from referencing.retrieval import to_cached_resource

from espalier import installation

_schemas = installation.package / "schemas"


def _schema_text(schema: str, version: int | str) -> str:
    path = _schemas / f"{schema.removeprefix('espalier-')}-{version}.schema.json"
    return path.read_text(encoding="utf-8")


@to_cached_resource()
def _referred(identifier: str) -> str:
    """Return the text of the schema `urn:espalier:<name>:<version>` that another one refers to."""
    name, version = identifier.removeprefix("urn:espalier:").split(":")
    return _schema_text(name, version)


registry: Registry[Any] = Registry(retrieve=_referred)  # type: ignore[call-arg]


@functools.cache
def validator(schema: str, version: int) -> jsonschema.protocols.Validator:
    """Return what checks documents of the schema `espalier-<name>`."""
    loaded: dict[str, Any] = json.loads(_schema_text(schema, version))
    return jsonschema.Draft202012Validator(loaded, registry=registry)


def problem(value: dict[str, Any], schema: str, version: int) -> str | None:
    """Return where and why a document does not fit its schema; None if it fits."""
    error = jsonschema.exceptions.best_match(validator(schema, version).iter_errors(value))
    if error is None:
        return None
    place = error.json_path.removeprefix("$").removeprefix(".") or "the file"
    message = " ".join(error.message.split())
    return f"{place}: {message if len(message) < 200 else message[:200]}"
