# SPDX-License-Identifier: Apache-2.0

# Looks for libscotch 7: imported target espalier_scotch if it is there. Without it everything builds,
# and the portfolio of mappings has one algorithm less.

option(ESPALIER_WITH_SCOTCH "Map graphs with libscotch too where it is installed" ON)

if(ESPALIER_WITH_SCOTCH AND NOT TARGET espalier_scotch)
  find_path(ESPALIER_SCOTCH_INCLUDE scotch.h PATH_SUFFIXES scotch DOC "Folder of scotch.h")
  find_library(ESPALIER_SCOTCH_LIBRARY scotch DOC "libscotch")
  find_library(
    ESPALIER_SCOTCH_ERROR_LIBRARY
    scotcherr
    DOC "libscotcherr: libscotch reports with it"
  )
  if(ESPALIER_SCOTCH_INCLUDE AND ESPALIER_SCOTCH_LIBRARY AND ESPALIER_SCOTCH_ERROR_LIBRARY)
    add_library(espalier_scotch INTERFACE IMPORTED GLOBAL)
    target_include_directories(espalier_scotch SYSTEM INTERFACE ${ESPALIER_SCOTCH_INCLUDE})
    target_link_libraries(
      espalier_scotch
      INTERFACE ${ESPALIER_SCOTCH_LIBRARY} ${ESPALIER_SCOTCH_ERROR_LIBRARY}
    )
    message(STATUS "scotch: ${ESPALIER_SCOTCH_LIBRARY}")
  else()
    project_missing(Scotch)
  endif()
endif()
