# SPDX-License-Identifier: Apache-2.0

# Looks for the headers of libucp, the protocols of UCX: imported target espalier_ucx if they are there,
# whose users have the definition ESPALIER_HAS_UCX. Without them everything builds but the conduit over
# UCX. The library is opened by programs that ask for that conduit, so nothing is linked with it.

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
    target_include_directories(
      espalier_ucx
      SYSTEM
      INTERFACE $<TARGET_PROPERTY:PkgConfig::ESPALIER_UCX,INTERFACE_INCLUDE_DIRECTORIES>
    )
    target_link_libraries(espalier_ucx INTERFACE ${CMAKE_DL_LIBS})
    target_compile_definitions(espalier_ucx INTERFACE ESPALIER_HAS_UCX)
    message(STATUS "UCX: ${ESPALIER_UCX_VERSION}")
  else()
    project_missing(UCX)
  endif()
endif()
