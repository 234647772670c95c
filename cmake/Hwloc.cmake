# SPDX-License-Identifier: Apache-2.0

# Looks for the headers of hwloc 2: target espalier_hwloc if they are there. The library is opened when
# it is used (espalier/machine/sources/hwloc_library.hpp), so that nothing needs it. Without the
# headers everything builds, and what would ask hwloc says that this build cannot.

option(ESPALIER_WITH_HWLOC "Describe nodes with libhwloc where it is installed" ON)

if(ESPALIER_WITH_HWLOC AND NOT TARGET espalier_hwloc)
  find_path(ESPALIER_HWLOC_INCLUDE hwloc.h DOC "Folder of hwloc.h")
  if(ESPALIER_HWLOC_INCLUDE)
    add_library(espalier_hwloc INTERFACE IMPORTED GLOBAL)
    target_include_directories(espalier_hwloc SYSTEM INTERFACE ${ESPALIER_HWLOC_INCLUDE})
    target_link_libraries(espalier_hwloc INTERFACE ${CMAKE_DL_LIBS})
    message(STATUS "hwloc: ${ESPALIER_HWLOC_INCLUDE}/hwloc.h")
  else()
    project_missing(hwloc)
  endif()
endif()
