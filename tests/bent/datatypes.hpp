// SPDX-License-Identifier: Apache-2.0

/// @file
/// Many ways to describe one element of 8 bytes.

#pragma once

#include <vector>

#include <mpi.h>

#include "tests/bent/random.hpp"

namespace bent {

/// An element is `items` items of the type; elements follow each other every `stride` bytes, at
/// most 16.
struct Form {
  MPI_Datatype type = MPI_INT;
  int items = 2;
  long stride = 8;
};

enum class Shape {
  ints,         ///< 2 items
  pair,         ///< contiguous
  spread,       ///< a gap inside
  padded,       ///< a gap behind
  negative,     ///< lower bound below 0
  turned,       ///< second integer first
  long_number,  ///< 1 item of another named type
  bytes,        ///< 8 items
};

/// Makes types and frees them at its end.
class Datatypes {
public:
  Datatypes() = default;
  Datatypes(Datatypes const&) = delete;
  Datatypes& operator=(Datatypes const&) = delete;

  ~Datatypes() { free(); }

  Form form(Shape shape, bool is_committed = true);

  /// Any shape whose bytes lie in memory as they travel, so that all of them are interchangeable.
  Form any_form(Random& random);

  /// A type without data.
  MPI_Datatype empty(Random& random);

  /// An uncommitted one, for whoever needs a type of his own.
  MPI_Datatype keep(MPI_Datatype type);

  void free();

private:
  std::vector<MPI_Datatype> types_;
};

}  // namespace bent
