// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/exec/messages/mpi_executor.hpp"
#include "espalier/neighborhood/algorithm.hpp"
#include "espalier/neighborhood/choice.hpp"
#include "espalier/neighborhood/neighborhood.hpp"
#include "espalier/plan/calls/named_types.hpp"
#include "espalier/plan/communicators/executor_cache.hpp"
#include "espalier/plan/communicators/planned_call.hpp"
#include "espalier/plan/communicators/started_calls.hpp"
#include "espalier/plan/neighbors/neighbor_calls.hpp"
#include "espalier/plan/settings/statistics.hpp"

namespace espalier::plan {

/// A collective ready to run: what a persistent request holds.
struct PlannedNeighbors {
  neighborhood::Algorithm const* algorithm;
  exec::MpiExecutor executor;
};

/// How ranks that forward a block know its size.
enum class SizesBy : std::uint8_t {
  standard,  ///< where blocks are equal and the edges leave no doubt
  promise,   ///< where blocks are equal: whoever asks for the algorithm vouches for it
  exchange,  ///< in all calls: they are told in plan()
};

/// An algorithm that is worth a trial, and how long a model says it takes.
struct NeighborProposal {
  neighborhood::Algorithm const* algorithm = nullptr;
  double seconds = 0;
};

/// What neighborhood collectives of a communicator need, known before their first call.
struct PreparedNeighbors {
  neighborhood::Neighborhood neighborhood;  ///< with the edges of all ranks
  std::vector<int> node_of_rank;            ///< any number for each node
  exec::MpiContext context;                 ///< of the communicator; each function has its part
  bool knows_sizes = false;                 ///< all ranks know the size of equal blocks
};

/// Runs neighborhood collectives on one communicator of a user, with everything that can be reused
/// between calls: a private communicator, who talks to whom, programs, bound executors.
///
/// Used by one thread at a time.
class Neighbors {
public:
  /// The neighborhood of the communicator itself, see neighborhood_of(). Local: what is collective
  /// is done by the first call. `user` must outlive the object.
  explicit Neighbors(MPI_Comm user) noexcept : user_(user) {}

  /// Another neighborhood on the ranks of the communicator; equal on all ranks.
  Neighbors(MPI_Comm user, neighborhood::Neighborhood neighborhood);
  Neighbors(Neighbors const&) = delete;
  Neighbors& operator=(Neighbors const&) = delete;
  Neighbors(Neighbors&&) = delete;
  Neighbors& operator=(Neighbors&&) = delete;
  /// Collective over the communicator if something was prepared: frees the private communicator.
  ~Neighbors();

  /// Finds out what is needed before the first call. Collective on the first call, later local.
  /// @throws Error mpi, argument as neighborhood_of().
  void prepare();

  /// In place of prepare(): no communicator is made, and everything that follows is local but what
  /// plan() and typical_bytes() do. The same on all ranks. @throws Error mpi.
  void take(PreparedNeighbors prepared);

  /// Blocks of this rank for itself become messages of the MPI library, where no block is
  /// forwarded: the processor then touches no memory of the program. Before the first call. Local.
  void leave_copies_to_mpi() noexcept { copies_by_messages_ = true; }

  /// Our own communicator, after prepare().
  [[nodiscard]] MPI_Comm own_comm() const noexcept { return comm_; }

  [[nodiscard]] bool is_prepared() const noexcept {
    return neighborhood_.has_value() && (comm_ != MPI_COMM_NULL || context_.comm != MPI_COMM_NULL);
  }

  /// Whether run() can run it, as refuses() says; after take().
  [[nodiscard]] bool serves(neighborhood::Algorithm const& algorithm, NeighborCall call);

  /// The algorithms that serve the call, the best first; after take(). Local, and asked of one
  /// rank. Beyond a few hundred ranks all get the time of a message for each neighbour.
  /// @param block_bytes  of one block
  [[nodiscard]] std::vector<NeighborProposal>
  propose(NeighborCall call, std::int64_t block_bytes, neighborhood::Links const& links);

  /// Why an algorithm cannot serve a call, empty if it can; the same on all ranks. Those that
  /// forward blocks have to know their sizes.
  ///
  /// Collective on the first call for an algorithm, later local.
  /// @throws Error as prepare().
  [[nodiscard]] std::string
  refuses(neighborhood::Algorithm const& algorithm, NeighborCall call, SizesBy sizes);

  /// Runs the call with an algorithm that refuses() accepts without exchanging sizes. Collective;
  /// sizes seen lately are not bound again, which each rank decides for itself. @return MPI_SUCCESS
  /// or a code, not yet delivered to an error handler; the next run is a new one.
  /// @throws Error as plan().
  template <AnyNeighborCall Call>
  int run(neighborhood::Algorithm const& algorithm, Call const& call);

