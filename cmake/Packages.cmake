# SPDX-License-Identifier: Apache-2.0

# What a build uses, what it does without it, and what its package is called. The names for Debian are
# those that tools/install_dependencies.sh installs; the others were looked up and not tried.
# A row: part | lost without it; empty: nothing can be built | Debian | Fedora | openSUSE | Arch | Spack
set(
  ESPALIER_PACKAGES
  "fmt||libfmt-dev|fmt-devel|fmt-devel|fmt|fmt"
  "nlohmann_json||nlohmann-json3-dev|json-devel|nlohmann_json-devel|nlohmann-json|nlohmann-json"
  "MPI||libopenmpi-dev or libmpich-dev|openmpi-devel|openmpi4-devel|openmpi|openmpi"
  "Python||python3-dev|python3-devel|python3-devel|python|python"
  "standard ABI|the library for programs of the standard ABI|mpi_abi.h of MPICH 5|mpi_abi.h of MPICH 5|mpi_abi.h of MPICH 5|mpi_abi.h of MPICH 5|mpich@5:"
  "Fortran|the interfaces for Fortran|gfortran|gcc-gfortran|gcc-fortran|gcc-fortran|gcc"
  "hwloc|nodes are described by the kernel alone|libhwloc-dev|hwloc-devel|hwloc-devel|hwloc|hwloc"
  "Scotch|mappings of graphs have one algorithm less|libscotch-dev|scotch-devel|scotch-devel|scotch|scotch"
  "UCX|the one-sided conduit over networks that UCX knows|libucx-dev|ucx-devel|libucp-devel|openucx|ucx"
  "SimGrid|programs on simulated machines|libsimgrid-dev|simgrid-devel|-|simgrid|simgrid"
  "GoogleTest|tests|libgtest-dev|gtest-devel|gtest|gtest|googletest"
)
set(
  ESPALIER_SYSTEMS
  "Debian, Ubuntu"
  "Fedora, RHEL"
  openSUSE
  Arch
  Spack
)

# project_missing(<part> [<advice>])
#
# Says that a part was not found and where it is to be had: an error if nothing can be built without
# it, otherwise a line that tells what is lost. <advice> is one more line for the error.
function(project_missing part)
  foreach(row IN LISTS ESPALIER_PACKAGES)
    string(REPLACE "|" ";" cells "${row}")
    list(POP_FRONT cells name lost)
    if(NOT name STREQUAL part)
      continue()
    endif()
    if(lost)
      list(GET cells 0 debian)
      message(STATUS "${part}: not found (Debian: ${debian}); left out: ${lost}")
      return()
    endif()
    set(lines "")
    foreach(system package IN ZIP_LISTS ESPALIER_SYSTEMS cells)
      string(APPEND lines "\n  ${system}: ${package}")
    endforeach()
    list(JOIN ARGN "" advice)
    message(FATAL_ERROR "expected ${part}, found none. Its package is called${lines}\n${advice}")
  endforeach()
  message(FATAL_ERROR "project_missing(${part}): no such row in ESPALIER_PACKAGES")
endfunction()
