# SPDX-License-Identifier: Apache-2.0
"""The layers that know no MPI, on plain data. Failures raise subclasses of espalier.Error.

`text` is a choice as in `bcast/k_nomial[k=4,segments=8]`.
"""

from collections.abc import Mapping, Sequence
from typing import TypedDict

__version__: str

class Parameter(TypedDict):
    name: str
    type: str
    fallback: str
    minimum: int
    description: str
    takes_native: bool

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

class OneSidedForm(TypedDict):
    mode: str
    addresses: str
    mechanism: str
    refusal: str  # why no schedule is made in this form; empty if it is legal

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

class Recognised(TypedDict):
    placement: str  # block, cyclic, cyclic:n, folded or arbitrary
    node_order: list[int]

class LevelUse(TypedDict):
    name: str
    messages: int
    bytes: float
    busiest_seconds: float
    waiting_seconds: float

class Replay(TypedDict):
    seconds: float
    finished_seconds: list[float]  # of each rank
    levels: list[LevelUse]

class LowerBound(TypedDict):
    seconds: float  # the larger one of the other two
    rounds_seconds: float
    bytes_seconds: float

class Ranked(TypedDict):
    choice: str
    seconds: float
    is_exact: bool

class Launcher(TypedDict):
    name: str  # openmpi, prrte, hydra, slurm; empty: none of them
    rank: int | None
    num_ranks: int | None
    local_rank: int | None
    num_local: int | None
    node: int | None

class Traffic(TypedDict):
    rounds: list[list[Amount]]  # by level of the machine
    total: list[Amount]

class Distances(TypedDict):
    rtt: list[list[float]]  # seconds, or levels if the links of the machine say nothing
    has_times: bool
    group_of_rank: list[int]
    group_level: str
    across: float  # channels between groups, inf for unlimited
    inside: float

class TreeTimes(TypedDict):
    steps: list[float]  # the slowest message of each
    completion: float  # no step waits for the others

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

class PlacesLevel(TypedDict):
    name: str
    cost: float  # of a message whose ends first differ here
    group_of_rank: Sequence[int]

class LevelCut(TypedDict):
    level: str
    groups: int
    cost: float
    total: float  # weights of messages whose ends first differ here, each direction for itself
    worst: float  # what leaves the group that most leaves
    mean: float  # total / groups

class MappingScore(TypedDict):
    cuts: list[LevelCut]  # outermost level first
    total: float  # sum over levels of cost * total
    worst: float
    objective: float  # what mappings are compared by: sum of cost * (mean + worst) / 2

class MappingTrial(TypedDict):
    algorithm: str
    refusal: str  # why it could not serve or was left out; empty if it served
    score: MappingScore | None

class MappingResult(TypedDict):
    rank_at: list[int]  # the old rank that becomes rank i
    algorithm: str
    is_identity: bool
    before: MappingScore
    after: MappingScore
    trials: list[MappingTrial]
    one_line: str
    places: list[PlacesLevel]

class MappingAlgorithm(TypedDict):
    name: str
    summary: str
    source: str
    needs_grid: bool

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

def machine_json(text: str, origin: str = "machine") -> str:
    """Return the contents of a machine file, from such or from a text such as `8n x 12c`."""

def machine_text(text: str, origin: str = "machine") -> str:
    """Return the shortest text that means the machine of a text or of a machine file."""

def check_simulated(text: str, origin: str = "machine") -> None:
    """Raise UnsupportedError for a machine that simulators of networks cannot be."""

def machine_here(name: str) -> str:
    """Return the machine file of the node this process runs on, which is called so."""

def machine_of_hwloc(xml: str, origin: str) -> str:
    """Return the machine file of the node that hwloc XML describes."""

def machine_of_slurm(
    environment: Mapping[str, str], topology: str | None, origin: str = "topology.conf"
) -> str:
    """Return the machine file of a SLURM job, by its variables and what is in topology.conf."""

def host_names(text: str) -> list[str]:
    """Return the names in a host list as SLURM writes them: `n[001-003,020],login1`."""

