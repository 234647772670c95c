# SPDX-License-Identifier: Apache-2.0

include(GoogleTest)

# project_target_of_folder(<folder>)
#
# Target <folder>: all programs and libraries that the CMake files of the folder, and those below,
# define. Benchmarks that are targets themselves are not run.
function(project_target_of_folder folder)
  project_binaries_below(binaries ${PROJECT_SOURCE_DIR}/${folder})
  add_custom_target(${folder})
  if(binaries)
    add_dependencies(${folder} ${binaries})
  endif()
endfunction()

function(project_binaries_below out folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  set(found "")
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "UTILITY")
      list(APPEND found ${target})
    endif()
  endforeach()
  get_property(subfolders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS subfolders)
    project_binaries_below(below ${subfolder})
    list(APPEND found ${below})
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# project_test_code(<target>)
#
# After project_target(). Tests run for seconds and take minutes to compile; what they test is compiled
# as users have it. Checks for undefined behaviour are for what is tested: in the tests they would
# take half of the time.
function(project_test_code target)
  set(quickly "$<$<NOT:$<CONFIG:Debug>>:-Og>")
  if(ESPALIER_SANITIZE MATCHES "undefined")
    list(APPEND quickly -fno-sanitize=undefined)
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:${quickly}>")
endfunction()

# project_reuse_headers(<target> <kind>)
#
# A test program reads espalier_<kind>_test_headers (cmake/StandardHeaders.cmake), where there are any.
function(project_reuse_headers target kind)
  if(TARGET espalier_${kind}_test_headers)
    target_precompile_headers(${target} REUSE_FROM espalier_${kind}_test_headers)
  endif()
endfunction()

# unit_test(<name> [WITHOUT_SANITIZERS] SOURCES ... [DEPENDS ...] [TIMEOUT <s>] [LABELS ...]
#           [ENVIRONMENT <VAR=value>])
#
# GoogleTest executable test_<name>, part of the target unit_tests; each of its tests becomes the ctest
# "<name>.<suite>.<test>" with the label "unit" (plus LABELS), a time limit of 60 s, and a variable set
# if one is given. Those with a long limit are started before others, so that none of them runs alone
# at the end; jobs of several ranks come before all of them, which fill the gaps (COST below 0).
# WITHOUT_SANITIZERS leaves out of their builds what computes for long with code that other tests
# run there.
function(unit_test name)
  if(NOT ESPALIER_WITH_TESTS)
    return()
  endif()
  cmake_parse_arguments(
    PARSE_ARGV 1
    arg
    "WITHOUT_SANITIZERS"
    "TIMEOUT;ENVIRONMENT"
    "SOURCES;DEPENDS;LABELS"
  )
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "unit_test(${name}): needs SOURCES, got '${ARGN}'")
  endif()
  if(arg_WITHOUT_SANITIZERS AND ESPALIER_SANITIZE)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  math(EXPR cost "${arg_TIMEOUT} - 1000")
  set(environment "")
  if(arg_ENVIRONMENT)
    set(environment ENVIRONMENT ${arg_ENVIRONMENT})
  endif()
  project_resolve_dependencies(dependencies "" ${arg_DEPENDS})
  add_executable(test_${name} ${arg_SOURCES})
  project_target(test_${name})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(test_${name} PRIVATE ${dependencies} GTest::gtest_main)
  project_test_code(test_${name})
  project_reuse_headers(test_${name} unit)
  project_test_emulator(test_${name})
  if(NOT TARGET unit_tests)
    add_custom_target(unit_tests)
  endif()
  add_dependencies(unit_tests test_${name})
  gtest_discover_tests(
    test_${name}
    TEST_PREFIX "${name}."
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    TEST_LIST tests_of_${name}
    PROPERTIES TIMEOUT ${arg_TIMEOUT} COST ${cost} LABELS unit ${environment}
  )
  if(arg_LABELS)
    # gtest_discover_tests() flattens lists, so several labels are set when ctest reads the tests.
    # Each program has a list of its own: ctest reads all of a folder in one scope, and a program that
    # is not built sets none.
    set(script ${CMAKE_CURRENT_BINARY_DIR}/test_${name}_labels.cmake)
    file(
      WRITE ${script}
      "set_tests_properties(\${tests_of_${name}} PROPERTIES LABELS \"unit;${arg_LABELS}\")\n"
    )
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
  endif()
endfunction()

# ThreadSanitizer of older compilers refuses address spaces that are randomised by more bits than
# it knows; its tests run without randomisation where the system allows to switch it off.
function(project_test_emulator target)
  if(ESPALIER_SANITIZE MATCHES "thread")
    find_program(ESPALIER_SETARCH setarch)
    if(ESPALIER_SETARCH AND NOT DEFINED ESPALIER_SETARCH_WORKS)
      execute_process(
        COMMAND ${ESPALIER_SETARCH} -R true
        RESULT_VARIABLE status
        OUTPUT_QUIET
        ERROR_QUIET
      )
      string(COMPARE EQUAL "${status}" "0" works)
      set(ESPALIER_SETARCH_WORKS ${works} CACHE INTERNAL "setarch -R is permitted here")
    endif()
    if(ESPALIER_SETARCH_WORKS)
      set_property(TARGET ${target} PROPERTY CROSSCOMPILING_EMULATOR "${ESPALIER_SETARCH};-R")
    endif()
  endif()
