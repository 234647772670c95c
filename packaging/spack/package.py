# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F403, F405, D102
# mypy: ignore-errors
"""Recipe for Spack, written by its documentation and not tried.

It has the libraries and programs. The command line comes from the wheel, because packages that it
needs are not in Spack. The file goes into a repository of your own: `spack repo create FOLDER`,
then FOLDER/packages/espalier/package.py, and `spack repo add FOLDER`. There is no archive to
download: `spack dev-build espalier@0.1.0` in a checkout.
"""

from spack.package import *


class Espalier(CMakePackage):
    """Faster collectives and process mapping for MPI programs that stay as they are."""

    has_code = True

    license("Apache-2.0")

    version("0.1.0")

    variant("hwloc", default=True, description="Describe nodes by hwloc")
    variant("ucx", default=False, description="One-sided communication over UCX")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.10:", type="build")
    depends_on("mpi")
    depends_on("fmt", type="build")
    depends_on("nlohmann-json", type="build")
    # Both are opened by programs that ask for them.
    depends_on("hwloc@2:", when="+hwloc", type=("build", "run"))
    depends_on("ucx@1.13:", when="+ucx", type=("build", "run"))
    depends_on("pkgconfig", when="+ucx", type="build")

    generator("ninja")

    def cmake_args(self):
        mpi = self.spec["mpi"]
        vendor = "openmpi" if mpi.name == "openmpi" else "mpich"
        other = "mpich" if vendor == "openmpi" else "openmpi"
        return [
            self.define(f"ESPALIER_MPICC_{vendor}", mpi.mpicc),
            # Not what else is on the machine.
            self.define(f"ESPALIER_MPICC_{other}", False),
            self.define_from_variant("ESPALIER_WITH_HWLOC", "hwloc"),
            self.define_from_variant("ESPALIER_WITH_UCX", "ucx"),
            self.define("ESPALIER_WITH_SCOTCH", False),
            self.define("ESPALIER_WITH_CCACHE", False),
            self.define("ESPALIER_WITH_PYTHON", False),
            self.define("ESPALIER_WITH_TESTS", False),
            self.define("ESPALIER_WITH_BENCHMARKS", False),
            self.define("ESPALIER_WITH_SMPI", False),
        ]

    def setup_run_environment(self, env):
        env.prepend_path("LD_LIBRARY_PATH", self.prefix.lib)