def place(machine: str, placement: str, num_ranks: int) -> Placement:
    """Return where ranks lie on a machine: a text such as `8n x 12c`, or what is in its file."""

def recognise(node_of_rank: Sequence[int], cores_of_node: Sequence[int] = ()) -> Recognised:
    """Return which placement puts ranks on these nodes; see espalier/machine/tree/placement.hpp."""

def balanced_dims(num_ranks: int, dims: Sequence[int]) -> list[int]:
    """Extents as MPI_Dims_create promises; entries of 0 are chosen."""

def weighted_dims(num_ranks: int, weights: Sequence[float], dims: Sequence[int]) -> list[int]:
    """Extents with the least sum of dims[i] * weights[i]; entries of 0 are chosen."""

def multi_level_dims(
    sizes: Sequence[int], weights: Sequence[float], dims: Sequence[int] = ()
) -> list[list[int]]:
    """dims_ml[dimension][level], level by level from outside."""

def joint_dims(
    sizes: Sequence[int],
    costs: Sequence[float],
    weights: Sequence[float],
    dims: Sequence[int] = (),
) -> list[list[int]]:
    """dims_ml[dimension][level], all levels at once, for the least joint_cost()."""

def joint_cost(
    dims_ml: Sequence[Sequence[int]], costs: Sequence[float], weights: Sequence[float]
) -> float:
    """Sum over levels of cost * what one part of the level sends."""

def multi_level_order(dims_ml: Sequence[Sequence[int]]) -> list[int]:
    """The rank, in hardware order, at each position of the grid."""

def replay(
    text: str,
    num_ranks: int,
    root: int,
    machine: str,
    placement: str,
    num_bytes: float,
    block_bytes: Sequence[float] = (),
) -> Replay:
    """Return what a schedule takes on a machine whose links are shared. Releases the GIL.

    num_bytes, here and below, is the size of the whole result, as in rules. block_bytes, if any,
    are the sizes of its blocks, in its place.
    """

def levels_time(
    text: str, num_ranks: int, root: int, machine: str, placement: str, num_bytes: float
) -> float:
    """Return the seconds of Hockney's model with a link for each level. Releases the GIL."""

def hockney_time(
    text: str, num_ranks: int, root: int, machine: str, placement: str, num_bytes: float
) -> float:
    """Return the seconds of Hockney's model with the outermost link in use. Releases the GIL."""

def lower_bound(
    collective: str, num_ranks: int, root: int, machine: str, placement: str, num_bytes: float
) -> LowerBound:
    """Return what a collective takes at least, whatever the schedule; see cost/lower_bound.hpp."""

def loggp_time(
    collective: str,
    machine: tuple[float, float, float, float],
    nodes: tuple[int, int],
    num_bytes: float,
    k: int,
    is_refined: bool = False,
) -> float:
    """Return what a closed form of LogGP says, in the unit of the machine.

    machine is latency, overhead, gap and time per byte; nodes are their number and the threads of
    each; num_bytes is what one thread contributes; k the radix, the number of nodes for flat.
    Refined: levels of trees are a real number, and blocks of an exchange are counted.
    """

def loggp_tree_time(
    shape: str,
    machine: tuple[float, float, float, float],
    num_nodes: int,
    num_bytes: float,
    k: int,
    has_parts: bool = False,
) -> float:
    """Return what LogGP says of a tree, `k_ary` or `k_nomial`, sender by sender.

    With parts a message has num_bytes for each node below it, otherwise num_bytes.
    """

def one_sided_call_times(
    choice: str,
    num_ranks: int,
    num_bytes: float,
    form: tuple[str, str, str],
    machine: tuple[float, float, float, float, float, float, float],
    calls: tuple[int, bool, str, bool] = (1, False, "", False),
) -> list[float]:
    """Return when each call and each barrier was over on all ranks, and when everything was.

    The machine is latency, overhead, gap and time per byte, as of loggp_time(); the overhead of a
    message at its target; and the time per byte that is copied and that is combined. The form is
    mode, addresses and mechanism. Of calls it is said how many there are, whether they are underway
    together or follow each other, which barrier is at each, if any, and whether it comes before
    the call. See cost/one_sided/calls.hpp for the rules.
    """