endfunction()

# mpi_program(<name> [STANDARD] SOURCES ... [DEPENDS ...])
#
# Executable <name>_<vendor> for every MPI found. Sources may be C, C++ or Fortran; a program with
# Fortran sources is left out for an MPI without Fortran. STANDARD: also <name>_abi, which does not
# know Espalier, for the standard ABI.
function(mpi_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LARGE_COUNTS;STANDARD" "" "SOURCES;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "mpi_program(${name}): needs SOURCES, got '${ARGN}'")
  endif()
  set(tests ${PROJECT_SOURCE_DIR}/tests)
  cmake_path(IS_PREFIX tests ${CMAKE_CURRENT_SOURCE_DIR} is_test)
  set(is_cxx TRUE)
  if("${arg_SOURCES}" MATCHES "\\.(c|h|f90|F90|f)(;|$)")
    set(is_cxx FALSE)
  endif()
  set(is_fortran FALSE)
  if("${arg_SOURCES}" MATCHES "\\.(f90|F90|f)(;|$)")
    set(is_fortran TRUE)
  endif()
  foreach(vendor IN LISTS ESPALIER_MPI_VENDORS)
    if(is_fortran AND NOT TARGET espalier_mpi_fortran_${vendor})
      continue()
    endif()
    if(arg_LARGE_COUNTS AND NOT ESPALIER_MPI_HAS_LARGE_COUNTS_${vendor})
      continue()
    endif()
    set(target ${name}_${vendor})
    project_resolve_dependencies(dependencies ${vendor} ${arg_DEPENDS})
    add_executable(${target} ${arg_SOURCES})
    project_target(${target})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE ${dependencies} espalier_mpi_${vendor})
    if(is_fortran)
      target_link_libraries(${target} PRIVATE espalier_mpi_fortran_${vendor})
      set_property(TARGET ${target} PROPERTY Fortran_MODULE_DIRECTORY ${target}_modules)
    endif()
    if(is_test)
      project_test_code(${target})
    endif()
    if(is_test AND is_cxx)
      project_reuse_headers(${target} ${vendor})
    endif()
  endforeach()
  if(arg_STANDARD AND TARGET espalier_mpi_program_abi)
    set(target ${name}_abi)
    add_executable(${target} ${arg_SOURCES})
    project_target(${target})
    project_test_code(${target})
    # What it finds when it runs is that of an MPI, not the library without content.
    set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    project_resolve_dependencies(dependencies abi ${arg_DEPENDS})
    target_link_libraries(${target} PRIVATE ${dependencies} espalier_mpi_program_abi)
    if(is_test AND is_cxx)
      project_reuse_headers(${target} abi)
    endif()
  endif()
endfunction()

# Library loaded into MPICH programs, of tests and of `espalier cluster run`, so that waiting ranks
# give up the CPU.
if("mpich" IN_LIST ESPALIER_MPI_VENDORS)
  add_library(espalier_yield_ucx SHARED ${PROJECT_SOURCE_DIR}/tests/support/yield_ucx.c)
  project_target(espalier_yield_ucx)
  target_link_libraries(espalier_yield_ucx PRIVATE ${CMAKE_DL_LIBS})
endif()

# mpi_launch_command(<out> <vendor> <num_ranks> [PRELOAD <library>...])
#
# Command prefix that starts <num_ranks> ranks on this machine, with standard input from /dev/null
# and with waiting ranks giving up the CPU: the machine may have fewer cores than there are ranks.
# PRELOAD names libraries (generator expressions are fine) to load into the ranks, not the launcher.
function(mpi_launch_command out vendor num_ranks)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "PRELOAD")
  set(
    command
    sh
    -c
    "exec \"$@\" </dev/null"
    sh
    ${ESPALIER_MPIEXEC_${vendor}}
  )
  if(vendor STREQUAL "openmpi")
    list(APPEND command --oversubscribe --bind-to none)
    list(
      APPEND command
      --mca
      mpi_yield_when_idle
      1
      --mca
      btl
      vader,self
    )
    if(arg_PRELOAD)
      list(JOIN arg_PRELOAD ":" preload)
      list(APPEND command -x "LD_PRELOAD=${preload}")
    endif()
  else()
    list(JOIN arg_PRELOAD ":" preload)
    string(JOIN ":" preload ${preload} $<TARGET_FILE:espalier_yield_ucx>)
    list(APPEND command -genv LD_PRELOAD "${preload}")
  endif()
  list(APPEND command -n ${num_ranks})
  set(${out} "${command}" PARENT_SCOPE)
endfunction()

