# SPDX-License-Identifier: Apache-2.0

# Programs that run on simulated machines, under SimGrid's smpirun. When SimGrid is installed:
#
#   espalier_mpi_smpi   interface target for C++
#   ESPALIER_SMPIRUN    launcher
#   ESPALIER_SMPI       true
#   simulator           target that builds all of it; `all` leaves it out
#
# All ranks of such a program live in one process. The launcher loads a copy of the program for
# every rank, which gives each rank its own global variables: those of the program and of what is
# linked into it statically, not those of shared libraries.

set(ESPALIER_SMPI FALSE)

option(ESPALIER_WITH_SMPI "Build programs for simulated machines when SimGrid is installed" ON)

# Sanitizers do not follow the stacks that the simulator switches between.
if(ESPALIER_WITH_SMPI AND NOT ESPALIER_SANITIZE)
  find_path(ESPALIER_SMPI_INCLUDE smpi/smpi.h DOC "Folder that contains smpi/smpi.h of SimGrid")
  find_library(ESPALIER_SIMGRID_LIBRARY simgrid DOC "Library of SimGrid")
  find_program(ESPALIER_SMPIRUN smpirun DOC "Launcher of SimGrid")
  if(ESPALIER_SMPI_INCLUDE AND ESPALIER_SIMGRID_LIBRARY AND ESPALIER_SMPIRUN)
    set(ESPALIER_SMPI TRUE)
    add_library(espalier_mpi_smpi INTERFACE IMPORTED GLOBAL)
    target_include_directories(
      espalier_mpi_smpi
      SYSTEM
      INTERFACE ${ESPALIER_SMPI_INCLUDE} ${ESPALIER_SMPI_INCLUDE}/smpi
    )
    target_compile_definitions(
      espalier_mpi_smpi
      INTERFACE "ESPALIER_MPI_VENDOR=\"smpi\"" ESPALIER_MPI_SIMULATED
    )
    target_link_libraries(espalier_mpi_smpi INTERFACE ${ESPALIER_SIMGRID_LIBRARY})
    add_custom_target(simulator)
    message(STATUS "MPI smpi: ${ESPALIER_SIMGRID_LIBRARY}, ${ESPALIER_SMPIRUN}")
  else()
    project_missing(SimGrid)
  endif()
endif()

# smpi_targets(<target>...)
#
# Targets that the target `simulator` builds, and `all` does not.
function(smpi_targets)
  set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(simulator ${ARGN})
endfunction()

# Targets of layers as project_resolve_dependencies() has them, those made for SMPI where there are.
function(project_resolve_smpi_dependencies out)
  set(targets "")
  foreach(dependency IN LISTS ARGN)
    if(TARGET espalier_${dependency}_smpi)
      list(APPEND targets espalier_${dependency}_smpi)
    else()
      project_resolve_dependencies(target "" ${dependency})
      list(APPEND targets ${target})
    endif()
  endforeach()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

# smpi_layer(<name> [SOURCES ...] [HEADERS ...] [DEPENDS ...])
#
# A layer that includes <mpi.h>, for SMPI: library espalier_<name>_smpi. Does nothing without SimGrid.
function(smpi_layer name)
  if(NOT ESPALIER_SMPI)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "smpi_layer(${name}): unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()
  project_resolve_smpi_dependencies(dependencies ${arg_DEPENDS})
  project_library(
    espalier_${name}_smpi
    "${arg_SOURCES}"
    "${arg_HEADERS}"
    "espalier_mpi_smpi;${dependencies}"
  )
  set_target_properties(espalier_${name}_smpi PROPERTIES EXCLUDE_FROM_ALL ON)
  if(arg_SOURCES)
    project_reuse_standard_headers(espalier_${name}_smpi)
  endif()
endfunction()

# smpi_program(<name> SOURCES ... [DEPENDS ...])
#
# Program <name>_smpi in the folder of programs, to be started by smpirun only; its ranks see the nodes
# of the simulated machine (espalier/simulation/smpi_host.cpp). Does nothing without SimGrid. Those of
# the folder espalier belong to the target `simulator`.
function(smpi_program name)
  if(NOT ESPALIER_SMPI)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "smpi_program(${name}): needs SOURCES, got '${ARGN}'")
  endif()
  project_resolve_smpi_dependencies(dependencies ${arg_DEPENDS})
  # To the linker it is a shared library, in which the launcher looks for `main`.
  add_library(${name}_smpi MODULE ${arg_SOURCES})
  project_target(${name}_smpi)
  set_target_properties(
    ${name}_smpi
    PROPERTIES
      PREFIX ""
      SUFFIX ""
      CXX_VISIBILITY_PRESET default
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
  )
  target_include_directories(${name}_smpi PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name}_smpi PRIVATE ${dependencies} espalier_smpi_host espalier_mpi_smpi)
  set(folder ${PROJECT_SOURCE_DIR}/espalier)
  cmake_path(IS_PREFIX folder ${CMAKE_CURRENT_SOURCE_DIR} is_ours)
  if(is_ours)
    smpi_targets(${name}_smpi)
  endif()
endfunction()

# smpi_link_file(<target> OBJECTS ... LAYER <name>)
#
# Target <target> builds libraries of objects, and a layer with what it needs. What a linker has to
# be told of them stands in lib/espalier-smpi.link then: `smpicxx program.o @espalier-smpi.link` has
# our wrappers of MPI functions, unlike with an archive, from which nothing would ask for them.
function(smpi_link_file target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LAYER" "OBJECTS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_OBJECTS OR NOT arg_LAYER)
    message(FATAL_ERROR "smpi_link_file(${target}): needs OBJECTS and LAYER, got '${ARGN}'")
  endif()
  set(archives "")
  project_static_closure(archives espalier_${arg_LAYER}_smpi)
  add_custom_target(${target} DEPENDS ${arg_OBJECTS} ${archives})
  add_dependencies(simulator ${target})
  set(lines "")
  foreach(objects IN LISTS arg_OBJECTS)
    list(APPEND lines "$<JOIN:$<TARGET_OBJECTS:${objects}>,\n>")
  endforeach()
  list(APPEND lines "-Wl,--start-group")
  foreach(archive IN LISTS archives)
    list(APPEND lines "$<TARGET_FILE:${archive}>")
  endforeach()
  list(APPEND lines "-Wl,--end-group")
  list(JOIN lines "\n" content)
  file(GENERATE OUTPUT ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/espalier-smpi.link CONTENT "${content}\n")
endfunction()