def one_sided_answered_message(
    num_bytes: float,
    form: tuple[str, str, str],
    machine: tuple[float, float, float, float, float, float, float],
) -> float:
    """Return the time of a message and of one without data as its answer."""

def one_sided_get(
    num_bytes: float, machine: tuple[float, float, float, float, float, float, float]
) -> float:
    """Return the time of a get."""

def one_sided_flood(
    num_peers: int,
    num_messages: int,
    num_bytes: float,
    form: tuple[str, str, str],
    machine: tuple[float, float, float, float, float, float, float],
) -> float:
    """Return the time until messages from one rank, all started at once, have reached its peers."""

def one_sided_ranking(
    collective: str,
    num_ranks: int,
    num_bytes: float,
    mode_and_addresses: tuple[str, str],
    machine: tuple[float, float, float, float, float, float, float],
    limits: tuple[float, float, bool],
) -> list[tuple[str, tuple[str, str, str], float]]:
    """Return the candidates of a request with form and time, the fastest first.

    Limits are the largest eager message and the scratch memory of a rank, in bytes, and whether
    every candidate is replayed, not only those that planning is limited to.
    """

def one_sided_forms() -> list[OneSidedForm]:
    """Return each mode with each address mode and each mechanism, mechanisms changing fastest."""

def one_sided_choices(collective: str, num_ranks: int) -> list[str]:
    """Return the variants whose schedules can be one-sided programs, from root 0 if there is one.

    Whole vectors only, without collectives of the MPI library.
    """

def best(
    candidates: list[str],
    num_ranks: int,
    root: int,
    machine: str,
    placement: str,
    num_bytes: float,
    num_best: int = 1,
    block_bytes: Sequence[float] = (),
) -> list[Ranked]:
    """Return schedules by what replay() says, best first, without those that refuse.

    The first num_best are exact; the others take at least what is said. Releases the GIL.
    """

def best_sharing(
    candidates: list[str],
    num_ranks: int,
    root: int,
    machine: str,
    placement: str,
    num_bytes: Sequence[float],
    num_best: int = 1,
) -> list[list[Ranked]]:
    """Return the same at each size by what shared_time() says, among many that best() finds."""

def shared_time(
    text: str, num_ranks: int, root: int, machine: str, placement: str, num_bytes: float
) -> float:
    """Return the seconds of a schedule where messages share lines equally. Releases the GIL."""

def machine_variants(
    collective: str,
    num_ranks: int,
    machine: str,
    placement: str,
    with_native_phases: bool = False,
) -> list[str]:
    """Return all that is worth trying where ranks are placed like this, variants() included.

    Groups are nodes and the objects of the next level; `dealt=` gives the order of nodes where
    ranks were dealt to them in turn. Phases of the MPI library are among it only if asked for.
    """

def node_variants(
    collective: str, node_of_rank: Sequence[int], with_native_phases: bool = False
) -> list[str]:
    """Return what is worth measuring where only the node of each rank is known.

    These are variants(), some with groups that are the nodes, and some in the order of nodes. Only
    if asked for, phases of the MPI library are among them.
    """

def memory_variants(choices: Sequence[str], node_of_rank: Sequence[int]) -> list[str]:
    """Return what is worth measuring beside choices because ranks of a node can share memory.

    These are the same choices with `shared_memory=1`: on one node all that can have it, on several
    those whose groups are given, and none where no two ranks share a node.
    """

def has_hwloc() -> bool:
    """Return whether this build can read hwloc XML and ask hwloc about this node."""

def node_tree_json() -> str:
    """Return this node as a tree of a job view; see espalier/machine/job/job_view.hpp."""

def launcher(environment: Mapping[str, str]) -> Launcher:
    """Return what the launcher of a process told it."""

