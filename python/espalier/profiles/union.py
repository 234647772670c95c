# SPDX-License-Identifier: Apache-2.0
"""One profile of several: all shapes, calls and sizes; where they meet, the stronger evidence.

What stronger means stands in `evidence`. Rules are divided where another one begins or ends, so
that the choice is made for each interval of sizes for itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Any

from espalier.errors import FormatError, InputError
from espalier.io.console import document
from espalier.io.output_files import locked
from espalier.profiles import evidence, profiles, runs, trials
from espalier.profiles.merging import order_of
from espalier.profiles.profiles import Shape, part_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from espalier.profiles.profiles import Part, Profile

_IF_UNWRITTEN = "free space there, then repeat the command"
_READ_BY_ALL = 0o644


@dataclass(frozen=True)
class _Source:
    """A rule, and the profile that it is from."""

    position: int
    profile: Profile
    rule: Mapping[str, Any]

    @property
    def run(self) -> Mapping[str, Any]:
        """Return the run that found it."""
        return profiles.run_of(self.profile.document, self.rule)

    @property
    def strength(self) -> tuple[Any, ...]:
        """Return the key of the rule; of equal ones that of the first profile is the largest."""
        return (*evidence.strength(self.profile.document, self.rule), -self.position)


@dataclass(frozen=True)
class _Piece:
    """The sizes of a rule that it keeps."""

    source: _Source
    min_bytes: int
    max_bytes: int | None

    def rule(self) -> dict[str, Any]:
        """Return the rule for these sizes, with the evidence of all of its sizes."""
        kept = {key: value for key, value in self.source.rule.items() if key != "run"}
        return {**kept, "min_bytes": self.min_bytes, "max_bytes": self.max_bytes}


def merge_files(
    paths: Sequence[Path],
    output: Path,
    *,
    is_across_machines: bool = False,
    is_for_all: bool = False,
) -> dict[str, Any]:
    """Write one profile of several, and return what was taken from which as a document.

    Args:
        paths: The profiles; one of them may be the output.
        output: What becomes of them; a file that is none of them is not overwritten.
        is_across_machines: Whether they may be from machines that differ.
        is_for_all: Whether it is the site file, which holds rules only. If it is new, all may read
            it; if it exists, it keeps its permissions, and is one of the profiles.

    Raises:
        InputError: the profiles do not fit together, or the output is another file.
        FileError: one cannot be read, or the output not be written.
    """
    with locked(output, _IF_UNWRITTEN):
        if is_for_all and output.exists():
            paths = [*paths, output]
        if output.exists() and output.resolve() not in {path.resolve() for path in paths}:
            raise InputError(
                f"{output}: expected a new file, or one of the profiles to merge, got another file",
                "name it among the profiles to keep its rules, or choose another with -o",
            )
        found = [profiles.read(path) for path in paths]
        _check_vendors(found)
        if not is_across_machines:
            _check_machines(found)
        pieces = _pieces(found)
        profile = _joined(pieces, found)
        if is_for_all:
            profile.pop("trials", None)
        # Later an administrator may have restricted who reads it.
        permissions = _READ_BY_ALL if is_for_all and not output.exists() else None
        profiles.write(output.resolve(), profile, _IF_UNWRITTEN, permissions)
    return _document(found, pieces, output)


def _check_vendors(found: Sequence[Profile]) -> None:
    first = found[0].document["mpi"]["vendor"]
    for other in found[1:]:
        vendor = other.document["mpi"]["vendor"]
        if vendor != first:
            raise FormatError(
                f"{other.path}: expected a profile for {first}, as {found[0].path} is, got one for"
                f" {vendor}",
                "programs use the profile of their own MPI: keep one file for each",
            )


def _check_machines(found: Sequence[Profile]) -> None:
    known = [
        (profile.path, machine)
        for profile in found
        for run in runs.all_of(profile)
        if (machine := machine_of(run)) is not None
    ]
    for (one_path, one), (other_path, other) in combinations(known, 2):
        if one != other:
            raise InputError(
                f"{other_path}: expected rules for the machine of {one_path} ({one}), got some for"
                f" another ({other})",
                "keep one profile for each machine, or say --across-machines",
            )


def machine_of(run: Mapping[str, Any]) -> str | None:
    """Return what machine a run was for: its processors, or how it was described; None if unknown.

    Nodes of a cluster have different names and the same processors.
    """
    machine = run.get("machine", {})
    if "text" in machine:
        return str(machine["text"])
    if "cpu" in machine:
        return f"{machine['cpu']}, {machine.get('num_cores', 'unknown')} cores"
    return None


def _pieces(found: Sequence[Profile]) -> list[_Piece]:
    by_part: dict[Part, list[_Source]] = {}
    for position, profile in enumerate(found):
        for rule in profile.rules:
            by_part.setdefault(part_of(rule), []).append(_Source(position, profile, rule))
    return [piece for sources in by_part.values() for piece in _of_part(sources)]


def _of_part(sources: Sequence[_Source]) -> Iterator[_Piece]:
    """Yield which rule is kept for which sizes."""
    kept = [
        (max(able, key=lambda source: source.strength), low, high)
        for low, high in profiles.intervals_of(source.rule for source in sources)
        if (able := [one for one in sources if profiles.covering([one.rule], low)])
    ]
    for _, same in groupby(_numbered(kept), key=lambda one: one[0]):
        row = [piece for _, piece in same]
        yield _Piece(row[0].source, row[0].min_bytes, row[-1].max_bytes)


def _numbered(kept: Sequence[tuple[_Source, int, int | None]]) -> Iterator[tuple[int, _Piece]]:
    """Yield pieces with a number that changes where the rule does, or where sizes are left out."""
    number = 0
    before: _Piece | None = None
    for source, low, high in kept:
        if before and (before.source is not source or before.max_bytes != low - 1):
            number += 1
        before = _Piece(source, low, high)
        yield number, before


def _joined(pieces: Sequence[_Piece], found: Sequence[Profile]) -> dict[str, Any]:
    """Return the profile; it describes the newest run itself, and earlier ones in `runs`."""
    used: list[dict[str, Any]] = []
    for run in [piece.source.run for piece in pieces] or [found[0].document]:
        about = runs.description_of(run)
        used += [] if about in used else [about]
    used.sort(key=lambda run: str(run.get("created", "")))
    last = len(used) - 1
    rules = []
    for piece in pieces:
        position = used.index(runs.description_of(piece.source.run))
        rules.append({**piece.rule(), **({} if position == last else {"run": position})})
    return document(
        profiles.schema,
        profiles.version,
        **used[last],
        **({"runs": used[:last]} if last else {}),
        rules=sorted(rules, key=order_of),
        **trials.member(*(profile.document for profile in found)),
    )


def _document(found: Sequence[Profile], pieces: Sequence[_Piece], output: Path) -> dict[str, Any]:
    def row(piece: _Piece) -> dict[str, Any]:
        source = piece.source
        return {
            "collective": source.rule["collective"],
            **Shape.of(source.rule).to_json(),
            "min_bytes": piece.min_bytes,
            "max_bytes": piece.max_bytes,
            "algorithm": source.rule["algorithm"],
            "from": source.position,
            **evidence.told(source.profile.document, source.rule),
        }

    return document(
        "espalier-profile-merge",
        1,
        profile=str(output),
        merged=[
            {
                "profile": str(one.path),
                "mpi": one.document["mpi"],
                "num_rules": len(one.rules),
                "num_used": len({id(p.source.rule) for p in pieces if p.source.profile is one}),
            }
            for one in found
        ],
        rules=sorted(map(row, pieces), key=order_of),
    )
