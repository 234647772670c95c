// SPDX-License-Identifier: Apache-2.0

/// @file
/// Included before a test program, which then runs for all numbers of ranks in one job:
/// MPI_COMM_WORLD is a part of the world there, and the two parts of a pass run side by side.
///
///   ranks      0 1 2 3 4 5 6 7
///   pass 0     a a a a a a a a      8 ranks
///   pass 1     a b b b b b b b      1 and 7
///   pass 2     a a b b b b b b      2 and 6
///   pass 3     a a a b b b b b      3 and 5
///   pass 4     a a a a b b b b      4 and 4
///
/// This takes a fraction of the time of a job for each number, most of which a job needs to start.
/// It happens where ESPALIER_TEST_PARTS names the smallest part in which the program runs;
/// otherwise there is only pass 0. Between its passes the program keeps its variables, and it may
/// leave communicators behind.

#pragma once

#include <mpi.h>

namespace test_parts {

/// MPI_COMM_WORLD of the MPI library.
inline MPI_Comm whole_world() {
  return MPI_COMM_WORLD;
}

/// The part that this rank is in.
MPI_Comm world();

/// In place of MPI_Init(), MPI_Init_thread() and MPI_Finalize(), which the first pass and the last
/// one call.
int begin(int* argc, char*** argv);
int begin_with_threads(int* argc, char*** argv, int required, int* provided);
int end();

}  // namespace test_parts

/// main() of the program.
int run_on_part(int argc, char** argv);

// The program calls what it needs by these names.
#undef MPI_COMM_WORLD
#define MPI_COMM_WORLD test_parts::world()
#define MPI_Init test_parts::begin
#define MPI_Init_thread test_parts::begin_with_threads
#define MPI_Finalize test_parts::end
#define main run_on_part
