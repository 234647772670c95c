# SPDX-License-Identifier: Apache-2.0
"""The energy of a function on a mesh of the unit cube, by DOLFINx."""

import numpy as np
import ufl
from dolfinx import fem, mesh
from mpi4py import MPI

cube = mesh.create_unit_cube(MPI.COMM_WORLD, 16, 16, 16)
function = fem.Function(fem.FunctionSpace(cube, ("Lagrange", 1)))
function.interpolate(lambda x: np.sin(x[0]) + x[1] * x[2])
function.x.scatter_forward()
gradient = ufl.grad(function)
energy = fem.assemble_scalar(fem.form(ufl.inner(gradient, gradient) * ufl.dx))
energy = MPI.COMM_WORLD.allreduce(energy)
if MPI.COMM_WORLD.rank == 0:
    print(f"energy {energy:.10e}")  # noqa: T201
