# SPDX-License-Identifier: Apache-2.0

# The standard ABI of MPI-5: an interface that several MPI libraries offer beside their own, under the
# name libmpi_abi.so.1. Only its header mpi_abi.h is needed, which comes with each of these libraries;
# `make build` takes it from the wheel of MPICH. Where it is found:
#
#   espalier_mpi_abi           interface target for the preload library, for C++
#   espalier_mpi_program_abi   interface target for programs that do not know Espalier, for C and C++
#
# ESPALIER_MPI_INTERFACES lists the vendors, and "abi" where it is there: each of them has a preload
# library. What is not preloaded is built for the vendors only: a launcher belongs to a vendor, and our
# own programs use the interface of that.

set(ESPALIER_MPI_INTERFACES ${ESPALIER_MPI_VENDORS})

# A library that has every function of the header, and does nothing: programs are linked with it. They
# run with the library of that name that an MPI has.
function(project_standard_stub target)
  file(READ ${ESPALIER_MPI_ABI_INCLUDE}/mpi_abi.h text)
  string(REGEX MATCHALL "P?MPI_[A-Z][A-Za-z0-9_]+\\(" names "${text}")
  list(REMOVE_DUPLICATES names)
  list(TRANSFORM names REPLACE "(.+)\\(" "void \\1(void) {}")
  list(JOIN names "\n" functions)
  set(source ${PROJECT_BINARY_DIR}/generated/mpi/standard_stub.c)
  file(CONFIGURE OUTPUT ${source} CONTENT "${functions}\n")
  add_library(${target} SHARED EXCLUDE_FROM_ALL ${source})
  set_target_properties(
    ${target}
    PROPERTIES
      OUTPUT_NAME mpi_abi
      SOVERSION 1
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/standard_stub
  )
endfunction()

# The compiler finds the header as <mpi.h>. Intel MPI numbers an error handler by a draft of the
# standard, so that in our library the number depends on the library of MPI: it is a variable
# (shim/pointer_constants_standard.cpp).
function(project_standard_targets)
  set(folder ${PROJECT_BINARY_DIR}/generated/mpi/standard)
  file(
    CONFIGURE
    OUTPUT ${folder}/mpi.h
    CONTENT
      "#include \"${ESPALIER_MPI_ABI_INCLUDE}/mpi_abi.h\"
#ifdef ESPALIER_MPI_VENDOR
#undef MPI_ERRORS_RETURN
extern \"C\" MPI_Errhandler espalier_errors_return;
#define MPI_ERRORS_RETURN espalier_errors_return
#endif
"
  )
  foreach(target IN ITEMS espalier_mpi_abi espalier_mpi_program_abi)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE ${folder})
  endforeach()
  target_compile_definitions(espalier_mpi_abi INTERFACE "ESPALIER_MPI_VENDOR=\"abi\"")
  project_standard_stub(espalier_mpi_abi_stub)
  target_link_libraries(espalier_mpi_program_abi INTERFACE espalier_mpi_abi_stub)
endfunction()

if(ESPALIER_WITH_MPI)
  find_path(
    ESPALIER_MPI_ABI_INCLUDE
    mpi_abi.h
    HINTS ${PROJECT_SOURCE_DIR}/.venv/include
    DOC "Folder of mpi_abi.h, the header of the standard ABI of MPI-5"
  )
  if(ESPALIER_MPI_ABI_INCLUDE)
    list(APPEND ESPALIER_MPI_INTERFACES abi)
    project_standard_targets()
    message(STATUS "MPI abi: ${ESPALIER_MPI_ABI_INCLUDE}/mpi_abi.h")
  else()
    project_missing("standard ABI")
  endif()
endif()
