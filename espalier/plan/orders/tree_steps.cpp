// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/orders/tree_steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/mapping/orders/binomial_steps.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/orders/room.hpp"

namespace espalier::plan {
namespace {

using mapping::TreeCollective;
using mapping::TreeMessage;
using mpi::OwnCommunicator;
using mpi::require_success;

constexpr int step_tag = 5;

using Steps = std::vector<std::vector<TreeMessage>>;

/// In the order and direction in which the collective sends them.
Steps steps_of(int num_ranks, TreeCollective collective) {
  Steps steps = mapping::binomial_steps(mapping::standard_order(num_ranks, 0));
  bool const is_upwards =
      collective == TreeCollective::gather || collective == TreeCollective::reduce;
  if (is_upwards) {
    std::ranges::reverse(steps);
    for (std::vector<TreeMessage>& messages : steps) {
      for (TreeMessage& message : messages) {
        std::swap(message.from, message.to);
      }
    }
  }
  return steps;
}

/// The message of this rank, which has one in a step at most.
class OwnMessages {
public:
  OwnMessages(
      OwnCommunicator const& own, Steps const& steps, TreeCollective collective, std::int64_t bytes
  )
      : own_(&own), steps_(&steps),
        has_parts_(mapping::payload_of(collective) == mapping::Payload::subtree), bytes_(bytes),
        rank_(own.rank()) {}

  /// Collective.
  void prepare() {
    std::int64_t largest = 0;
    for (auto const& messages : *steps_) {
      for (TreeMessage const& message : messages) {
        largest = std::max(largest, bytes_of(message));
      }
    }
    if (largest > std::numeric_limits<int>::max()) {
      throw Error(
          ErrorCode::argument,
          "expected messages of at most 2147483647 bytes in each step, got one of " +
              std::to_string(largest)
      );
    }
    make_room(
        *own_,
        [&] { memory_.resize(static_cast<std::size_t>(largest)); },
        "a message of " + std::to_string(largest) + " bytes on every rank"
    );
  }

  void run(std::size_t step) {
    for (TreeMessage const& message : (*steps_)[step]) {
      int const count = static_cast<int>(bytes_of(message));
      if (message.from == rank_) {
        require_success(
            PMPI_Send(memory_.data(), count, MPI_BYTE, message.to, step_tag, own_->get()),
            "MPI_Send"
        );
      } else if (message.to == rank_) {
        require_success(
            PMPI_Recv(
                memory_.data(),
                count,
                MPI_BYTE,
                message.from,
                step_tag,
                own_->get(),
                MPI_STATUS_IGNORE
            ),
            "MPI_Recv"
        );
      }
    }
  }

private:
  [[nodiscard]] std::int64_t bytes_of(TreeMessage const& message) const {
    return has_parts_ ? bytes_ * message.blocks : bytes_;
  }

  OwnCommunicator const* own_;
  Steps const* steps_;
  bool has_parts_;
  std::int64_t bytes_;
  int rank_;
  std::vector<std::byte> memory_;
};

StepTime moments_of(std::vector<double> const& values) {
  auto const n = static_cast<double>(values.size());
  double const mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (double const value : values) {
    squares += (value - mean) * (value - mean);
  }
  return {.mean_us = mean, .sd_us = n > 1 ? std::sqrt(squares / (n - 1)) : 0};
}

StepTime
time_step(OwnCommunicator const& own, OwnMessages& messages, std::size_t step, int num_calls) {
  std::vector<double> times;
  for (int i = 0; i <= num_calls; ++i) {
    require_success(PMPI_Barrier(own.get()), "MPI_Barrier");
    double const start = PMPI_Wtime();
    messages.run(step);
    if (i > 0) {
      times.push_back((PMPI_Wtime() - start) * 1e6);
    }
  }
  require_success(
      PMPI_Allreduce(MPI_IN_PLACE, times.data(), num_calls, MPI_DOUBLE, MPI_MAX, own.get()),
      "MPI_Allreduce"
  );
  return moments_of(times);
}

}  // namespace

std::vector<StepTime> time_tree_steps(
    OwnCommunicator const& own, TreeCollective collective, std::int64_t bytes, int num_calls
) {
  Steps const steps = steps_of(own.size(), collective);
  OwnMessages messages(own, steps, collective, bytes);
  messages.prepare();
  std::vector<StepTime> times;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    times.push_back(time_step(own, messages, step, num_calls));
  }
  return times;
}

}  // namespace espalier::plan
