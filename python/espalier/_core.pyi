# SPDX-License-Identifier: Apache-2.0
"""The layers that know no MPI, on plain data. Failures raise subclasses of espalier.Error.

`text` is a choice as in `bcast/k_nomial[k=4,segments=8]`.
"""

from collections.abc import Sequence
from typing import TypedDict

__version__: str

class Parameter(TypedDict):
    name: str
    type: str
    fallback: str
    minimum: int
    description: str

class Algorithm(TypedDict):
    collective: str
    name: str
    summary: str
    source: str
    valid: str
    parameters: list[Parameter]
    segmentable: bool
    rooted: bool
    neighbours_only: bool

class Facts(TypedDict):
    rounds: int
    messages: int
    blocks: int
    output_blocks: int

class Violation(TypedDict):
    rule: str
    rank: int | None
    operation: int | None
    text: str

class Verdict(TypedDict):
    holds: bool
    violation: Violation | None
    rounds: int
    messages: int
    blocks: int

class ProfileSummary(TypedDict):
    vendor: str
    num_rules: int

class Decision(TypedDict):
    algorithm: str
    reason: str
    rule: int | None
    borrowed: bool

def catalog() -> list[Algorithm]: ...
def variants(collective: str, num_ranks: int) -> list[str]:
    """Every variant of every algorithm of a collective that accepts this many ranks."""

def canonical(text: str) -> str: ...
def refuses(text: str, num_ranks: int, root: int = 0) -> str:
    """Return why the choice does not work for this many ranks; empty if it does."""

def facts(text: str, num_ranks: int, root: int = 0) -> Facts:
    """Return what the algorithm says of itself: most messages and blocks that one rank sends."""

def largest_per_round(text: str, num_ranks: int, root: int = 0) -> list[int]:
    """Return for each round the most blocks that one rank sends in it."""

def program_json(text: str, num_ranks: int, root: int, rank: int) -> str: ...
def program_text(text: str, num_ranks: int, root: int, rank: int) -> str: ...
def rules() -> list[str]:
    """Return the names of the rules of the prover."""

def prove(text: str, num_ranks: int, root: int = 0) -> Verdict:
    """Prove the programs of all ranks; the counts are the prover's own. Releases the GIL."""

def draw_holdings(text: str, num_ranks: int, root: int = 0) -> str: ...
def draw_messages(text: str, num_ranks: int, root: int = 0) -> str: ...
def verify_programs(programs: Sequence[str], collective: str, root: int = 0) -> Verdict:
    """Prove programs in the form of program_json(), of ranks 0, 1, ..."""

def calls() -> list[str]:
    """Return the MPI calls that profiles speak of."""

def check_profile(text: str, origin: str = "profile") -> ProfileSummary: ...
def decide(
    profile: str,
    call: str,
    num_ranks: int,
    num_nodes: int,
    bytes: Sequence[int],  # noqa: A002
) -> list[Decision]:
    """Return what a preloaded program would do for each size of the result."""
