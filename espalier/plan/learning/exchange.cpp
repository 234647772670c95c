// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/exchange.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "espalier/mpi/success.hpp"
#include "espalier/plan/world.hpp"

namespace espalier::plan {
namespace {

using mpi::require_success;
using Numbers = std::array<double, Exchange::most_numbers>;

int count_of(std::span<double const> numbers) {
  return static_cast<int>(numbers.size());
}

void take_least(std::span<double> numbers, Numbers const& others) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = std::min(numbers[i], others[i]);
  }
}

}  // namespace

/// On one node, or with one rank on each, the MPI library has nothing to save.
void Exchange::find_least(std::span<double> numbers, std::span<int const> node_of_rank) {
  bool const has_trees = ranks_.context.comm != MPI_COMM_NULL && ranks_.num_nodes > 1 &&
                         ranks_.num_nodes < ranks_.num_ranks;
  if (!has_trees || node_of_rank.empty()) {
    require_success(
        PMPI_Allreduce(
            MPI_IN_PLACE, numbers.data(), count_of(numbers), MPI_DOUBLE, MPI_MIN, ranks_.comm
        ),
        "MPI_Allreduce"
    );
    return;
  }
  if (!meeting_) {
    std::vector<int> const nodes = nodes_of(node_of_rank, ranks_.world_ranks, ranks_.num_ranks);
    meeting_.emplace(ranks_.rank, nodes);
  }
  meet(numbers, *meeting_);
}

void Exchange::meet(std::span<double> numbers, learn::Meeting const& meeting) const {
  for (int const child : meeting.children) {
    receive_least(numbers, child);
  }
  if (meeting.parent) {
    send(numbers, *meeting.parent);
    receive(numbers, *meeting.parent);
  } else {
    tell_other_nodes(numbers, meeting);
  }
  for (auto child = meeting.children.rbegin(); child != meeting.children.rend(); ++child) {
    send(numbers, *child);
  }
}

void Exchange::tell_other_nodes(std::span<double> numbers, learn::Meeting const& meeting) const {
  for (learn::Meeting::Distance const& distance : meeting.distances) {
    Numbers others{};
    require_success(
        PMPI_Sendrecv(
            numbers.data(),
            count_of(numbers),
            MPI_DOUBLE,
            ranks_.context.rank_in_comm(distance.to),
            ranks_.context.first_tag,
            others.data(),
            count_of(numbers),
            MPI_DOUBLE,
            ranks_.context.rank_in_comm(distance.from),
            ranks_.context.first_tag,
            ranks_.context.comm,
            MPI_STATUS_IGNORE
        ),
        "MPI_Sendrecv"
    );
    take_least(numbers, others);
  }
}

void Exchange::send(std::span<double const> numbers, int rank) const {
  exec::MpiContext const& context = ranks_.context;
  require_success(
      PMPI_Send(
          numbers.data(),
          count_of(numbers),
          MPI_DOUBLE,
          context.rank_in_comm(rank),
          context.first_tag,
          context.comm
      ),
      "MPI_Send"
  );
}

void Exchange::receive(std::span<double> numbers, int rank) const {
  exec::MpiContext const& context = ranks_.context;
  require_success(
      PMPI_Recv(
          numbers.data(),
          count_of(numbers),
          MPI_DOUBLE,
          context.rank_in_comm(rank),
          context.first_tag,
          context.comm,
          MPI_STATUS_IGNORE
      ),
      "MPI_Recv"
  );
}

void Exchange::receive_least(std::span<double> numbers, int rank) const {
  Numbers others{};
  receive(std::span(others).first(numbers.size()), rank);
  take_least(numbers, others);
}

}  // namespace espalier::plan
