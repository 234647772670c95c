# SPDX-License-Identifier: Apache-2.0

# project_target(<target>)
#
# House settings of one of our own targets: C++20 without extensions, hidden symbols, position
# independent code, warnings, and the sanitizers of ESPALIER_SANITIZE.
function(project_target target)
  set_target_properties(
    ${target}
    PROPERTIES
      C_STANDARD 11
      C_STANDARD_REQUIRED ON
      C_VISIBILITY_PRESET hidden
      CXX_EXTENSIONS OFF
      CXX_VISIBILITY_PRESET hidden
      VISIBILITY_INLINES_HIDDEN ON
      POSITION_INDEPENDENT_CODE ON
  )
  target_compile_features(${target} PRIVATE cxx_std_20)
  set(
    c_family
    -Wall
    -Wextra
    -Wpedantic
    -Wconversion
    -Wsign-conversion
    -Wshadow
    -Wundef
  )
  # Designated initialisers leave out what has a sensible empty value; that is their point.
  set(cxx_only -Wno-missing-field-initializers)
  list(APPEND cxx_only -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual)
  # GCC 11 sees accesses outside of objects where there are none, when it has inlined strings and
  # vectors.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
    list(APPEND cxx_only -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  endif()
  target_compile_options(
    ${target}
    PRIVATE
      "$<$<COMPILE_LANGUAGE:C,CXX>:${c_family}>"
      "$<$<COMPILE_LANGUAGE:CXX>:${cxx_only}>"
      "$<$<COMPILE_LANGUAGE:Fortran>:-Wall;-Wextra>"
      "$<$<AND:$<BOOL:${ESPALIER_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>"
  )
  if(ESPALIER_SANITIZE)
    target_compile_options(
      ${target}
      PRIVATE -fsanitize=${ESPALIER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    )
    target_link_options(${target} PRIVATE -fsanitize=${ESPALIER_SANITIZE})
  endif()
endfunction()

# project_self_contained(<target>)
#
# A program or library for other machines: it holds what it uses of its C++ library, and runs with the
# GNU C library 2.34 and later ones (packaging/older_c_library). What it does not use would ask for 2.36.
function(project_self_contained target)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,libstdc++.a -Wl,--gc-sections)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:espalier_older_c_library>)
endfunction()

# project_batches(<target>)
#
# Several sources of a target make one compilation, which reads the headers once. This is what users
# build; presets of developers compile each source alone, and so do the layers of simulated machines
# (cmake/Smpi.cmake). A source whose unnamed namespace has a name of another one is set
# SKIP_UNITY_BUILD_INCLUSION. GCC inlines less in a large compilation; where it begins to do so is
# moved, so that what every call of a program runs through costs as little as if compiled alone.
# Where it begins to look for memory that it no longer uses is moved, too: that took an eighth of the
# time of a batch, and saved up to a quarter of 650 MiB.
function(project_batches target)
  if(ESPALIER_WITH_BATCHES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    target_compile_options(
      ${target}
      PRIVATE
        $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=large-unit-insns=1000000>
        $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=524288>
    )
    # Names of one source are not in the way of another one; compiled alone, all are checked.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow>)
  endif()
endfunction()

# project_resolve_dependencies(<out> <vendor> <dependency>...)
#
# Turns names of layers into targets: an MPI layer becomes espalier_<name>_<vendor>, any other layer
# espalier::<name>; what is not a layer has to be a target already. <vendor> may be "".
function(project_resolve_dependencies out vendor)
  get_property(mpi_layers GLOBAL PROPERTY ESPALIER_MPI_LAYERS)
  set(targets "")
  foreach(dependency IN LISTS ARGN)
    if(vendor AND dependency IN_LIST mpi_layers)
      list(APPEND targets espalier_${dependency}_${vendor})
    elseif(TARGET espalier_${dependency})
      list(APPEND targets espalier::${dependency})
    elseif(TARGET ${dependency})
      list(APPEND targets ${dependency})
    else()
      message(
        FATAL_ERROR
        "'${dependency}' is neither a layer added before ${CMAKE_CURRENT_SOURCE_DIR} nor a target"
      )
    endif()
  endforeach()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

# Shared by project_layer() and project_mpi_layer(): one library with its public headers.
function(project_library target sources headers dependencies)
  if(sources)
    add_library(${target} STATIC)
    target_sources(${target} PRIVATE ${sources})
    project_target(${target})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  if(headers)
    target_sources(
      ${target}
      ${scope}
      FILE_SET HEADERS
      BASE_DIRS
      ${PROJECT_SOURCE_DIR}
      FILES
      ${headers}
    )
  endif()
  # Generated sources include our headers too, so the root is stated even when headers are few.
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} ${dependencies})
endfunction()

# project_layer(<name> [SOURCES ...] [HEADERS ...] [DEPENDS ...] [PRECOMPILED ...])
#
# A layer that knows no MPI: library espalier_<name>, alias espalier::<name>. Headers are included
# by their path from the root of the repository. Without SOURCES the layer is headers only. DEPENDS
# names layers or existing targets; all of them are visible to users of the layer. PRECOMPILED names
# headers that nearly all sources include, where all have the same unnamed functions: these sources
# make no batches, the headers are compiled ahead. The others read standard headers that are compiled
# ahead (cmake/StandardHeaders.cmake).
function(project_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;DEPENDS;PRECOMPILED")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "project_layer(${name}): unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()
  project_resolve_dependencies(dependencies "" ${arg_DEPENDS})
  project_library(espalier_${name} "${arg_SOURCES}" "${arg_HEADERS}" "${dependencies}")
  if(arg_PRECOMPILED AND ESPALIER_WITH_BATCHES)
    target_precompile_headers(espalier_${name} PRIVATE ${arg_PRECOMPILED})
  elseif(arg_SOURCES)
    project_batches(espalier_${name})
    project_reuse_standard_headers(espalier_${name})
  endif()
  add_library(espalier::${name} ALIAS espalier_${name})
endfunction()

# project_mpi_layer(<name> [PRELOADED] [SOURCES ...] [HEADERS ...] [DEPENDS ...])
#
# A layer that includes <mpi.h>: library espalier_<name>_<vendor> for every MPI found. What the preload
# library consists of is PRELOADED: it is built for the standard ABI, too. Does nothing when
# ESPALIER_WITH_MPI is off.
function(project_mpi_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PRELOADED" "" "SOURCES;HEADERS;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "project_mpi_layer(${name}): unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(interfaces ${ESPALIER_MPI_VENDORS})
  if(arg_PRELOADED)
    set(interfaces ${ESPALIER_MPI_INTERFACES})
  endif()
  foreach(vendor IN LISTS interfaces)
    project_resolve_dependencies(dependencies ${vendor} ${arg_DEPENDS})
    project_library(
      espalier_${name}_${vendor}
      "${arg_SOURCES}"
      "${arg_HEADERS}"
      "espalier_mpi_${vendor};${dependencies}"
    )
    if(arg_SOURCES)
      project_batches(espalier_${name}_${vendor})
    endif()
  endforeach()
  if(ESPALIER_WITH_MPI)
    set_property(GLOBAL APPEND PROPERTY ESPALIER_MPI_LAYERS ${name})
  endif()
endfunction()
