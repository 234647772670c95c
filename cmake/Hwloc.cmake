# SPDX-License-Identifier: Apache-2.0

# Looks for libhwloc 2: imported target espalier_hwloc if it is there. Without it everything builds, and
# what would ask hwloc says that this build cannot.

option(ESPALIER_WITH_HWLOC "Describe nodes with libhwloc where it is installed" ON)

if(ESPALIER_WITH_HWLOC AND NOT TARGET espalier_hwloc)
  find_path(ESPALIER_HWLOC_INCLUDE hwloc.h DOC "Folder of hwloc.h")
  find_library(ESPALIER_HWLOC_LIBRARY hwloc DOC "libhwloc")
  if(ESPALIER_HWLOC_INCLUDE AND ESPALIER_HWLOC_LIBRARY)
    add_library(espalier_hwloc INTERFACE IMPORTED GLOBAL)
    target_include_directories(espalier_hwloc SYSTEM INTERFACE ${ESPALIER_HWLOC_INCLUDE})
    target_link_libraries(espalier_hwloc INTERFACE ${ESPALIER_HWLOC_LIBRARY})
    message(STATUS "hwloc: ${ESPALIER_HWLOC_LIBRARY}")
  else()
    message(
      STATUS
      "hwloc: not found (Debian: libhwloc-dev), nodes are described by the kernel alone"
    )
  endif()
endif()
