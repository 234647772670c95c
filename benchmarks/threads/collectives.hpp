// SPDX-License-Identifier: Apache-2.0

/// @file
/// Rooted collectives of doubles among threads of a process, along a tree, with thread 0 as root.
///
/// All threads know the arrays of all others, and nothing is synchronized but what the data need:
/// a call may begin when the first thread enters, and go on until the last one has left. Calls may
/// follow each other; a thread that has no child may be calls ahead of others. Who wants more has a
/// barrier behind each call.

#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "benchmarks/threads/places.hpp"

namespace espalier::benchmarks::threads {

/// The arrays of a call, by thread. With n elements a call: the root of a scatter has n for each
/// thread in its source, and that of a gather in its destination.
struct Arrays {
  std::vector<double const*> sources;
  std::vector<double*> destinations;
};

class Collective {
public:
  Collective() = default;
  Collective(Collective const&) = delete;
  Collective& operator=(Collective const&) = delete;
  Collective(Collective&&) = delete;
  Collective& operator=(Collective&&) = delete;
  virtual ~Collective() = default;

  /// All threads call it in the same order, with the same arrays and number of elements.
  virtual void run(int thread, Arrays const& arrays, std::size_t num_elements) = 0;
};

/// How the threads of a collective are arranged.
struct Shape {
  Places places;
  bool shares_cores = false;      ///< there are more threads than cores
  std::size_t most_elements = 0;  ///< of a call
};

/// @param name  broadcast, scatter, gather or reduce
/// @throws std::invalid_argument for others.
[[nodiscard]] std::unique_ptr<Collective> make_collective(std::string_view name, Shape shape);

}  // namespace espalier::benchmarks::threads
