// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/native_team_collective.hpp"

#include <cstddef>
#include <utility>

#include "espalier/capi/own_work.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/calls/native_starts.hpp"

namespace espalier::capi {
namespace {

using schedule::Collective;
using schedule::Sync;

/// Of blocks that have one size.
NativeTeamCall even_call(TeamCall const& c, MPI_Datatype type) {
  switch (c.collective) {
  case Collective::bcast:
    return plan::BcastCall{c.recvbuf, c.count, type, c.root};
  case Collective::scatter:
    return plan::ScatterCall{c.sendbuf, c.count, type, c.recvbuf, c.count, type, c.root};
  case Collective::gather:
    return plan::GatherCall{c.sendbuf, c.count, type, c.recvbuf, c.count, type, c.root};
  case Collective::reduce:
    return plan::ReduceCall{c.sendbuf, c.recvbuf, c.count, type, c.op, c.root};
  case Collective::allreduce:
    return plan::AllreduceCall{c.sendbuf, c.recvbuf, c.count, type, c.op};
  case Collective::allgather:
    return plan::AllgatherCall{c.sendbuf, c.count, type, c.recvbuf, c.count, type};
  case Collective::alltoall:
    return plan::AlltoallCall{c.sendbuf, c.count, type, c.recvbuf, c.count, type};
  default:
    return plan::BarrierCall{};
  }
}

/// What the call refers to is that of the blocks.
NativeTeamCall uneven_call(TeamCall const& c, MPI_Datatype type, int rank) {
  UnevenBlocks const& blocks = *c.blocks;
  if (c.collective == Collective::alltoall) {
    BlockRuns const& in = blocks.inputs[static_cast<std::size_t>(rank)];
    BlockRuns const& out = blocks.outputs[static_cast<std::size_t>(rank)];
    return plan::AlltoallvCall{
        c.sendbuf,
        in.counts().data(),
        in.displacements().data(),
        type,
        c.recvbuf,
        out.counts().data(),
        out.displacements().data(),
        type,
    };
  }
  BlockRuns const& parts = blocks.parts.front();
  int const* const counts = parts.counts().data();
  int const* const places = parts.displacements().data();
  int const own = parts.count(rank);
  switch (c.collective) {
  case Collective::scatter:
    return plan::ScattervCall{c.sendbuf, counts, places, type, c.recvbuf, own, type, c.root};
  case Collective::gather:
    return plan::GathervCall{c.sendbuf, own, type, c.recvbuf, counts, places, type, c.root};
  default:
    return plan::AllgathervCall{c.sendbuf, own, type, c.recvbuf, counts, places, type};
  }
}

std::vector<NativeTeamCall>
calls_of(TeamCall const& call, MPI_Datatype type, schedule::Synchronization mode, int rank) {
  if (call.collective == Collective::barrier) {
    return {plan::BarrierCall{}};
  }
  std::vector<NativeTeamCall> calls;
  if (mode.in == Sync::allsync) {
    calls.emplace_back(plan::BarrierCall{});
  }
  calls.push_back(call.blocks ? uneven_call(call, type, rank) : even_call(call, type));
  if (mode.out == Sync::allsync) {
    calls.emplace_back(plan::BarrierCall{});
  }
  return calls;
}

/// One run at a time. Allocates nothing of its own.
class NativeRunner final : public onesided::Runner, public NativeLine::Run {
public:
  NativeRunner(NativeLine& line, std::span<NativeTeamCall const> calls)
      : line_(&line), calls_(calls) {}

  void start(
      onesided::UserBuffers const& /*own*/,
      std::span<onesided::UserPlaces const> /*all*/,
      onesided::RunPlaces /*run*/
  ) override {
    num_begun_ = 0;
    line_->join(*this);
  }

  bool advance() override {
    line_->move_on();
    return num_begun_ == calls_.size() && is_over();
  }

  bool begin_calls() override {
    while (num_begun_ < calls_.size()) {
      if (!is_over()) {
        return false;
      }
      begin(calls_[num_begun_]);
      ++num_begun_;
    }
    return true;
  }

private:
  void begin(NativeTeamCall const& call) {
    OwnWork const own_work;
    int const code = std::visit(
        [&](auto const& one) { return plan::start_native(one, line_->comm(), request_); }, call
    );
    mpi::require_success(code, "a nonblocking collective");
  }

  /// Whether the call that began last is over; also if none has begun.
  bool is_over() {
    int is_done = 0;
    mpi::require_success(PMPI_Test(&request_, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    return is_done != 0;
  }

  NativeLine* line_;
  std::span<NativeTeamCall const> calls_;
  std::size_t num_begun_ = 0;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

NativeTeamCollective::NativeTeamCollective(
    NativeLine& line, TeamCall call, schedule::Synchronization mode, int num_ranks, int rank
)
    : TeamCollective(num_ranks), line_(&line), call_(std::move(call)) {
  if (call_.datatype != MPI_DATATYPE_NULL) {
    type_ = exec::MpiType::duplicate(call_.datatype);
  }
  calls_ = calls_of(call_, type_.get(), mode, rank);
}

std::unique_ptr<onesided::Runner>
NativeTeamCollective::runner(onesided::Conduit& /*conduit*/, std::span<int const> /*members*/)
    const {
  return std::make_unique<NativeRunner>(*line_, calls_);
}

}  // namespace espalier::capi
