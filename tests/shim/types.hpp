// SPDX-License-Identifier: Apache-2.0

/// @file
/// Datatypes of integers, and memory that knows what must be in it.

#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/shim/support.hpp"

namespace shim_test {

#ifndef SHIM_TEST_STORAGE
/// Where buffers lie; see on_devices.hpp.
using Storage = std::vector<int>;
#endif

inline constexpr int untouched = -77;
inline constexpr int margin = 64;
/// A multiple of the number of integers in an element of every type here.
inline constexpr int unit = 6;

/// A datatype of integers: element e has its integers at e * extent + offsets[j].
struct Type {
  std::string name;
  MPI_Datatype handle;
  std::vector<int> offsets;
  int extent;

  [[nodiscard]] int count(int num_integers) const {
    return num_integers / static_cast<int>(offsets.size());
  }
};

inline MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

inline std::vector<Type> make_types() {
  constexpr int size = sizeof(int);
  MPI_Datatype three = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(3, MPI_INT, &three);
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  MPI_Type_dup(three, &copy);
  MPI_Datatype strided = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &strided);
  MPI_Datatype gapped = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(strided, 0, 5 * size, &gapped);
  MPI_Type_free(&strided);
  int lengths[] = {1, 2};
  int places[] = {1, -3};
  MPI_Datatype scattered = MPI_DATATYPE_NULL;
  MPI_Type_indexed(2, lengths, places, MPI_INT, &scattered);
  MPI_Datatype below = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(scattered, -3 * size, 6 * size, &below);
  MPI_Type_free(&scattered);
  return {
      {"int", MPI_INT, {0}, 1},
      {"contiguous", committed(three), {0, 1, 2}, 3},
      {"dup", committed(copy), {0, 1, 2}, 3},
      {"gapped", committed(gapped), {0, 2}, 5},
      {"negative lower bound", committed(below), {1, -3, -2}, 6},
  };
}

inline void free_types(std::vector<Type>& types) {
  for (Type& type : types) {
    if (type.handle != MPI_INT) {
      MPI_Type_free(&type.handle);
    }
  }
}

inline int value_of(int rank, int index) {
  return 10007 * (rank + 1) + index;
}

/// Memory with guards, what must be in it, and the address for MPI.
class Memory {
public:
  Memory(Type const& type, int num_elements)
      : type_(type),
        actual_(static_cast<std::size_t>(num_elements * type.extent + 2 * margin), untouched),
        expected_(actual_.begin(), actual_.end()) {}

  [[nodiscard]] int* address() { return actual_.data() + margin; }

  /// Elements from first_element on are to hold the integers of a rank.
  void expect(int first_element, int num_integers, int rank) {
    fill(expected_, first_element, num_integers, rank);
  }

  void put(int first_element, int num_integers, int rank) {
    fill(actual_, first_element, num_integers, rank);
  }

  void check(std::string const& what) const {
    auto const [actual, expected] = std::ranges::mismatch(actual_, expected_);
    if (actual != actual_.end()) {
      require(
          false,
          what + ", " + type_.name + ": integer " +
              std::to_string(actual - actual_.begin() - margin) + " expected " +
              std::to_string(*expected) + ", got " + std::to_string(*actual)
      );
    }
  }

private:
  template <typename Integers>
  void fill(Integers& memory, int first_element, int num_integers, int rank) {
    int const per_element = static_cast<int>(type_.offsets.size());
    for (int i = 0; i < num_integers; ++i) {
      int const place = (first_element + i / per_element) * type_.extent +
                        type_.offsets[static_cast<std::size_t>(i % per_element)];
      memory[static_cast<std::size_t>(place + margin)] = value_of(rank, i);
    }
  }

  Type const& type_;
  Storage actual_;
  std::vector<int> expected_;
};

}  // namespace shim_test
