# SPDX-License-Identifier: Apache-2.0
"""Algorithms of the MPI library that are forced: the library sends the messages of that algorithm.

The tables of what can be exported say which algorithms of a library send the messages of which
schedules of ours, so the expected messages are not those of the library itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from native_messages import CLIQUES, ours

from espalier import _core, installation
from espalier.exports import equivalents

if TYPE_CHECKING:
    from native_messages import Mpich, OpenMpi

OPENMPI = equivalents.read("openmpi").table["calls"]
MPICH = equivalents.read("mpich").table["calls"]
# Open MPI 4.1 does not let programs write the variable.
_NOT_SELECTABLE = {("openmpi", "allgatherv")}
BYTES_OF_A_PART = 960


def entries(table, library):
    """Return call, our choice, what the entry says, of all that can be selected."""
    return [
        (call, choice, entry)
        for call, facts in table.items()
        for choice, entry in facts["algorithms"].items()
        if (library, call) not in _NOT_SELECTABLE
    ]


def ranks_for(choice, entry):
    """Return a number of ranks with which the algorithm differs from others."""
    if entry.get("ranks") == "power of two" or _core.refuses(choice, 5):
        return 4
    return 5


def shim(vendor):
    """Return the preload library, or skip the test."""
    library = installation.shim_library(vendor)
    if library is None:
        pytest.skip(f"our library for {vendor} is missing")
    return library


def force(call, name):
    """Return what selects an algorithm of the library for a call."""
    return {"ESPALIER_FORCE": f"{call}=native[algorithm={name}]", "ESPALIER_LEARN": "off"}


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize(("call", "choice", "entry"), entries(OPENMPI, "openmpi"))
def test_open_mpi_sends_the_messages_of_the_algorithm(openmpi: OpenMpi, call, choice, entry):
    num_ranks = ranks_for(choice, entry)
    variables = {"LD_PRELOAD": str(shim("openmpi")), **force(call, entry["name"])}
    options = [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]
    found = openmpi.messages_beside_start(call, num_ranks, num_ranks * BYTES_OF_A_PART, options)
    expected = ours(choice, num_ranks)
    if "library also sends" in entry.get("difference", ""):
        assert set(found.pairs) >= set(expected.pairs)
    else:
        assert sorted(found.sent(num_ranks)) == sorted(expected.sent(num_ranks))


def name_in_variables(name):
    """Return what the variable calls an algorithm: `brucks` of `MPIR_Allgather_intra_brucks`."""
    return name.partition("_intra_")[2]


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize("cliques", ["0", "1"])
@pytest.mark.parametrize(("call", "choice", "entry"), entries(MPICH, "mpich"))
def test_mpich_sends_the_messages_of_the_algorithm(mpich: Mpich, call, choice, entry, cliques):
    num_ranks = 2 if _core.refuses(choice, 3) else 3
    variables = {CLIQUES: cliques, **force(call, name_in_variables(entry["name"]))}
    preloads = [str(shim("mpich"))]
    found = mpich.sent_beside_start(
        call, num_ranks, num_ranks * BYTES_OF_A_PART, variables, preloads
    )
    expected = ours(choice, num_ranks).sent(num_ranks)
    if "library also sends" in entry.get("difference", ""):
        assert sum(number for number, _ in found) >= sum(number for number, _ in expected)
    else:
        assert sorted(found) == sorted(expected)


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "messages"),
    [("algorithm=pipeline", 1), ("algorithm=pipeline,segment=1024", 8)],
)
def test_segments_are_those_of_the_argument(openmpi: OpenMpi, arguments, messages):
    variables = {
        "LD_PRELOAD": str(shim("openmpi")),
        "ESPALIER_FORCE": f"bcast=native[{arguments}]",
        "ESPALIER_LEARN": "off",
    }
    options = [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]
    found = openmpi.messages_beside_start("bcast", 3, 8192, options)
    assert {pair: number for pair, (number, _) in found.pairs.items()} == {
        (0, 1): messages,
        (1, 2): messages,
    }
