# SPDX-License-Identifier: Apache-2.0

# Finds every MPI installed side by side. For each of them, with <vendor> openmpi or mpich:
#
#   espalier_mpi_<vendor>           interface target for C and C++
#   espalier_mpi_fortran_<vendor>   interface target for Fortran, when its wrapper and modules exist
#   ESPALIER_MPIEXEC_<vendor>       launcher
#
# and ESPALIER_MPI_VENDORS lists the vendors. Nothing depends on which MPI the plain name `mpicc`
# means today; the cache variables ESPALIER_MPICC_<vendor>, ESPALIER_MPIFORT_<vendor> and
# ESPALIER_MPIEXEC_<vendor> choose another installation. The first may be OFF.

set(ESPALIER_MPI_VENDORS "")

# Prints of a compiler wrapper called with <flag>, "" when the wrapper refuses it.
function(project_mpi_ask out wrapper flag)
  execute_process(
    COMMAND ${wrapper} ${flag}
    OUTPUT_VARIABLE text
    ERROR_QUIET
    RESULT_VARIABLE status
    OUTPUT_STRIP_TRAILING_WHITESPACE
  )
  if(NOT status EQUAL 0)
    set(text "")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# The vendor that wrote the mpi.h which the flags of a wrapper lead to, or "".
function(project_mpi_classify_header out flags)
  set(vendor "")
  separate_arguments(words UNIX_COMMAND "${flags}")
  list(FILTER words INCLUDE REGEX "^-I.")
  foreach(word IN LISTS words)
    string(SUBSTRING "${word}" 2 -1 folder)
    if(EXISTS "${folder}/mpi.h")
      set(names "MPICH_VERSION|OMPI_MAJOR_VERSION")
      file(STRINGS "${folder}/mpi.h" lines REGEX "^# *define +(${names})" LIMIT_COUNT 1)
      if(lines MATCHES "MPICH")
        set(vendor mpich)
      elseif(lines MATCHES "OMPI")
        set(vendor openmpi)
      endif()
      break()
    endif()
  endforeach()
  set(${out} "${vendor}" PARENT_SCOPE)
endfunction()

# The vendor behind a wrapper: openmpi, mpich or "".
function(project_mpi_classify out wrapper)
  set(vendor "")
  project_mpi_ask(showme ${wrapper} -showme:version)
  if(showme MATCHES "Open MPI")
    set(vendor openmpi)
  else()
    project_mpi_ask(show ${wrapper} -show)
    project_mpi_classify_header(vendor "${show}")
    string(TOLOWER "${show}" show)
    if(NOT vendor AND show MATCHES "mpich")
      set(vendor mpich)
    endif()
  endif()
  set(${out} "${vendor}" PARENT_SCOPE)
endfunction()

# Looks for <vendor>'s variant of a program: the suffixed name first, then the plain name if it
# turns out to belong to the vendor; nothing if the user has set it to OFF.
function(project_mpi_find_wrapper variable vendor plain_name)
  find_program(${variable} ${plain_name}.${vendor} DOC "${plain_name} of ${vendor}")
  if(${variable} MATCHES "NOTFOUND$")
    find_program(candidate ${plain_name} NO_CACHE)
    if(candidate)
      project_mpi_classify(found ${candidate})
      if(found STREQUAL vendor)
        set_property(CACHE ${variable} PROPERTY VALUE ${candidate})
      endif()
    endif()
  endif()
endfunction()

# Adds an interface target from the flags a wrapper prints. Distributions put their own hardening
# and optimisation flags into wrappers; only what is needed to find MPI is kept.
function(project_mpi_add_target target flags)
  separate_arguments(words UNIX_COMMAND "${flags}")
  set(includes "")
  set(definitions "")
  set(directories "")
  set(names "")
  set(link_options "")
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      list(APPEND includes "${CMAKE_MATCH_1}")
    elseif(word MATCHES "^-D(.+)")
      list(APPEND definitions "${CMAKE_MATCH_1}")
    elseif(word MATCHES "^-L(.+)")
      list(APPEND directories "${CMAKE_MATCH_1}")
    elseif(word MATCHES "^-l(.+)")
      list(APPEND names "${CMAKE_MATCH_1}")
    elseif(word MATCHES "^-Wl,(-rpath|--enable-new-dtags)")
      list(APPEND link_options "${word}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES includes)
  list(REMOVE_DUPLICATES names)

  set(libraries "")
  foreach(name IN LISTS names)
    # A full path wherever possible: it makes the run path right for MPIs outside the system folders.
    find_library(path ${name} PATHS ${directories} NO_DEFAULT_PATH NO_CACHE)
    if(path)
      list(APPEND libraries "${path}")
    else()
      list(APPEND libraries "${name}")
    endif()
    unset(path)
  endforeach()

  # Imported, so that try_compile() takes it too.
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${includes})
  target_compile_definitions(${target} INTERFACE ${definitions})
  target_link_directories(${target} INTERFACE ${directories})
  target_link_options(${target} INTERFACE ${link_options})
  target_link_libraries(${target} INTERFACE ${libraries})
