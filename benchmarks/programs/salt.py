# SPDX-License-Identifier: Apache-2.0
"""A crystal of rock salt as input for GROMACS: force field and all, nothing of its data needed.

Usage: salt.py STEPS. It writes conf.gro, topol.top and grompp.mdp into the current folder.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

CELLS = (16, 16, 8)
SPACING_NM = 0.29
NAMES = ("NA", "CL")

TOPOLOGY = """[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
NA 11 22.99 1.0 A 0.2584 0.4184
CL 17 35.45 -1.0 A 0.4401 0.4184
[ moleculetype ]
NA 1
[ atoms ]
1 NA 1 NA NA 1 1.0 22.99
[ moleculetype ]
CL 1
[ atoms ]
1 CL 1 CL CL 1 -1.0 35.45
[ system ]
rock salt
[ molecules ]
NA {number}
CL {number}
"""

SETTINGS = """integrator = md
dt = 0.002
nsteps = {steps}
nstlist = 10
nstcalcenergy = 10
nstenergy = 10
nstlog = 10
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
fourierspacing = 0.12
gen-vel = yes
gen-temp = 300
gen-seed = 7
comm-mode = none
"""


def _atoms() -> list[tuple[str, tuple[int, ...]]]:
    """Return first all of one kind, then all of the other, each with its place in the lattice."""
    places = list(itertools.product(*(range(number) for number in CELLS)))
    return [(name, at) for kind, name in enumerate(NAMES) for at in places if sum(at) % 2 == kind]


def write_salt(folder: Path, steps: int) -> None:
    """Write conf.gro, topol.top and grompp.mdp."""
    atoms = _atoms()
    lines = ["rock salt", str(len(atoms))]
    for number, (name, at) in enumerate(atoms, start=1):
        position = "".join(f"{(each + 0.5) * SPACING_NM:8.3f}" for each in at)
        lines.append(f"{number:5d}{name:<5s}{name:>5s}{number:5d}{position}")
    lines.append("".join(f"{number * SPACING_NM:10.5f}" for number in CELLS))
    (folder / "conf.gro").write_text("\n".join(lines) + "\n")
    (folder / "topol.top").write_text(TOPOLOGY.format(number=len(atoms) // 2))
    (folder / "grompp.mdp").write_text(SETTINGS.format(steps=steps))


if __name__ == "__main__":
    write_salt(Path.cwd(), int(sys.argv[1]))
