# SPDX-License-Identifier: Apache-2.0
"""Programs of others that call MPI_Cart_create, preloaded on a cluster whose links are counted.

GROMACS asks for another order of ranks and goes by the communicator it gets: 12 ranks, 8 of them
with a part of space each and 4 for long-range forces, in a grid of 2 x 2 x 3. LAMMPS is told not to
ask for it: it would go on with the old communicator.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from places import repository

from espalier import installation
from espalier.clusters import EmulatedCluster, emulated

sys.path.insert(0, str(repository / "benchmarks" / "programs"))

from salt import write_salt

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

OBSTACLE = emulated.obstacle()
NUM_STEPS = 40

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(bool(OBSTACLE), reason=OBSTACLE)]


def shim() -> str:
    folder = installation.build_folder()
    library = None if folder is None else folder / "lib" / "libespalier-openmpi.so"
    if library is None or not library.is_file():
        pytest.skip("libespalier-openmpi.so is not built")
    return str(library)


def program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


@dataclasses.dataclass(frozen=True)
class Run:
    """A program that has ended, and what it sent between hosts."""

    stdout: str
    stderr: str
    sent_bytes: int
    dropped_packets: int

    @property
    def reports(self) -> list[str]:
        """What Espalier says of grids."""
        lines = self.stderr.splitlines()
        return [line for line in lines if "MPI_Cart_create" in line and " nodes: " in line]


def run(cluster: EmulatedCluster, placement: str, command: list[str], **settings: str) -> Run:
    usual = {"ESPALIER_VERBOSE": "1", "ESPALIER_LEARN": "off"}
    variables = {"LD_PRELOAD": shim(), **usual, **settings}
    return launch(
        cluster, cluster.launcher_words("openmpi", placement=placement), command, variables
    )


def launch(
    cluster: EmulatedCluster, words: list[str], command: list[str], variables: dict[str, str]
) -> Run:
    for name, value in variables.items():
        words += ["-x", f"{name}={value}"]
    before = cluster.link_counters()
    done = subprocess.run(
        [*words, *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    after = cluster.link_counters()
    changes = list(zip(before, after, strict=True))
    return Run(
        done.stdout,
        done.stderr,
        sum(new.sent_bytes - old.sent_bytes for old, new in changes),
        sum(new.dropped_packets - old.dropped_packets for old, new in changes),
    )


@pytest.fixture(scope="module")
def salt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the input of GROMACS."""
    folder = tmp_path_factory.mktemp("salt")
    write_salt(folder, NUM_STEPS)
    done = subprocess.run(
        [program("gmx"), "grompp", "-maxwarn", "1"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


def energies(log: Path) -> list[str]:
    """Return the lines of numbers below all lines of names of energies."""
    lines = log.read_text().splitlines()
    titles = re.compile("Potential|Total Energy")
    found = [lines[i + 1] for i, line in enumerate(lines[:-1]) if titles.search(line)]
    return [line for line in found if re.fullmatch(r"[-+.e\d\s]+", line)]


def simulate(cluster: EmulatedCluster, placement: str, salt: Path, mapping: str) -> Run:
    command = [program("gmx_mpi"), "mdrun", "-s", str(salt / "topol.tpr")]
    command += ["-ddorder", "cartesian", "-dd", "2", "2", "2", "-npme", "4", "-dlb", "no"]
    command += ["-ntomp", "1", "-pin", "off", "-reprod"]
    command += ["-g", str(salt / f"{mapping}.log"), "-e", str(salt / "energies.edr")]
    command += ["-c", str(salt / "last.gro"), "-cpo", str(salt / "state.cpt")]
    return run(cluster, placement, command, ESPALIER_MAPPING=mapping)


@pytest.mark.parametrize(
    ("num_hosts", "placement", "most"),
    [
        pytest.param(4, "cyclic", 0.7, id="dealt_in_turn"),
        pytest.param(3, "block", 0.5, id="in_blocks"),
        # Each of the three nodes has a plane of the grid already.
        pytest.param(3, "cyclic", 1.05, id="nothing_to_gain"),
    ],
)
def test_gromacs_sends_less_between_nodes_and_computes_the_same(
    salt: Path, num_hosts: int, placement: str, most: float
) -> None:
    with EmulatedCluster(num_hosts, 12 // num_hosts, rate=None) as cluster:
        plain = simulate(cluster, placement, salt, "off")
        mapped = simulate(cluster, placement, salt, "on")
    assert plain.reports == []
    assert len(mapped.reports) == 1
    assert f"MPI_Cart_create 2x2x3 on {num_hosts} nodes: " in mapped.reports[0]
    assert ("nothing changes" in mapped.reports[0]) == (most > 1)
    print(f"{plain.sent_bytes} -> {mapped.sent_bytes} bytes; {mapped.reports[0]}")  # noqa: T201
    assert mapped.sent_bytes < most * plain.sent_bytes
    assert plain.dropped_packets == mapped.dropped_packets == 0
    assert len(energies(salt / "on.log")) >= 2 * (NUM_STEPS // 10)
    assert energies(salt / "on.log") == energies(salt / "off.log")


MELT = """processors 4 2 1 map cart
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 12 0 12 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
thermo 10
run 40
"""


def thermo(text: str) -> list[str]:
    """Return the lines of the table of LAMMPS."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Step "))
    end = next(i for i, line in enumerate(lines) if line.startswith("Loop time"))
    return lines[start:end]


def test_lammps_that_does_not_permit_another_order_is_left_alone(tmp_path: Path) -> None:
    melt = tmp_path / "melt.in"
    melt.write_text(MELT)
    command = [program("lmp"), "-in", str(melt), "-log", "none"]
    with EmulatedCluster(4, 2, rate=None) as cluster:
        off = run(cluster, "cyclic", command, ESPALIER_OFF="1")
        on = run(cluster, "cyclic", command)
    assert on.reports == []
    assert len(thermo(on.stdout)) == 6
    assert thermo(on.stdout) == thermo(off.stdout)
    assert on.sent_bytes == pytest.approx(off.sent_bytes, rel=0.05)


def seats(cluster: EmulatedCluster, host_file: Path) -> list[str]:
    """Return a launcher that starts rank i on the host in line i of a file."""
    words = cluster.launcher_words("openmpi")
    words[words.index("--host") : words.index("--host") + 2] = ["--hostfile", str(host_file)]
    words[words.index("--map-by") + 1] = "seq"
    return words


def test_lammps_sends_less_between_nodes_when_it_is_mapped_at_launch(
    cli: Callable[..., Result], tmp_path: Path
) -> None:
    melt, host_file = tmp_path / "melt.in", tmp_path / "hosts"
    melt.write_text(MELT)
    command = [program("lmp"), "-in", str(melt), "-log", "none"]
    with EmulatedCluster(4, 2, rate=None) as cluster:
        words = ["map", "--grid", "4x2x1", "--periodic", "all", "--machine", "4n x 2c"]
        words += ["--hosts", ",".join(cluster.hosts), "--for", "openmpi", "--no-bind"]
        done = cli(*words, "-o", str(host_file))
        assert done.code == 0, done.err
        plain = run(cluster, "cyclic", command)
        variables = {"LD_PRELOAD": shim(), "ESPALIER_VERBOSE": "1", "ESPALIER_LEARN": "off"}
        mapped = launch(cluster, seats(cluster, host_file), command, variables)
    print(f"{plain.sent_bytes} -> {mapped.sent_bytes} bytes")  # noqa: T201
    assert thermo(mapped.stdout) == thermo(plain.stdout)
    assert mapped.sent_bytes < 0.8 * plain.sent_bytes
