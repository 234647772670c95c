// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/mpi/mpi_node_conduit.hpp"

#include <cstddef>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/exec/node/mpi_shared_memory.hpp"
#include "espalier/mpi/own_communicator.hpp"
#include "espalier/mpi/progress.hpp"
#include "espalier/onesided/memory/memory_conduit.hpp"
#include "espalier/onesided/mpi/mpi_attachment.hpp"

namespace espalier::onesided {
namespace {

using exec::node::SharedMemory;
using mpi::OwnCommunicator;

/// What belongs to a rank begins on pages of any machine, so that it lies near its processor.
constexpr std::size_t largest_page = std::size_t{64} * 1024;

constexpr std::size_t round_up(std::size_t num_bytes) noexcept {
  return (num_bytes + largest_page - 1) / largest_page * largest_page;
}

/// How the memory is divided: arrivals and departures, then the area and the segment of each rank.
class Layout {
public:
  Layout(PostShape shape, std::vector<std::uint64_t> const& segment_bytes) : shape_(shape) {
    std::size_t begin = largest_page;
    for (std::uint64_t const num_bytes : segment_bytes) {
      begins_.push_back(begin);
      begin += round_up(shape.area_bytes()) + round_up(num_bytes);
    }
    begins_.push_back(begin);
  }

  [[nodiscard]] std::size_t num_bytes() const { return begins_.back(); }

  [[nodiscard]] exec::node::OwnBytes own(int rank) const {
    auto const own = static_cast<std::size_t>(rank);
    std::size_t const begin = rank == 0 ? 0 : begins_[own];
    return {.begin = begin, .num_bytes = begins_[own + 1] - begin};
  }

  [[nodiscard]] SharedView view(std::byte* memory) const {
    SharedView view{
        .shape = shape_,
        .arrivals = reinterpret_cast<Arrivals*>(memory),
        .departures = reinterpret_cast<Departures*>(memory + sizeof(Arrivals)),
    };
    for (std::size_t i = 0; i + 1 < begins_.size(); ++i) {
      view.areas.push_back(memory + begins_[i]);
      view.segments.push_back(memory + begins_[i] + round_up(shape_.area_bytes()));
    }
    return view;
  }

private:
  PostShape shape_;
  std::vector<std::size_t> begins_;  ///< of each rank, and the end
};

class NodeConduit final : public MemoryConduit {
public:
  NodeConduit(Attached attached, SharedView view, SharedMemory memory, OwnCommunicator comm)
      : MemoryConduit(std::move(attached), std::move(view)), memory_(std::move(memory)),
        comm_(std::move(comm)) {}

  NodeConduit(NodeConduit const&) = delete;
  NodeConduit& operator=(NodeConduit const&) = delete;
  NodeConduit(NodeConduit&&) = delete;
  NodeConduit& operator=(NodeConduit&&) = delete;

  ~NodeConduit() override { note_end(); }

  using Conduit::Attached;

private:
  /// Lets MPI notice that the job is to end, and send what others wait for.
  void look_around() override { mpi::make_progress(comm_.get()); }

  SharedMemory memory_;
  OwnCommunicator comm_;
};

void require_one_node(OwnCommunicator const& all) {
  OwnCommunicator const local = ranks_of_node(all.get());
  if (!exec::node::is_true_on_all(all.get(), local.size() == all.size())) {
    throw Error(ErrorCode::unsupported, "expected all ranks on one node, got several nodes");
  }
}

}  // namespace

std::unique_ptr<Conduit>
attach_node(MPI_Comm comm, std::uint64_t segment_bytes, std::vector<Handler> handlers) {
  OwnCommunicator own = OwnCommunicator::duplicate(comm);
  std::vector<std::uint64_t> sizes = exchange_sizes(own.get(), segment_bytes, handlers.size());
  require_one_node(own);
  PostShape const shape = PostShape::of(own.size());
  Layout const layout(shape, sizes);
  int const rank = own.rank();
  auto memory = exec::node::share_memory(own.get(), layout.num_bytes(), layout.own(rank));
  if (!memory) {
    throw Error(
        ErrorCode::no_memory,
        formatted("expected {} bytes that processes share, got none", layout.num_bytes())
    );
  }
  SharedView view = layout.view(memory->data());
  NodeConduit::Attached attached{
      .rank = rank,
      .segment_bytes = std::move(sizes),
      .segment = view.segments[static_cast<std::size_t>(rank)],
      .max_medium_bytes = shape.medium_bytes,
      .shares_processors = exec::node::share_processors(own.get()),
      .handlers = std::move(handlers),
  };
  return std::make_unique<NodeConduit>(
      std::move(attached), std::move(view), std::move(*memory), std::move(own)
  );
}

}  // namespace espalier::onesided