  /// Starts a call with such an algorithm; after take(). Local.
  /// @param started  the started calls of the communicator
  /// @throws Error mpi, unsupported, argument.
  template <AnyNeighborCall Call>
  void start(
      neighborhood::Algorithm const& algorithm,
      Call const& call,
      StartedCalls& started,
      MPI_Request& request
  );

  /// Binds a call with such an algorithm that is to be started any number of times; after take().
  /// Local.
  /// @param context  of persistent calls, without the ranks of the communicator
  /// @throws Error mpi, unsupported, argument.
  template <AnyNeighborCall Call>
  [[nodiscard]] BoundCall bind_planned(
      neighborhood::Algorithm const& algorithm, Call const& call, exec::MpiContext context
  );

  /// An executor of its own for the call, whose messages meet no others: several may be under way
  /// at the same time. Collective, in the same order on all ranks.
  /// @throws Error mpi, unsupported, argument.
  template <AnyNeighborCall Call>
  [[nodiscard]] PlannedNeighbors plan(neighborhood::Algorithm const& algorithm, Call const& call);

  /// Most bytes of a block on any rank, on average over the blocks it sends. Collective if sizes
  /// may differ. @throws Error mpi.
  template <AnyNeighborCall Call> [[nodiscard]] std::int64_t typical_bytes(Call const& call);

  /// Replaces each word by the largest one of all ranks; not after take(). Collective.
  /// @throws Error mpi.
  void take_largest(std::span<std::int64_t> words);

  /// After prepare().
  [[nodiscard]] neighborhood::Neighborhood const& neighborhood() const { return *neighborhood_; }

  [[nodiscard]] Degrees degrees() const noexcept { return degrees_; }

  /// Whether a neighbour is there that this rank sends to.
  /// All ranks have the same offsets in a grid, as the program declared. After prepare().
  [[nodiscard]] bool have_common_order() const noexcept {
    neighborhood::Isomorphic const* const grid = neighborhood().isomorphic();
    return grid != nullptr && grid->has_common_order();
  }

  [[nodiscard]] bool sends() const noexcept { return sends_; }

  /// Whether a neighbour is there that sends to this rank.
  [[nodiscard]] bool receives() const noexcept { return receives_; }

  [[nodiscard]] MPI_Comm user() const noexcept { return user_; }

  /// What calls made, and how long that took.
  [[nodiscard]] OwnCommunicators const& own_communicators() const noexcept {
    return own_communicators_;
  }

  /// Nodes of all ranks, found on the first call. Collective then. @throws Error mpi.
  [[nodiscard]] std::span<int const> nodes();

  /// As Communicator::abandon().
  void abandon() noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  struct Program {
    neighborhood::Algorithm const* algorithm;
    bool has_equal_blocks;
    schedule::RankProgram program;
  };

  [[nodiscard]] double predicted(
      neighborhood::Algorithm const& algorithm, neighborhood::Links const& links, double bytes
  );
  [[nodiscard]] exec::MpiContext context(NeighborCall call) const noexcept;
  void count_edges();
  /// Makes all known that the algorithm looks at. Collective the first time.
  void learn_for(neighborhood::Algorithm const& algorithm);
  [[nodiscard]] neighborhood::Request
  request(neighborhood::Algorithm const& algorithm, bool has_equal_blocks) const;
  schedule::RankProgram const&
  program(neighborhood::Algorithm const& algorithm, bool has_equal_blocks);
  template <AnyNeighborCall Call>
  exec::MpiExecutor bound(
      neighborhood::Algorithm const& algorithm,
      schedule::RankProgram const& program,
      exec::MpiContext const& context,
      Call const& call
  );

  MPI_Comm user_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  exec::MpiContext context_;  ///< if there is one, comm_ is none
  bool knows_sizes_ = true;
  bool copies_by_messages_ = false;
  OwnCommunicators own_communicators_;
  int rank_ = 0;
  int num_ranks_ = 1;
  int num_planned_ = 0;
  Degrees degrees_{};
  bool sends_ = false;
  bool receives_ = false;
  std::optional<neighborhood::Neighborhood> neighborhood_;
  std::vector<int> nodes_;

  /// What serves() found out.
  struct Served {
    neighborhood::Algorithm const* algorithm;
    NeighborCall call;
    bool is_served;
  };

  std::vector<Served> served_;
  NamedTypes types_;
  std::vector<std::unique_ptr<Program>> programs_;
  ExecutorCache executors_;
};

}  // namespace espalier::plan
