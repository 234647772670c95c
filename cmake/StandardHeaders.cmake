# SPDX-License-Identifier: Apache-2.0

# Headers of the standard library that many sources read, compiled ahead once for all layers that
# know no MPI and make batches (cmake/ProjectLayer.cmake). None of ours is among them, and sources
# include what they use all the same: presets of developers compile without.
#
#   espalier_standard_headers   target that compiles them, where there are batches
#
# The header of JSON is not among them: GCC instantiates again in each batch what its functions use,
# whether the batch uses them or not, and that takes longer than an empty batch does. Layers of an
# MPI library do without: a precompiled header has to be the first one, which for MPICH is that of
# weak references (espalier/mpi), and GCC inlines differently behind it in code that every call runs
# through. Only of GCC it is known that targets with other definitions may share one.

function(project_standard_headers)
  set(source ${PROJECT_BINARY_DIR}/generated/standard_headers.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Its headers are what counts.\n")
  add_library(espalier_standard_headers OBJECT EXCLUDE_FROM_ALL ${source})
  project_target(espalier_standard_headers)
  target_precompile_headers(
    espalier_standard_headers
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
  )
endfunction()

if(ESPALIER_WITH_BATCHES AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  project_standard_headers()
endif()
