# SPDX-License-Identifier: Apache-2.0
"""What is changed in documented commands before a test runs them, and those that are not run.

A command that is in neither table runs as it is written. An entry that fits no command any more
fails a test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from documented_commands import Command

EVERYWHERE = ""
CLUSTER = "documented"


@dataclass(frozen=True)
class Adaptation:
    """A pattern that is replaced in the commands of a page, or of all pages."""

    page: str
    pattern: str
    replacement: str
    reason: str


@dataclass(frozen=True)
class NotRun:
    """Commands of a page, or of all pages, that are not run."""

    page: str
    pattern: str
    reason: str

    def fits(self, command: Command) -> bool:
        """Return whether this command is meant."""
        is_here = self.page in {EVERYWHERE, command.page}
        return is_here and re.match(self.pattern, command.line) is not None


@dataclass(frozen=True)
class Shown:
    """What a page says that a command prints, or which files it leaves, but not below `$`."""

    page: str
    pattern: str
    texts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def fits(self, command: Command) -> bool:
        """Return whether this command is meant."""
        return self.page == command.page and re.search(self.pattern, command.line) is not None


_FEW = "there are few processors"
_SHORT = "nobody has to believe these measurements"
_SMALL = "less is simulated in less time"
_ONE_HOST = "there is one host, so others are emulated"
_OWN = "another cluster of this name may be up, and may not be ended"
_README = "README.md"
_EMULATED = "docs/explanation/emulated-hosts.md"
_HALO = "docs/explanation/mapping/halo.md"
_LAUNCH = "docs/explanation/mapping/launch.md"
_PEERS = "docs/explanation/peers.md"
_SIMULATION = "docs/explanation/simulation.md"
_IMPROVE = "docs/howto/improve_a_program.md"
_INSTALL = "docs/howto/install.md"
_PROFILES = "docs/howto/keep_profiles.md"
_CLUSTER = "docs/howto/tune_a_cluster.md"
_NONBLOCKING = "docs/reference/nonblocking_collectives.md"
_TUTORIAL = "docs/tutorials/first_profile.md"

# Each sees what those before it have made of a command.
ADAPTATIONS = (
    Adaptation(
        EVERYWHERE, r"^(?!.*cluster run)(.*mpirun.*) -n (?:16|192|2400)\b", r"\1 -n 2", _FEW
    ),
    Adaptation(EVERYWHERE, r"mpiexec\.mpich -n 4", "mpiexec.mpich -n 2", "MPICH spins: " + _FEW),
    Adaptation(EVERYWHERE, r"--bind-to core", "--bind-to none", _FEW),
    Adaptation(EVERYWHERE, r"--time-budget (?:60s|10min)", "--time-budget 1s", _SHORT),
    Adaptation(
        EVERYWHERE,
        r"espalier (improve|model validate|peers run|probe(?! --from)|tune(?! simulate))\b"
        r"(?!.*--time-budget)",
        r"espalier \1 --time-budget 1s",
        _SHORT,
    ),
    Adaptation(
        EVERYWHERE, r"espalier order(?=.* -- mpirun)", "espalier order --time-budget 1s", _SHORT
    ),
    Adaptation(EVERYWHERE, r"espalier (compare|improve)\b", r"espalier \1 --repetitions 1", _SHORT),
    Adaptation(_TUTORIAL, r" --repetitions 6", "", _SHORT),
    Adaptation(_TUTORIAL, r"jacobi_openmpi 4096 6", "jacobi_openmpi 512 6", _SHORT),
    Adaptation(_NONBLOCKING, r"--work 30ms", "--work 1ms", _SHORT),
    Adaptation(_README, r"tune simulate", "tune simulate --sizes 32KiB", _SMALL),
    Adaptation(_README, r"model profile", "model profile --sizes 32KiB", _SMALL),
    Adaptation(_README, r"allgather,bcast", "bcast --sizes 1KiB", _SMALL),
    Adaptation(
        _PEERS, r"peers simulate", "peers simulate --collectives bcast --sizes 1KiB", _SMALL
    ),
    Adaptation(_CLUSTER, r"tune simulate", "tune simulate --time-budget 1s", _SHORT),
    Adaptation(_HALO, r"halo\.txt -- ", "few_ranks.txt -- ", "2 ranks have other grids than 192"),
    Adaptation(_LAUNCH, r"--grid 50x48", "--grid 2x1", _FEW),
    Adaptation(_LAUNCH, r"50n x 48c", "2n x 1c", _FEW),
    Adaptation(_LAUNCH, r"node\[01-50\]", "node[0-1]", "hosts that are emulated have these names"),
    Adaptation(_LAUNCH, r"^mpirun", "espalier cluster run --hosts 4 -- mpirun", _ONE_HOST),
    Adaptation(_LAUNCH, r"(--hostfile .*) -n 2", r"\1 -n 16", "so many ranks ran on these hosts"),
    Adaptation(
        _LAUNCH,
        r"^espalier run(.*) -n 2",
        r"espalier cluster run --hosts 4 --placement cyclic -- espalier run\1 -n 16",
        _ONE_HOST,
    ),
    Adaptation(_EMULATED, r"cluster (up|run|down)", rf"cluster \1 --name {CLUSTER}", _OWN),
    Adaptation(_IMPROVE, r"--hosts 4 (.*) -n 16", r"--hosts 2 --ranks-per-host 2 \1 -n 4", _FEW),
    Adaptation(_IMPROVE, r"gmk_m3 40 40 40", "gmk_m3 10 10 10", _SHORT),
    Adaptation(_PROFILES, r"~anna", "anna", "there is no such user"),
    Adaptation(
        _PROFILES,
        r"bin/espalier profile share",
        "~/espalier/bin/espalier profile share",
        "the build that is tested gets no rules of a site",
    ),
    Adaptation(
        "docs/explanation/mapping/default.md",
        r"programs\.py",
        "programs.py --help",
        "it measures eight programs, for hours",
    ),
)

_BUILT = "the test takes what is built"
_OTHERS = "fetches packages of others; tests/packaging and tests/distributions install"
NOT_RUN = (
    NotRun(EVERYWHERE, r"make |cmake (?!--install)", _BUILT),
    NotRun("docs/benchmarks/peers.md", r".*peers experiment", "takes half an hour"),
    NotRun(_PEERS, r".*peers experiment", "takes minutes; tests/python/peers runs a small one"),
    NotRun(_INSTALL, r"python3 -m venv|\S*/pip install|sudo apt", _OTHERS),
    NotRun(_INSTALL, r"module ", "Environment Modules; tests/packaging reads the file"),
    NotRun(_INSTALL, r"fpath=|source .*fish", "another shell; tests/packaging looks for the file"),
)

SHOWN = (
    Shown(_README, "espalier improve", files=("espalier-profile.json",)),
    Shown(_README, "--traffic sent", files=("sent/traffic-1.json",)),
    Shown(_README, "simulate program", texts=("1.38 ms", "2.99 ms")),
    Shown(_SIMULATION, "simulate program", texts=("639 us simulated, on 16 ranks of 4 nodes",)),
    Shown(_EMULATED, "cluster run", texts=("between hosts in",)),
    Shown(_LAUNCH, "--traffic counted -- ", files=("counted/traffic-15.json",)),
    Shown(
        "docs/explanation/probing.md",
        r"probe -- ",
        files=("espalier-machine.json", "espalier-machine.json.samples.jsonl"),
    ),
    Shown("docs/explanation/probing.md", "--figures", files=("rtt.csv", "figures/round-trips.svg")),
    Shown(
        _IMPROVE,
        "input.txt",
        files=("espalier-profile.json", "espalier-profile.machine.json"),
    ),
    Shown(
        "docs/howto/find_a_hang.md",
        "ESPALIER_WATCH",
        texts=(
            "rank 3 waits for 2 s in MPI_Allreduce of the MPI library (4 ranks of MPI_COMM_WORLD, ",
            "rank 2 is in no collective, its last one was MPI_Bcast 2 s ago",
        ),
    ),
    Shown(_PROFILES, "pml_monitoring", files=("seen.0.prof", "seen.3.prof")),
)


def adapted(command: Command) -> tuple[str, list[Adaptation]]:
    """Return the line that is run in the place of a documented one, and what has changed it."""
    line, used = command.line, []
    for one in ADAPTATIONS:
        if one.page in {EVERYWHERE, command.page}:
            line, times = re.subn(one.pattern, one.replacement, line)
            used += [one] * bool(times)
    return line, used
