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
    equal_blocks_only: bool
    orders: list[str]  # of operands, weakest promise first; empty unless it combines something

class Collective(TypedDict):
    name: str
    rooted: bool
    reduces: bool
    has_parts: bool  # the result has a block, or several, for each rank

class Facts(TypedDict):
    rounds: int
    messages: int
    blocks: int
    scratch: int
    output_blocks: int

class Work(TypedDict):
    rounds: int
    volume: int
    reductions: int

class Amount(TypedDict):
    messages: int
    blocks: int

class Level(TypedDict):
    name: str
    num_objects: int
    object_of_rank: list[int]

class Placement(TypedDict):
    levels: list[Level]
    node_level: int
    core_of_rank: list[int]

class Traffic(TypedDict):
    rounds: list[list[Amount]]  # by level of the machine
    total: list[Amount]

class Sent(TypedDict):
    round: int
    sender: int
    receiver: int
    blocks: int
    cargo: str

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
    scratch: int

class ProfileSummary(TypedDict):
    vendor: str
    num_rules: int

class Decision(TypedDict):
    algorithm: str
    reason: str
    rule: int | None
    borrowed: bool

def collectives() -> list[Collective]: ...
def catalog() -> list[Algorithm]: ...
def variants(collective: str, num_ranks: int) -> list[str]:
    """Every variant of every algorithm of a collective that accepts this many ranks."""

def canonical(text: str) -> str: ...
def refuses(text: str, num_ranks: int, root: int = 0) -> str:
    """Return why the choice does not work for this many ranks; empty if it does."""

def order(text: str, num_ranks: int, root: int = 0) -> str:
    """Return what happens to the order of operands: any, rank or left."""

def facts(text: str, num_ranks: int, root: int = 0) -> Facts:
    """Return what the algorithm says of itself: most messages and blocks that one rank sends."""

def largest_per_round(text: str, num_ranks: int, root: int = 0) -> list[int]:
    """Return for each round the most blocks that one rank sends in it."""

def closed_form(text: str, num_ranks: int, root: int = 0) -> Work | None:
    """Return what the algorithm says its work is; None if it has no closed form."""

def count(text: str, num_ranks: int, root: int = 0) -> Work:
    """Return the work of the programs of all ranks. Releases the GIL."""

def place(machine: str, placement: str, num_ranks: int) -> Placement:
    """Return where ranks lie on a machine such as `node:2 core:4`."""

def traffic(text: str, num_ranks: int, root: int, machine: str, placement: str) -> Traffic:
    """Return what crosses objects of each level of a machine, by round."""

def program_json(text: str, num_ranks: int, root: int, rank: int) -> str: ...
def program_text(text: str, num_ranks: int, root: int, rank: int) -> str: ...
def rules() -> list[str]:
    """Return the names of the rules of the prover."""

def prove(text: str, num_ranks: int, root: int = 0) -> Verdict:
    """Prove the programs of all ranks; the counts are the prover's own. Releases the GIL."""

def sent(text: str, num_ranks: int, root: int = 0) -> list[Sent]:
    """Return all messages by round and sender; cargo is as draw_sent() has it."""

def draw_holdings(text: str, num_ranks: int, root: int = 0) -> str: ...
def draw_sent(text: str, num_ranks: int, root: int = 0) -> str: ...
def draw_messages(text: str, num_ranks: int, root: int = 0) -> str: ...
def verify_programs(
    programs: Sequence[str],
    collective: str,
    root: int = 0,
    order: str = "any",
    equal_blocks: bool = False,
) -> Verdict:
    """Prove programs in the form of program_json(), of ranks 0, 1, ...

    `order` is what a reduction promises of its operands; with equal_blocks all have one size.
    """

def calls() -> list[str]:
    """Return the MPI calls that profiles speak of."""

def collective_of(call: str) -> str:
    """Return the collective whose algorithms serve a call."""

def has_known_size(call: str) -> bool:
    """Return whether all ranks know the size of the result, so that rules may depend on it."""

def call_refuses(call: str, choice: str, num_ranks: int) -> str:
    """Return why a choice cannot serve a call on this many ranks; empty if it can."""

def check_profile(text: str, origin: str = "profile") -> ProfileSummary: ...
def decide(
    profile: str,
    call: str,
    num_ranks: int,
    num_nodes: int,
    bytes: Sequence[int],  # noqa: A002
) -> list[Decision]:
    """Return what a preloaded program would do for each size of the result."""
