// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/node/mpi_node.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unistd.h>
#include <utility>

#include "espalier/exec/node/mpi_shared_memory.hpp"
#include "espalier/exec/node/single_copy.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::exec::node {
namespace {

using mpi::OwnCommunicator;
using mpi::require_success;

/// In a simulation all ranks are threads of one process, whose time only MPI knows.
#ifdef ESPALIER_MPI_SIMULATED
constexpr bool is_simulated = true;
#else
constexpr bool is_simulated = false;
#endif

OwnCommunicator split_by_node(MPI_Comm all) {
  MPI_Comm local = MPI_COMM_NULL;
  require_success(
      PMPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local),
      "MPI_Comm_split_type"
  );
  return OwnCommunicator(local);
}

}  // namespace

Node::Node(MPI_Comm all) {
  if constexpr (is_simulated) {
    return;
  }
  OwnCommunicator const local = split_by_node(all);
  own_ = local.rank();
  find_ranks(all, local.get());
  if (ranks_.size() > 1) {
    share(local.get());
    shares_processors_ = share_processors(local.get());
    find_processes(local.get());
  }
  agree(all);
}

void Node::find_ranks(MPI_Comm all, MPI_Comm local) {
  int num_ranks = 0;
  int rank = 0;
  require_success(PMPI_Comm_size(local, &num_ranks), "MPI_Comm_size");
  require_success(PMPI_Comm_rank(all, &rank), "MPI_Comm_rank");
  ranks_.resize(static_cast<std::size_t>(num_ranks));
  require_success(
      PMPI_Allgather(&rank, 1, MPI_INT, ranks_.data(), 1, MPI_INT, local), "MPI_Allgather"
  );
}

void Node::share(MPI_Comm local) {
  SegmentShape const shape = SegmentShape::of(static_cast<int>(ranks_.size()));
  auto memory = share_memory(
      local, shape.num_bytes(), {.begin = shape.area_begin(own_), .num_bytes = shape.area_bytes()}
  );
  if (memory) {
    segment_.emplace(shape, std::move(*memory));
  }
}

/// Each rank tries to read a number of each other one; what one of them may not nobody does.
void Node::find_processes(MPI_Comm local) {
  struct Sample {
    std::int64_t value;
    std::uint64_t address;
    std::int64_t process;
  };

  constexpr int sample_bytes = sizeof(Sample);
  std::int64_t const value = 0x45535041L + own_;
  Sample const own{
      .value = value, .address = reinterpret_cast<std::uintptr_t>(&value), .process = getpid()
  };
  std::vector<Sample> samples(ranks_.size());
  require_success(
      PMPI_Allgather(&own, sample_bytes, MPI_BYTE, samples.data(), sample_bytes, MPI_BYTE, local),
      "MPI_Allgather"
  );
  bool const may_read = std::ranges::all_of(samples, [](Sample const& sample) {
    std::int64_t found = 0;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of another process.
    auto const* const address = reinterpret_cast<void const*>(sample.address);
    return read_memory(static_cast<pid_t>(sample.process), address, &found, sizeof found) &&
           found == sample.value;
  });
  if (is_true_on_all(local, may_read)) {
    for (Sample const& sample : samples) {
      processes_.push_back(static_cast<pid_t>(sample.process));
    }
  }
}

void Node::agree(MPI_Comm all) {
  int const own = segment_ ? segment_->shape().num_contexts : 0;
  num_contexts_ = ranks_.size() == 1 ? std::numeric_limits<int>::max() : own;
  require_success(
      PMPI_Allreduce(MPI_IN_PLACE, &num_contexts_, 1, MPI_INT, MPI_MIN, all), "MPI_Allreduce"
  );
  is_missing_somewhere_ = num_contexts_ == 0;
}

std::vector<Group::Member> Node::members(std::span<int const> ranks, int num_ranks) const {
  std::vector<int> sorted(ranks.begin(), ranks.end());
  std::ranges::sort(sorted);
  std::vector<Group::Member> members;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    int const rank = ranks_[i];
    bool const is_member =
        ranks.empty() ? rank < num_ranks : std::ranges::binary_search(sorted, rank);
    if (is_member) {
      members.push_back({
          .rank = rank,
          .on_node = static_cast<int>(i),
          .process = processes_.empty() ? 0 : processes_[i],
      });
    }
  }
  return members;
}

std::shared_ptr<Group> Node::group(int context, std::span<int const> ranks, int num_ranks) {
  if (!segment_ || context >= segment_->shape().num_contexts) {
    return nullptr;
  }
  std::vector<Group::Member> found = members(ranks, num_ranks);
  if (found.size() < 2) {
    return nullptr;
  }
  std::lock_guard const lock(mutex_);
  std::weak_ptr<Group>& known = groups_[context];
  if (auto held = known.lock(); held && held->members() == found) {
    return held;
  }
  auto const own = std::ranges::find(found, own_, &Group::Member::on_node) - found.begin();
  auto group = std::make_shared<Group>(
      *segment_, context, std::move(found), static_cast<std::size_t>(own), shares_processors_
  );
  known = group;
  return group;
}

}  // namespace espalier::exec::node
