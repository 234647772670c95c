// SPDX-License-Identifier: Apache-2.0

/// @file
/// A program: communicators of its own and calls on them, all of it made of one seed.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/bent/buffers.hpp"
#include "tests/bent/calls.hpp"
#include "tests/bent/datatypes.hpp"
#include "tests/bent/random.hpp"
#include "tests/bent/report.hpp"

namespace bent {

/// `shadow` has the same ranks and sees right calls only.
struct Communicator {
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Comm shadow = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
};

/// One part of a program. `common` is equal on all ranks of the communicator, `own` is not.
struct Step {
  Report& report;
  std::string const& kind;
  Communicator comm;
  Random common;
  Random own;

  [[nodiscard]] int rank() const { return comm.rank; }

  [[nodiscard]] int size() const { return comm.size; }

  /// A function for which the plain program is known to end, the same on all ranks. If the plain
  /// program cannot go on with the communicator after it, the step gets another one.
  Function any_function(std::vector<Function> const& functions);

  /// Whether other calls may follow on the communicator.
  bool may_go_on = true;
};

/// A call with everything it needs.
struct Material {
  Call call;
  Buffer send;
  Buffer recv;
  Datatypes datatypes;
  /// Set before make_right: no block has nothing, unless all have; rank 0 is the root.
  bool has_even_blocks = false;
  bool has_root_0 = false;

  /// The buffer an address lies in; null for MPI_IN_PLACE and others.
  Buffer* holder(void* address);
};

/// Sets of shapes the elements of a right call may have.
enum class Shapes {
  ints,   ///< always the same
  legal,  ///< any of the same type signature, each side and rank its own
  wild,   ///< any of the same size
};

/// Right arguments, all equal where the standard wants it: into `material`, whose addresses then
/// point to its buffers. `max_elements` limits blocks.
void make_right(Material& material, Step& step, Function function, Shapes shapes, int max_elements);

/// Calls and reports. With `is_judged` the result is compared with what comes out of separate
/// buffers, by the standard's definition in sends and receives; if it differs it is garbled.
int perform(Step& step, Material& material, bool is_judged, Data data = Data::clean);

/// Replaces integers by another form of element; reductions keep their number of elements.
void change_form(Call const& call, Side& side, Form const& form);

/// A line that says how often something happened.
void report_number(Step& step, char const* what, long number);

/// Sends and receives that are equal to a collective that moves data; an MPI code.
int move_by_messages(Call const& call, int rank, int size);

/// Some right calls on the communicator of the step, if it must go on.
void go_on(Step& step, int num_calls);

/// Any number of elements: none, one, few, hundreds, thousands.
int any_size(Random& random, int max_elements);

/// Duplicate or split of MPI_COMM_WORLD with a shadow and an error handler that returns.
Communicator make_communicator(Random& common);

/// A duplicate of the step's, with the same shadow.
Communicator duplicate(Step& step);

std::vector<Function> all_functions();

}  // namespace bent
