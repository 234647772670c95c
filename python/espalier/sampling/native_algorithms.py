# SPDX-License-Identifier: Apache-2.0
"""The algorithms of the MPI library as candidates. The library itself says which there are.

No model knows them, so no model orders them. Each algorithm is one candidate for a call and a size:
from 64 KiB on with segments of 8 KiB, and from 1 MiB on of 64 KiB, if the library cuts vectors of
this call. They stand in the order of the library, those with `linear` in their names last, as they
suit few ranks or tiny messages.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from espalier import _core, installation
from espalier.base import calls
from espalier.errors import ArgumentError, MpiError, NotBuiltError
from espalier.io.console import document
from espalier.launch import libraries
from espalier.launch.measuring import temporary_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier.launch.command import LaunchCommand
    from espalier.sampling.samples import Request

_SECONDS = 60
# From so many bytes on, segments are this large.
_SEGMENTS = ((1048576, 65536), (65536, 8192))


@dataclass(frozen=True)
class Menu:
    """What the MPI library offers for one call; why it offers nothing, if it does not."""

    collective: str
    algorithms: tuple[str, ...]
    parameters: tuple[str, ...]
    problem: str

    def candidates(self, num_bytes: int) -> list[str]:
        """Return the choices for results of this size, in the order of the library."""
        arguments = ""
        if "segment" in self.parameters:
            sizes = (segment for least, segment in _SEGMENTS if num_bytes >= least)
            arguments = next((f",segment={segment}" for segment in sizes), "")
        names = sorted(self.algorithms, key=lambda name: "linear" in name)
        prefix = f"{_core.collective_of(self.collective)}/native"
        return [f"{prefix}[algorithm={name}{arguments}]" for name in names]


def offered(
    vendor: str, num_ranks: int | None = None, command: LaunchCommand | None = None
) -> dict[str, Menu]:
    """Ask the MPI library of a vendor, or of a launcher, what it offers for each call.

    Args:
        vendor: A family of MPI libraries.
        num_ranks: Leaves out what does not work for so many ranks.
        command: Its library is asked, not the one that our program was built with.

    Raises:
        NotBuiltError: there is no measuring program for this MPI.
        MpiError: the library does not answer.
    """
    program = installation.measurement_program(vendor)
    if program is None:
        raise NotBuiltError(
            f"expected the program espalier-measure-{vendor}, found none",
            "run make build on a machine with this MPI",
        )
    with temporary_folder() as name:
        answer = _ask(program, num_ranks, command, name)
    return {
        row["collective"]: Menu(
            row["collective"], tuple(row["algorithms"]), tuple(row["parameters"]), row["problem"]
        )
        for row in answer["calls"]
    }


def _ask(
    program: Path, num_ranks: int | None, command: LaunchCommand | None, folder: str
) -> dict[str, Any]:
    found = None if command is None else libraries.variables_for(program, command, Path(folder))
    try:
        answer = subprocess.run(
            [str(program), "--native-algorithms", str(num_ranks or 0)],
            env={**os.environ, **(found or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
        document_of_library: dict[str, Any] = json.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise MpiError(
            f"expected {program.name} to print what the MPI library offers, got: {error}",
            "espalier doctor looks for what is wrong with this MPI",
        ) from error
    return document_of_library


def with_native_algorithms(
    requests: Sequence[Request], menus: dict[str, Menu], most: int | None = None
) -> list[Request]:
    """Return the requests with algorithms of the MPI library behind ours, at most so many each.

    For nonblocking calls the MPI library has none.
    """
    return [
        one
        if calls.is_nonblocking(one.collective)
        else replace(
            one,
            algorithms=tuple(
                dict.fromkeys(
                    (*one.algorithms, *menus[one.collective].candidates(one.bytes)[:most])
                )
            ),
        )
        for one in requests
    ]


def listing(vendor: str, call: str | None = None) -> dict[str, Any]:
    """Return what the MPI library offers as a document, for one call or all.

    Raises:
        ArgumentError: there is no such call.
    """
    menus = offered(vendor)
    if call is not None and call not in menus:
        raise ArgumentError(f"expected a call of {', '.join(menus)}, got '{call}'")
    return document(
        "espalier-native-list",
        1,
        vendor=vendor,
        calls=[
            {
                "collective": menu.collective,
                "algorithms": list(menu.algorithms),
                "parameters": list(menu.parameters),
                "problem": menu.problem,
            }
            for menu in menus.values()
            if call is None or menu.collective == call
        ],
    )
