# SPDX-License-Identifier: Apache-2.0
"""Adding what a run decided to a profile that may hold rules of other shapes, calls and runs.

A profile describes each run whose rules it holds: when, where and how they were found. What stands
at its top level describes the last run, and so all rules of a profile that was written at once.
Earlier runs stand in `runs`; their rules say with `run` at which position.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.errors import FileError, FormatError
from espalier.io.console import document
from espalier.io.output_files import check_writable, locked
from espalier.profiles import profiles, runs, trials
from espalier.profiles.profiles import Part, Shape, part_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

_OTHER_FILE = "choose another file with -o, or move this one away"


@dataclass(frozen=True)
class Change:
    """What became of the rules of one shape, by the names of their calls."""

    shape: Shape
    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    # Decided by an interrupted run, and not written: a complete run had decided it before.
    skipped: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the form of documents."""
        return {
            **self.shape.to_json(),
            "added": list(self.added),
            "replaced": list(self.replaced),
            "kept": list(self.kept),
            "skipped": list(self.skipped),
        }


@dataclass(frozen=True)
class Merge:
    """A profile with the rules of several runs, and how it differs from the one before."""

    document: dict[str, Any]
    changes: tuple[Change, ...]


def merge(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> Merge:
    """Return the rules of both; of the same call and shape, those of the new run.

    An interrupted run replaces rules of interrupted runs only.
    """
    before = {} if old is None else _parts(old)
    decided = dict.fromkeys(map(part_of, new["rules"]))
    skipped = {part for part in decided if not runs.is_complete(new) and before.get(part, False)}
    taken = decided.keys() - skipped
    changes = _changes(before, taken, skipped)
    if old is None:
        return Merge(dict(new), changes)
    if not taken:
        return Merge(dict(old), changes)
    return Merge(_joined(old, new, taken), changes)


def check(path: Path, vendor: str) -> None:
    """Raise an Error unless rules for this MPI can be added to the file, or it can be made."""
    if path.exists() and not path.is_file():
        check_writable(path)
        return
    with locked(path):
        check_writable(path)
        _read(path, vendor)


def add(path: Path, profile: dict[str, Any], advice: str) -> tuple[Change, ...]:
    """Add a run's rules to the file, or make it; other processes may do the same meanwhile.

    Args:
        path: The file; what is none, such as /dev/stdout, gets the run's profile alone.
        profile: The document of the run.
        advice: What to do if the file cannot be written.

    Raises:
        FileError: it cannot be written.
        FormatError: it is something else than a profile for this MPI.
    """
    if path.exists() and not path.is_file():
        profiles.write(path, profile, advice)
        return merge(None, profile).changes
    with locked(path, advice):
        merged = merge(_read(path, profile["mpi"]["vendor"]), profile)
        profiles.write(path.resolve(), merged.document, advice)
    return merged.changes


def _read(path: Path, vendor: str) -> dict[str, Any] | None:
    """Return the document in a file; None if there is none, or nothing in it."""
    if not path.exists() or path.stat().st_size == 0:
        return None
    try:
        found = profiles.read(path).document
    except (FileError, FormatError) as error:
        advice = f"{error.advice}, or {_OTHER_FILE}" if error.advice else _OTHER_FILE
        raise type(error)(error.text, advice) from error
    if found["mpi"]["vendor"] != vendor:
        raise FormatError(
            f"{path}: expected a profile for {vendor}, to add rules to, got one for"
            f" {found['mpi']['vendor']}",
            _OTHER_FILE,
        )
    return found


def _parts(old: Mapping[str, Any]) -> dict[Part, bool]:
    """Return what a profile has rules for, and whether a complete run decided all of them."""
    parts: dict[Part, bool] = {}
    for rule in old["rules"]:
        part = part_of(rule)
        parts[part] = parts.get(part, True) and runs.is_complete(profiles.run_of(old, rule))
    return parts


def _changes(
    before: Collection[Part], taken: Collection[Part], skipped: Collection[Part]
) -> tuple[Change, ...]:
    by_shape: dict[Shape, dict[str, list[str]]] = {}
    for part in sorted({*before, *taken}, key=lambda part: dataclasses.astuple(part[1])):
        name, shape = part
        action = "kept" if part not in taken else "replaced" if part in before else "added"
        actions = by_shape.setdefault(shape, {})
        actions.setdefault(action, []).append(name)
        if part in skipped:
            actions.setdefault("skipped", []).append(name)
    return tuple(
        Change(shape, **{action: tuple(sorted(names)) for action, names in actions.items()})
        for shape, actions in by_shape.items()
    )


def _joined(
    old: Mapping[str, Any], new: Mapping[str, Any], taken: Collection[Part]
) -> dict[str, Any]:
    kept = [rule for rule in old["rules"] if part_of(rule) not in taken]
    added = [rule for rule in new["rules"] if part_of(rule) in taken]
    known = [*old.get("runs", []), runs.description_of(old)]
    last = len(known) - 1
    used = sorted({rule.get("run", last) for rule in kept})
    moved = [{**rule, "run": used.index(rule.get("run", last))} for rule in kept]
    return document(
        profiles.schema,
        profiles.version,
        **runs.description_of(new),
        **({"runs": [known[position] for position in used]} if used else {}),
        rules=sorted([*moved, *added], key=order_of),
        **trials.member(old, new),
    )


def order_of(rule: Mapping[str, Any]) -> tuple[str, tuple[int, int, str, str, int], int]:
    """Return the key by which the rules of a profile are sorted."""
    call, shape = part_of(rule)
    return call, shape.order, rule["min_bytes"]
