# SPDX-License-Identifier: Apache-2.0

# Headers of the standard library that many sources read, compiled ahead once for all layers that
# know no MPI (cmake/ProjectLayer.cmake), for those of simulated machines (cmake/Smpi.cmake), and for
# tests. None of ours is among them, and sources include what they use all the same: the preset dev
# compiles without, and so do the layers of an MPI library.
#
#   espalier_standard_headers      target that compiles them
#   espalier_unit_test_headers     the same and GoogleTest, for programs of unit tests
#   espalier_<mpi>_test_headers    the same and <mpi.h>, for test programs of an MPI library
#
# The header of JSON is not among them: GCC instantiates again in each batch what its functions use,
# whether the batch uses them or not, and that takes longer than an empty batch does. Layers of an
# MPI library do without: a precompiled header has to be the first one, which for MPICH is that of
# weak references (espalier/mpi), and GCC inlines differently behind it in code that every call runs
# through. Only of GCC it is known that targets with other definitions may share one.

# project_headers_ahead(<target> <header>...)
#
# The target compiles the standard headers, and those that are named, for others to reuse.
function(project_headers_ahead target)
  project_target(${target})
  target_precompile_headers(
    ${target}
    PRIVATE
      <algorithm>
      <array>
      <atomic>
      <charconv>
      <chrono>
      <cmath>
      <cstring>
      <filesystem>
      <functional>
      <map>
      <memory>
      <mutex>
      <numeric>
      <optional>
      <set>
      <span>
      <string>
      <unordered_map>
      <vector>
      ${ARGN}
  )
endfunction()

# project_reuse_standard_headers(<target>)
#
# The target reads the standard headers that are compiled ahead, if there are any.
function(project_reuse_standard_headers target)
  if(TARGET espalier_standard_headers)
    target_precompile_headers(${target} REUSE_FROM espalier_standard_headers)
  endif()
endfunction()

# project_test_headers(<kind> <library> <header>)
#
# Target espalier_<kind>_test_headers. It is a program, as tests are: other code is compiled with other
# options.
function(project_test_headers kind library header)
  set(target espalier_${kind}_test_headers)
  set(source ${PROJECT_BINARY_DIR}/generated/${target}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "int main() { return 0; }\n")
  add_executable(${target} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${target} PRIVATE ${library})
  project_headers_ahead(${target} ${header})
  project_test_code(${target})
endfunction()

if(ESPALIER_WITH_STANDARD_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(source ${PROJECT_BINARY_DIR}/generated/standard_headers.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Its headers are what counts.\n")
  add_library(espalier_standard_headers OBJECT EXCLUDE_FROM_ALL ${source})
  project_headers_ahead(espalier_standard_headers)
endif()