# project_find_ucx_settings(<out>)
#
# Environment in which Open MPI sends all messages by UCX, as on InfiniBand: nothing if it cannot. It has
# fewer tags then.
function(project_find_ucx_settings out)
  set(${out} "" PARENT_SCOPE)
  if(NOT "openmpi" IN_LIST ESPALIER_MPI_VENDORS)
    return()
  endif()
  cmake_path(GET ESPALIER_MPIEXEC_openmpi PARENT_PATH folder)
  find_program(ESPALIER_OMPI_INFO ompi_info HINTS ${folder} DOC "Says what Open MPI can do")
  if(NOT ESPALIER_OMPI_INFO)
    return()
  endif()
  execute_process(COMMAND ${ESPALIER_OMPI_INFO} OUTPUT_VARIABLE components ERROR_QUIET)
  if(components MATCHES "MCA pml: ucx")
    set(${out} OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any PARENT_SCOPE)
  endif()
endfunction()

# project_processors(<out> <num_ranks>)
#
# The processors that ctest counts for a test. Several ranks count as two, so that on a small machine
# no other test runs beside them.
function(project_processors out num_ranks)
  set(${out} 2 PARENT_SCOPE)
  if(num_ranks EQUAL 1)
    set(${out} 1 PARENT_SCOPE)
  endif()
endfunction()

# project_default_ranks(<out> <target>)
#
# The numbers of ranks that a test program runs with: 1to8 is all of these in one job, for programs
# that can do that (tests/support/parts.hpp). Names of tests end like this, too.
function(project_default_ranks out target)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  if("${libraries}" MATCHES "espalier_test_parts_")
    set(${out} 1to8 PARENT_SCOPE)
  else()
    set(
      ${out}
      1
      2
      3
      5
      7
      8
      PARENT_SCOPE
    )
  endif()
endfunction()

# project_ranks(<out> <environment out> <ranks>)
#
# How many ranks a job has for a number of ranks, or for several as in 2to8, and what its environment
# tells the test program of them.
function(project_ranks out environment ranks)
  set(${environment} "" PARENT_SCOPE)
  if(ranks MATCHES "^([0-9]+)to([0-9]+)$")
    set(ranks ${CMAKE_MATCH_2})
    set(${environment} ESPALIER_TEST_PARTS=${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
  set(${out} ${ranks} PARENT_SCOPE)
endfunction()

# mpi_test(<name> SOURCES ... [DEPENDS ...] [NP <n>...] [TIMEOUT <s>] [ARGS ...]
#          [ENVIRONMENT <VAR=value>...] [LABELS ...] [PRELOAD])
#
# Program mpi_<name>_<vendor> for every MPI found, and for each number of ranks (those of
# project_default_ranks() unless NP names some) the ctest "mpi.<vendor>.<name>.np<n>" with the labels
# "mpi" and <vendor>. The exit code decides. PRELOAD runs it with the shim of the vendor loaded;
# without a shim target the test is left out. The ranks are ended after TIMEOUT seconds (60).
function(mpi_test name)
  if(NOT ESPALIER_WITH_TESTS)
    return()
  endif()
  cmake_parse_arguments(
    PARSE_ARGV 1
    arg
    "PRELOAD"
    "TIMEOUT"
    "SOURCES;DEPENDS;NP;ARGS;ENVIRONMENT;LABELS"
  )
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "mpi_test(${name}): unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  mpi_program(mpi_${name} SOURCES ${arg_SOURCES} DEPENDS ${arg_DEPENDS})
  # The launcher gets a chance to end its ranks before ctest ends the launcher.
  math(EXPR hard_timeout "${arg_TIMEOUT} + 15")
  foreach(vendor IN LISTS ESPALIER_MPI_VENDORS)
    set(target mpi_${name}_${vendor})
    if(NOT TARGET ${target})
      continue()
    endif()
    set(preload "")
    if(arg_PRELOAD)
      if(NOT TARGET espalier_shim_${vendor})
        continue()
      endif()
      set(preload PRELOAD $<TARGET_FILE:espalier_shim_${vendor}>)
    endif()
    if(NOT arg_NP)
      project_default_ranks(arg_NP ${target})
    endif()
    foreach(ranks IN LISTS arg_NP)
      project_ranks(num_ranks parts ${ranks})
      mpi_launch_command(launch ${vendor} ${num_ranks} ${preload})
      project_processors(num_processors ${num_ranks})
      set(test mpi.${vendor}.${name}.np${ranks})
      add_test(
        NAME ${test}
        COMMAND
          env ESPALIER_LEARN=off ${parts} timeout --kill-after=5 ${arg_TIMEOUT} ${launch}
          $<TARGET_FILE:${target}> ${arg_ARGS}
      )
      set_tests_properties(
        ${test}
        PROPERTIES
          TIMEOUT ${hard_timeout}
          PROCESSORS ${num_processors}
          LABELS "mpi;${vendor};${arg_LABELS}"
          ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;${arg_ENVIRONMENT}"
      )
    endforeach()
  endforeach()
endfunction()
