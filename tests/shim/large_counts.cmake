# Tests of large counts, for MPIs that have functions for them; uses choices of CMakeLists.txt.

# The tests of blocking calls with large counts in their place, and with nonblocking ones that have
# large counts.
foreach(name IN ITEMS collectives moves reductions)
  mpi_program(mpi_shim_large_${name} SOURCES ${name}.cpp large.cpp DEPENDS test_parts LARGE_COUNTS)
  mpi_program(
    mpi_shim_large_started_${name}
    SOURCES ${name}.cpp large.cpp
    DEPENDS test_parts
    LARGE_COUNTS
  )
  foreach(vendor IN LISTS ESPALIER_MPI_VENDORS)
    if(TARGET mpi_shim_large_${name}_${vendor})
      set(enlarged -include ${CMAKE_CURRENT_SOURCE_DIR}/large.hpp)
      target_compile_options(mpi_shim_large_${name}_${vendor} PRIVATE ${enlarged})
      target_compile_options(
        mpi_shim_large_started_${name}_${vendor}
        PRIVATE -DSHIM_TEST_STARTED ${enlarged}
      )
    endif()
  endforeach()
endforeach()
mpi_program(mpi_shim_large_neighbors SOURCES large_neighbors.cpp LARGE_COUNTS)
mpi_program(mpi_shim_large_places SOURCES large_places.cpp LARGE_COUNTS)
mpi_program(mpi_shim_large_calls SOURCES large_calls.c LARGE_COUNTS)
# MPI-4 has sessions, too.
mpi_program(mpi_shim_sessions SOURCES sessions.cpp LARGE_COUNTS)

shim_test(shim_large_collectives simple ${simple})
shim_test(shim_large_collectives logarithmic ${logarithmic})
shim_test(shim_large_collectives native NP 3 ENVIRONMENT ESPALIER_OFF=1 ARGS equal_types)
shim_test(shim_large_moves direct ${direct})
shim_test(shim_large_moves forwarding ${forwarding} ARGS equal_types)
shim_test(shim_large_moves native NP 3 ENVIRONMENT ESPALIER_OFF=1 ARGS equal_types)
shim_test(shim_large_reductions ordered ${ordered})
shim_test(shim_large_reductions unordered ${unordered} ARGS no_gaps)
shim_test(shim_large_started_collectives simple ${simple} ARGS equal_types)
shim_test(shim_large_started_moves direct ${direct} ARGS equal_types)
shim_test(shim_large_started_reductions ordered ${ordered} ARGS no_gaps)
# On one rank, MPICH 4.0 itself does not find blocks beyond 2^31.
shim_test(
  shim_large_places forced NP 2 3
  FORCE allgatherv=ring alltoallv=pairwise alltoallw=linear gatherv=flat scatterv=flat
)
shim_test(shim_large_neighbors direct NP 3 5 ${direct_neighbors})
shim_test(shim_large_neighbors native NP 3 ENVIRONMENT ESPALIER_OFF=1)
# On one rank, MPICH 4.0 itself crashes in sessions.
shim_test(
  shim_sessions alone NP 2 3 5
  ${rarer_ways}
  ARGS alone
)
shim_test(shim_sessions beside NP 2 3 5 ${rarer_ways} ARGS beside)
shim_test(shim_large_places native NP 3 ENVIRONMENT ESPALIER_OFF=1)
# 2 GiB and more on each rank.
shim_test(shim_large_places message NP 2 FORCE bcast=binomial ARGS message TIMEOUT 300)
foreach(vendor IN LISTS ESPALIER_MPI_VENDORS)
  if(ESPALIER_MPI_HAS_LARGE_COUNTS_${vendor})
    set_property(TEST mpi.${vendor}.shim_large_places.message.np2 APPEND PROPERTY LABELS big)
  endif()
endforeach()