def discovery_json(job: str, topology: str = "", origin: str = "topology.conf") -> str:
    """Return the contents of a machine file for a running job, from its view in JSON.

    The file has where ranks run; its origin has placement, findings and warnings.
    """

def contradictions(machine: str, origin: str, job: str) -> list[str]:
    """Return in what a machine (a text, or what is in its file) contradicts a running job."""

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

# Neighborhood collectives, by names as `neighbor_alltoall/combining`.

NeighborGrid = tuple[Sequence[int], Sequence[bool], str, Sequence[int]]
"""Extents, which dimensions are rings, a stencil as map_grid() takes it, and the node of each rank.

Every process of the grid has the stencil around it. Nodes are any numbers, or not known: empty.
"""

class NeighborAlgorithm(Algorithm):
    forwards: bool  # ranks keep blocks for others, and have to know their sizes

def neighbor_catalog() -> list[NeighborAlgorithm]: ...
def num_neighbors(stencil: str, num_dimensions: int) -> int: ...
def neighbor_refuses(text: str, grid: NeighborGrid) -> str:
    """Return why the algorithm cannot serve a stencil on a grid; empty if it can."""

def neighbor_facts(text: str, grid: NeighborGrid) -> Facts: ...
def neighbor_count(text: str, grid: NeighborGrid) -> Work: ...
def neighbor_sent(text: str, grid: NeighborGrid) -> list[Sent]:
    """Return all messages by round and sender; cargo is as draw_neighbor_sent() has it."""

def neighbor_traffic(text: str, grid: NeighborGrid, machine: str, placement: str) -> Traffic: ...
def neighbor_program_text(text: str, grid: NeighborGrid, rank: int) -> str: ...
def draw_neighbor_sent(text: str, grid: NeighborGrid) -> str: ...
def draw_neighbor_messages(text: str, grid: NeighborGrid) -> str: ...
def calls() -> list[str]:
    """Return the blocking MPI calls that profiles speak of, but for those of neighborhoods."""

def neighbor_calls() -> list[str]:
    """Return the neighborhood collectives that profiles speak of."""

def check_neighbor_choice(call: str, algorithm: str) -> None:
    """Raise an Error unless there is such an algorithm, and it can serve a neighborhood call."""

def collective_of(call: str) -> str:
    """Return the collective whose algorithms serve a call."""

def has_known_size(call: str) -> bool:
    """Return whether all ranks know the size of the result, so that rules may depend on it."""

def call_refuses(call: str, choice: str, num_ranks: int) -> str:
    """Return why a choice cannot serve a call on this many ranks; empty if it can."""

def learned_file_name(mpi_library: str) -> str:
    """Return the name of the file for what this MPI library's programs learn on such machines."""

def is_learned_file_name(name: str, mpi_library: str) -> bool:
    """Return whether a file has such a name under this MPI library, for machines of any kind."""

def judge_mpi_library(file: str, text: str, family: str) -> tuple[str, str]:
    """Return the short version of a library, and why programs that use it run natively.

    `text` is what MPI_Get_library_version says; the reason is empty if Espalier serves them.
    """

def check_profile(text: str, origin: str = "profile") -> ProfileSummary: ...
def placement_of(node_of_rank: Sequence[int]) -> str:
    """Return how ranks lie on nodes: block, cyclic or other; empty where they cannot differ."""

def decide(
    profile: str,
    call: str,
    num_ranks: int,
    num_nodes: int,
    bytes: Sequence[int],  # noqa: A002
    placement: str = "",
    topology: str = "",
    max_neighbors: int = 0,
) -> list[Decision]:
    """Return what a preloaded program would do for each size of the result."""

def standard_order(num_ranks: int, root: int = 0) -> list[int]: ...
def random_order(num_ranks: int, root: int = 0, seed: int = 1) -> list[int]: ...
def node_order(kind: str, node_of_rank: Sequence[int]) -> list[int]:
    """Return the order that makes a placement of any other: smp, round_robin or folded."""

