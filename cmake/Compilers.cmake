# SPDX-License-Identifier: Apache-2.0

# The oldest compilers that compile this project; tools/try_compilers.sh tries them (make compilers).
# Of other compilers nothing is known, and they are tried.
set(ESPALIER_OLDEST_GNU 11)
set(ESPALIER_OLDEST_Clang 14)

if(
  DEFINED ESPALIER_OLDEST_${CMAKE_CXX_COMPILER_ID}
  AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS ESPALIER_OLDEST_${CMAKE_CXX_COMPILER_ID}
)
  message(
    FATAL_ERROR
    "expected ${CMAKE_CXX_COMPILER_ID} ${ESPALIER_OLDEST_${CMAKE_CXX_COMPILER_ID}} or later for C++, "
    "found ${CMAKE_CXX_COMPILER_VERSION}: ${CMAKE_CXX_COMPILER}. "
    "Another compiler is named by CC=... CXX=... in an empty build folder."
  )
endif()
