# SPDX-License-Identifier: Apache-2.0

# Looks for libucp, the protocols of UCX: imported target espalier_ucx if it is there, whose users have
# the definition ESPALIER_HAS_UCX. Without it everything builds but the conduit over it. Only programs
# that ask for that conduit link it.

option(
  ESPALIER_WITH_UCX
  "One-sided communication over networks that UCX knows where it is installed"
  ON
)

if(ESPALIER_WITH_UCX AND ESPALIER_WITH_MPI AND NOT TARGET espalier_ucx)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    # The interface of which all calls are nonblocking and have parameters (..._nbx), with alignment.
    pkg_check_modules(ESPALIER_UCX QUIET IMPORTED_TARGET GLOBAL "ucx>=1.13")
  endif()
  if(TARGET PkgConfig::ESPALIER_UCX)
    add_library(espalier_ucx INTERFACE IMPORTED GLOBAL)
    target_link_libraries(espalier_ucx INTERFACE PkgConfig::ESPALIER_UCX)
    target_compile_definitions(espalier_ucx INTERFACE ESPALIER_HAS_UCX)
    message(STATUS "UCX: ${ESPALIER_UCX_VERSION}")
  else()
    project_missing(UCX)
  endif()
endif()
