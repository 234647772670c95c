// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/orders/tree_trial.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/median.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/orders/room.hpp"

namespace espalier::plan {
namespace {

using mapping::TreeCollective;
using mpi::OwnCommunicator;
using mpi::require_success;

/// The memory of this rank; that of all parts at the root.
class TreeCalls {
public:
  /// Collective.
  TreeCalls(OwnCommunicator const& own, TreeTrial const& trial) : trial_(&trial) {
    bool const has_parts = mapping::payload_of(trial.collective) == mapping::Payload::subtree;
    bool const holds_all = has_parts && own.rank() == trial.root;
    make_room(
        own,
        [&] {
          auto const bytes = static_cast<std::size_t>(trial.bytes);
          part_.resize(bytes);
          all_.resize(bytes * static_cast<std::size_t>(holds_all ? own.size() : 1));
        },
        "the buffers of a call with " + std::to_string(trial.bytes) +
            " bytes on every rank, to time it; give no trial calls"
    );
  }

  /// One call from or to this root.
  void run(MPI_Comm comm, int root) {
    int const count = static_cast<int>(trial_->bytes);
    std::byte* const part = part_.data();
    std::byte* const all = all_.data();
    switch (trial_->collective) {
    case TreeCollective::bcast:
      require_success(PMPI_Bcast(part, count, MPI_BYTE, root, comm), "MPI_Bcast");
      return;
    case TreeCollective::gather:
      require_success(
          PMPI_Gather(part, count, MPI_BYTE, all, count, MPI_BYTE, root, comm), "MPI_Gather"
      );
      return;
    case TreeCollective::reduce:
      require_success(PMPI_Reduce(part, all, count, MPI_BYTE, MPI_BOR, root, comm), "MPI_Reduce");
      return;
    case TreeCollective::scatter:
      require_success(
          PMPI_Scatter(all, count, MPI_BYTE, part, count, MPI_BYTE, root, comm), "MPI_Scatter"
      );
      return;
    }
  }

private:
  TreeTrial const* trial_;
  std::vector<std::byte> part_;
  std::vector<std::byte> all_;
};

/// Of each call the time on its slowest rank, then the median.
double median_of_slowest(OwnCommunicator const& own, std::vector<double> own_us) {
  require_success(
      PMPI_Allreduce(
          MPI_IN_PLACE,
          own_us.data(),
          static_cast<int>(own_us.size()),
          MPI_DOUBLE,
          MPI_MAX,
          own.get()
      ),
      "MPI_Allreduce"
  );
  return median_of(std::move(own_us));
}

}  // namespace

TrialTimes try_tree_order(OwnCommunicator const& own, MPI_Comm ordered, TreeTrial const& trial) {
  TreeCalls calls(own, trial);
  auto const call_us = [&](MPI_Comm comm, int root) {
    require_success(PMPI_Barrier(own.get()), "MPI_Barrier");
    double const start = PMPI_Wtime();
    calls.run(comm, root);
    return (PMPI_Wtime() - start) * 1e6;
  };
  std::vector<double> standard_us;
  std::vector<double> ordered_us;
  for (int i = 0; i <= trial.num_calls; ++i) {
    double const first_us = call_us(own.get(), trial.root);
    double const second_us = call_us(ordered, 0);
    if (i > 0) {
      standard_us.push_back(first_us);
      ordered_us.push_back(second_us);
    }
  }
  return {
      .standard_us = median_of_slowest(own, std::move(standard_us)),
      .ordered_us = median_of_slowest(own, std::move(ordered_us)),
  };
}

}  // namespace espalier::plan
