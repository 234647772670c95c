# SPDX-License-Identifier: Apache-2.0
"""`espalier profile export`: files for an MPI library, and what they do not hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier.errors import ArgumentError, FormatError
from espalier.exports import (
    equivalents,
    intel_variables,
    mpich_library,
    mpich_tree,
    openmpi_rules,
    translation,
)
from espalier.io.console import document
from espalier.io.output_files import locked, write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from espalier.exports.equivalents import Equivalents
    from espalier.exports.made import Made
    from espalier.exports.translation import Ruled
    from espalier.profiles.profiles import Profile

# The MPI that profiles name whose programs are those of the library.
_VENDORS = {"openmpi": "openmpi", "mpich": "mpich", "intel": "mpich"}
_IF_UNWRITTEN = "choose another file with -o"
_VERSION = re.compile(r"\d+\.\d+")


@dataclass(frozen=True)
class Wish:
    """For which library, of which shapes, and where to.

    `mpich` is the library whose own choices are kept; None stands for that of our programs.
    """

    library: str
    output: Path
    num_nodes: int | None = None
    mpich: Path | None = None

    def check(self, profile: Profile) -> None:
        """Raise an InputError unless the profile can be exported so."""
        if self.library not in equivalents.LIBRARIES:
            raise ArgumentError(
                f"expected a library of {', '.join(equivalents.LIBRARIES)} behind --for, got"
                f" '{self.library}'"
            )
        if self.mpich is not None and self.library != "mpich":
            raise ArgumentError(
                f"expected --library with --for mpich, got --for {self.library}", "leave it out"
            )
        vendor = profile.document["mpi"]["vendor"]
        if vendor != _VENDORS[self.library]:
            raise FormatError(
                f"{profile.path}: expected a profile for {_VENDORS[self.library]}, got one for"
                f" {vendor}",
                "gains over one library say nothing of another: tune with that one",
            )
        if self.output.resolve() == profile.path.resolve():
            raise ArgumentError(
                f"{self.output}: expected another file than the profile itself",
                "choose one with -o",
            )


def export(profile: Profile, wish: Wish) -> dict[str, Any]:
    """Write the files, and return what they hold and what they do not as a document.

    No file is written if none of the rules has an equivalent.

    Raises:
        InputError: the profile cannot be exported so.
        FileError: a file cannot be written, or no library of MPICH be read.
    """
    wish.check(profile)
    known, ruled, made = _make(profile, wish)
    told = [pair for one in ruled for pair in one.told()]
    exported = [
        {**row, "native": one.native.name, "difference": one.native.difference}
        for one, row in told
        if one.native is not None
    ]
    if exported:
        for path, text in made.files.items():
            with locked(path, _IF_UNWRITTEN):
                write_whole(path, text, "rules", _IF_UNWRITTEN)
    return document(
        "espalier-profile-export",
        1,
        profile=str(profile.path),
        library=known.library,
        tried_with=known.table["tried_with"],
        exported=exported,
        left_out=[{**row, "reason": one.reason} for one, row in told if one.native is None],
        files=[str(path) for path in made.files] if exported else [],
        use=list(made.use) if exported else [],
        cautions=[*made.cautions, *_of_version(profile, known)] if exported else [],
    )


def _make(profile: Profile, wish: Wish) -> tuple[Equivalents, list[Ruled], Made]:
    if wish.library == "mpich":
        trees = mpich_library.read(wish.mpich or mpich_library.find())
        known = equivalents.read("mpich", trees.names.__contains__)
        ruled = translation.translate(profile, known, wish.num_nodes)
        return known, ruled, mpich_tree.make(ruled, known, trees, wish.output)
    known = equivalents.read(wish.library)
    ruled = translation.translate(profile, known, wish.num_nodes)
    if wish.library == "intel":
        return known, ruled, intel_variables.make(ruled, known, wish.output)
    version = _version_of(profile)
    major_version = None if version is None else int(version.partition(".")[0])
    return known, ruled, openmpi_rules.make(ruled, known, wish.output, major_version)


def _version_of(profile: Profile) -> str | None:
    """Return the version of the library that a profile was found with, as in `4.1`, if it says."""
    found = _VERSION.search(profile.document["mpi"]["version"])
    return None if found is None else found[0]


def _of_version(profile: Profile, known: Equivalents) -> list[str]:
    """Return a caution if the rules were found with another version than the table is of."""
    version = _version_of(profile)
    if version in (None, known.table["version"]) or known.table["tried_with"] is None:
        return []
    text = (
        f"the rules were found with version {version}, and names and numbers are those of"
        f" {known.library}: compare them with the manual of your version"
    )
    return [text]