def fastest_edge_first(rtt: Sequence[Sequence[float]], root: int = 0) -> list[int]: ...
def channel_aware(
    rtt: Sequence[Sequence[float]],
    group_of_rank: Sequence[int],
    across: float,
    inside: float,
    root: int = 0,
) -> list[int]: ...
def channel_aware_as_published(
    rtt: Sequence[Sequence[float]], channels: float, root: int = 0
) -> list[int]: ...
def order_refuses(ranks: Sequence[int], num_ranks: int) -> str:
    """Return why it is no order of so many ranks; empty if it is one."""

def binomial_steps(ranks: Sequence[int]) -> list[list[tuple[int, int, int]]]:
    """Return the messages of each step: from rank, to rank, ranks below."""

def tree_times(
    rtt: Sequence[Sequence[float]],
    ranks: Sequence[int],
    group_of_rank: Sequence[int],
    across: float,
    inside: float,
    whole: bool,
) -> TreeTimes:
    """Return how long a binomial tree takes, in the unit of the matrix.

    With `whole`, messages carry one block each, else those of all ranks below.
    """

def machine_distances(
    machine: str,
    placement: str = "",
    num_ranks: int = 0,
    bytes: float = 16384,  # noqa: A002
) -> Distances:
    """Return round trips between ranks on a machine (text, or contents of a file), and its groups.

    With 0 ranks all cores have one. Without a placement ranks are where the file says, else block.
    """

def mapping_algorithms() -> list[MappingAlgorithm]:
    """Return what map_grid and map_graph can try, in their order; Scotch where it is installed."""

def scotch_version() -> str:
    """Return the version of libscotch in this build; empty without it."""

def stencil_text(stencil: str, num_dimensions: int) -> str:
    """Return the shortest form of a stencil, e.g. `nearest` of `5pt`."""

def places(machine: str, placement: str = "", num_ranks: int = 0) -> list[PlacesLevel]:
    """Return where ranks run: levels from nodes inwards, groups counted in hardware order.

    As with machine_distances, 0 ranks are all cores, no placement is the file's, else block.
    """

def map_grid(
    extents: Sequence[int],
    periodic: Sequence[bool] = (),
    stencil: str = "nearest",
    *,
    machine: str = "",
    placement: str = "",
    places: Sequence[PlacesLevel] = (),
    algorithms: Sequence[str] = (),
    searches: bool = True,
    max_trials: int | None = None,
) -> MappingResult:
    """Map a grid onto a machine (text, or contents of a file) or onto places; one of both.

    There is a rank for each position; on a machine they are placed first. Algorithms are names of
    mapping_algorithms(), none: all.

    Raises:
        ArgumentError: For what does not fit together, with what was expected.
    """

def map_graph(
    num_ranks: int,
    edges: Sequence[tuple[int, int, float]],
    *,
    machine: str = "",
    placement: str = "",
    places: Sequence[PlacesLevel] = (),
    algorithms: Sequence[str] = (),
    searches: bool = True,
    max_trials: int | None = None,
) -> MappingResult:
    """Map any graph, given as directed edges (from, to, weight); the rest as map_grid."""

def score_grid(
    extents: Sequence[int],
    periodic: Sequence[bool] = (),
    stencil: str = "nearest",
    *,
    rank_at: Sequence[int],
    machine: str = "",
    placement: str = "",
    places: Sequence[PlacesLevel] = (),
) -> MappingScore:
    """Score any permutation of ranks on a grid as map_grid does."""

# Halo benchmark.

class HaloCaseInput(TypedDict):
    line: int
    method: int

class HaloGroupInput(TypedDict):
    grid: list[int]
    is_periodic: list[bool]
    strides: list[list[int]]
    cases: list[HaloCaseInput]

class HaloInput(TypedDict):
    factors: list[int]
    seconds: float
    groups: list[HaloGroupInput]

def halo_input(text: str, origin: str) -> HaloInput:
    """Read an input file of the halo benchmark; `origin` is its name, for messages.

    Raises:
        FormatError: With the line, what was expected, and what was found.
    """
