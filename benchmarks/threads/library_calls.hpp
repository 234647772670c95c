// SPDX-License-Identifier: Apache-2.0

/// @file
/// Collectives of teams of the library among threads: the one-sided programs that the prover knows,
/// on conduits of threads.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "espalier/onesided/team/planned_collective.hpp"
#include "espalier/onesided/team/team.hpp"
#include "espalier/onesided/threads/thread_world.hpp"

namespace espalier::benchmarks::threads {

/// A rooted collective of doubles from and to thread 0, in the segments of its threads. All of them
/// know the addresses of all others, and data and signal go together.
class LibraryCall {
public:
  /// @param choice  an algorithm of the catalog, such as "reduce/flat"
  /// @param sync    on both sides
  /// @param num_elements  of a block
  LibraryCall(
      std::string const& choice, schedule::Sync sync, int num_threads, std::size_t num_elements
  );

  void run(int thread);

  /// Where the data of a thread are; what it gets of a scatter stands where the root has it.
  [[nodiscard]] double* input(int thread);
  [[nodiscard]] double* output(int thread);

private:
  struct Member {
    std::unique_ptr<onesided::Conduit> conduit;
    std::unique_ptr<onesided::Team> team;
    std::shared_ptr<onesided::PlannedCollective const> planned;
    onesided::UserBuffers buffers;
  };

  std::byte* at(int thread, std::uint64_t offset);

  std::vector<onesided::UserPlaces> places_;
  std::unique_ptr<onesided::ThreadWorld> world_;
  std::vector<Member> members_;
};

}  // namespace espalier::benchmarks::threads
