// SPDX-License-Identifier: Apache-2.0

/// @file
/// Collectives along the dimensions of a grid, with what MPI makes of them on communicators of
/// MPI_Cart_sub.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "include/espalier.h"
#include "include/espalier_grid.h"

#include <mpi.h>

namespace espalier::test {

using Shape = std::vector<int>;

/// Of MPI_COMM_WORLD; set by the program.
inline int world_rank = 0;
inline int world_size = 0;

struct Way {
  char const* algorithm;
  int is_overlapped;
};

inline std::vector<Shape> shapes() {
  std::vector<Shape> result{{world_size}};
  for (int a = 2; a <= world_size / 2; ++a) {
    if (world_size % a == 0) {
      result.push_back({a, world_size / a});
    }
  }
  if (world_size == 8) {
    result.push_back({2, 2, 2});
  }
  return result;
}

/// One dimension: arguments, what MPI makes of them, what is found.
struct Line {
  MPI_Comm native = MPI_COMM_NULL;
  int size = 1;
  int count = 0;
  int root = 0;
  std::vector<int> input;
  std::vector<int> expected;
  std::vector<int> found;
};

/// All arguments of a call, as arrays.
struct Arrays {
  std::vector<void const*> inputs;
  std::vector<void*> outputs;
  std::vector<int> counts;
  std::vector<int> root_counts;  ///< what is not significant may be anything
  std::vector<int> roots;
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Op> ops;
};

enum class Call { bcast, gather, scatter, reduce };

/// What MPI makes of it becomes the expected result.
inline void run_native(Line& line, Call call) {
  int const* const in = line.input.data();
  int* const out = line.expected.data();
  int const n = line.count;
  switch (call) {
  case Call::bcast:
    MPI_Bcast(out, n, MPI_INT, line.root, line.native);
    return;
  case Call::gather:
    MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, line.root, line.native);
    return;
  case Call::scatter:
    MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, line.root, line.native);
    return;
  case Call::reduce:
    MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, line.root, line.native);
  }
}

inline Line line_of(MPI_Comm cart, Shape const& shape, std::size_t dimension) {
  Shape keep(shape.size(), 0);
  keep[dimension] = 1;
  Line line{.size = shape[dimension], .count = 7 + 500 * static_cast<int>(dimension)};
  MPI_Cart_sub(cart, keep.data(), &line.native);
  line.root = static_cast<int>(dimension + 1) % line.size;
  auto const length = static_cast<std::size_t>(line.count * line.size);
  for (std::size_t i = 0; i < length; ++i) {
    line.input.push_back(world_rank * 10000 + static_cast<int>(dimension * 1000000 + i));
  }
  line.expected.assign(length, -1 - world_rank);
  line.found = line.expected;
  return line;
}

inline Arrays arrays_of(std::vector<Line>& lines) {
  Arrays arrays;
  for (Line& line : lines) {
    arrays.inputs.push_back(line.input.data());
    arrays.outputs.push_back(line.found.data());
    int coordinate = 0;
    MPI_Comm_rank(line.native, &coordinate);
    arrays.counts.push_back(line.count);
    arrays.root_counts.push_back(coordinate == line.root ? line.count : -1);
    arrays.roots.push_back(line.root);
    arrays.types.push_back(MPI_INT);
    arrays.ops.push_back(MPI_SUM);
  }
  return arrays;
}

inline int class_of(int code) {
  int mpi_class = MPI_SUCCESS;
  MPI_Error_class(code, &mpi_class);
  return mpi_class;
}

}  // namespace espalier::test