endfunction()

# Compile and link flags of a wrapper in one string.
function(project_mpi_flags out vendor wrapper)
  if(vendor STREQUAL "openmpi")
    project_mpi_ask(compile ${wrapper} -showme:compile)
    project_mpi_ask(link ${wrapper} -showme:link)
    set(text "${compile} ${link}")
  else()
    project_mpi_ask(text ${wrapper} -show)
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# True when a Fortran file that says `use mpi_f08` compiles with the target's flags: the modules
# of an MPI can be read only by the compiler that wrote them.
function(project_mpi_check_fortran out target)
  set(variable ESPALIER_FORTRAN_WORKS_${target})
  if(NOT DEFINED ${variable})
    set(source ${PROJECT_BINARY_DIR}/CMakeFiles/use_mpi_f08.f90)
    file(
      WRITE ${source}
      "program use_mpi_f08\n  use mpi_f08\n  call MPI_Init()\n  call MPI_Finalize()\nend program\n"
    )
    try_compile(
      ${variable}
      ${PROJECT_BINARY_DIR}/CMakeFiles/${target}
      SOURCES ${source}
      LINK_LIBRARIES ${target}
    )
  endif()
  set(${out} ${${variable}} PARENT_SCOPE)
endfunction()

if(ESPALIER_WITH_MPI)
  foreach(vendor IN ITEMS openmpi mpich)
    project_mpi_find_wrapper(ESPALIER_MPICC_${vendor} ${vendor} mpicc)
    if(ESPALIER_MPICC_${vendor})
      list(APPEND ESPALIER_MPI_VENDORS ${vendor})
    endif()
  endforeach()
  if(NOT ESPALIER_MPI_VENDORS)
    project_missing(
      MPI
      "Or point ESPALIER_MPICC_openmpi or ESPALIER_MPICC_mpich at its mpicc, or build without MPI: "
      "cmake --preset nompi"
    )
  endif()

  include(CheckLanguage)
  include(CheckSourceCompiles)
  # What was missing may have been installed since.
  if(NOT CMAKE_Fortran_COMPILER)
    unset(CMAKE_Fortran_COMPILER CACHE)
  endif()
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
  else()
    project_missing(Fortran)
  endif()

  foreach(vendor IN LISTS ESPALIER_MPI_VENDORS)
    project_mpi_flags(flags ${vendor} ${ESPALIER_MPICC_${vendor}})
    project_mpi_add_target(espalier_mpi_${vendor} "${flags}")
    target_compile_definitions(
      espalier_mpi_${vendor}
      INTERFACE
        "$<$<COMPILE_LANGUAGE:C,CXX>:OMPI_SKIP_MPICXX;MPICH_SKIP_MPICXX>"
        "$<$<COMPILE_LANGUAGE:C,CXX>:ESPALIER_MPI_VENDOR=\"${vendor}\">"
    )

    # Functions such as MPI_Bcast_c, of MPI 4.
    set(CMAKE_REQUIRED_LIBRARIES espalier_mpi_${vendor})
    check_source_compiles(
      C
      "#include <mpi.h>\nint main(void) { return MPI_Bcast_c == 0 || MPI_Ialltoallw_c == 0; }"
      ESPALIER_MPI_HAS_LARGE_COUNTS_${vendor}
    )
    unset(CMAKE_REQUIRED_LIBRARIES)

    if(vendor STREQUAL "openmpi")
      set(launchers mpirun.openmpi mpiexec.openmpi)
    else()
      set(launchers mpiexec.mpich mpirun.mpich)
    endif()
    cmake_path(GET ESPALIER_MPICC_${vendor} PARENT_PATH folder)
    find_program(
      ESPALIER_MPIEXEC_${vendor}
      NAMES ${launchers} mpiexec
      HINTS ${folder}
      DOC "Launcher of ${vendor}"
      REQUIRED
    )

    set(fortran "no Fortran")
    if(CMAKE_Fortran_COMPILER)
      project_mpi_find_wrapper(ESPALIER_MPIFORT_${vendor} ${vendor} mpifort)
      if(ESPALIER_MPIFORT_${vendor})
        project_mpi_flags(flags ${vendor} ${ESPALIER_MPIFORT_${vendor}})
        project_mpi_add_target(espalier_mpi_fortran_found_${vendor} "${flags}")
        project_mpi_check_fortran(works espalier_mpi_fortran_found_${vendor})
        if(works)
          add_library(espalier_mpi_fortran_${vendor} ALIAS espalier_mpi_fortran_found_${vendor})
          set(fortran "Fortran ${ESPALIER_MPIFORT_${vendor}}")
        endif()
      endif()
    endif()
    message(
      STATUS
      "MPI ${vendor}: ${ESPALIER_MPICC_${vendor}}, ${ESPALIER_MPIEXEC_${vendor}}, ${fortran}"
    )
  endforeach()
endif()
