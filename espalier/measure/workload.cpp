// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/workload.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "espalier/base/integer.hpp"

namespace espalier::measure {
namespace {

constexpr std::size_t guard_bytes = 64;
constexpr std::byte garbage{0xA5};
constexpr int most_roots = 8;

/// A byte that differs between ranks, neighbouring positions and stamps.
std::byte pattern(int rank, std::size_t position, std::uint32_t stamp) noexcept {
  auto word = static_cast<std::uint32_t>(position) * 2654435761U;
  word ^= (static_cast<std::uint32_t>(rank) + 1U) * 40503U + stamp * 2246822519U;
  return static_cast<std::byte>((word ^ (word >> 15U)) >> 7U & 0xFFU);
}

int native(plan::AllgatherCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Allgather(
      call.sendbuf, call.sendcount, call.sendtype, call.recvbuf, call.recvcount, call.recvtype, comm
  );
}

int native(plan::AllgathervCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Allgatherv(
      call.sendbuf,
      call.sendcount,
      call.sendtype,
      call.recvbuf,
      call.recvcounts,
      call.displs,
      call.recvtype,
      comm
  );
}

int native(plan::BcastCall const& call, MPI_Comm comm) noexcept {
  return PMPI_Bcast(call.buffer, call.count, call.datatype, call.root, comm);
}

}  // namespace

Workload::Workload(Job const& job, PointRequest const& point)
    : comm_(job.comm), rank_(job.rank), num_ranks_(job.num_ranks), call_(point.call),
      bytes_(point.bytes) {
  if (call_ == tune::Call::allgather) {
    bytes_ = ceil_div<std::int64_t>(bytes_, num_ranks_) * num_ranks_;
  }
  auto const count = static_cast<std::size_t>(num_ranks_);
  counts_.resize(count);
  displacements_.resize(count);
  for (int rank = 0; rank < num_ranks_; ++rank) {
    auto const i = static_cast<std::size_t>(rank);
    counts_[i] = static_cast<int>(part_size(bytes_, num_ranks_, rank));
    displacements_[i] = static_cast<int>(part_begin(bytes_, num_ranks_, rank));
  }
  input_.resize(static_cast<std::size_t>(own_bytes()));
  output_.resize(static_cast<std::size_t>(bytes_) + 2 * guard_bytes);
}

std::int64_t Workload::own_bytes() const noexcept {
  return counts_[static_cast<std::size_t>(rank_)];
}

std::vector<int> Workload::roots() const {
  if (call_ != tune::Call::bcast) {
    return {0};
  }
  int const count = std::min(num_ranks_, most_roots);
  std::vector<int> roots(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    roots[static_cast<std::size_t>(i)] = static_cast<int>(part_begin(num_ranks_, count, i));
  }
  return roots;
}

Workload::Call Workload::call_with(int root) noexcept {
  std::byte* const result = output_.data() + guard_bytes;
  auto const own = static_cast<int>(own_bytes());
  switch (call_) {
  case tune::Call::allgather:
    return plan::AllgatherCall{input_.data(), own, MPI_BYTE, result, own, MPI_BYTE};
  case tune::Call::allgatherv:
    return plan::AllgathervCall{
        input_.data(), own, MPI_BYTE, result, counts_.data(), displacements_.data(), MPI_BYTE
    };
  case tune::Call::bcast:
    break;
  }
  return plan::BcastCall{result, static_cast<int>(bytes_), MPI_BYTE, root};
}

int Workload::run_native(int root) {
  return std::visit([&](auto const& call) { return native(call, comm_); }, call_with(root));
}

int Workload::run_ours(plan::Session& session, int root) {
  auto const run = [&](auto const& call) {
    plan::Verdict const verdict = session.decide(call, comm_);
    if (verdict.code != MPI_SUCCESS) {
      return verdict.code;
    }
    if (verdict.state == nullptr || !verdict.decision->choice) {
      return native(call, comm_);
    }
    return verdict.state->communicator().run(*verdict.decision->choice, call);
  };
  return std::visit(run, call_with(root));
}

void Workload::fill(int root, std::uint32_t stamp) {
  for (std::size_t i = 0; i < input_.size(); ++i) {
    input_[i] = pattern(rank_, i, stamp);
  }
  std::fill(output_.begin(), output_.end(), garbage);
  if (call_ == tune::Call::bcast && rank_ == root) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(bytes_); ++i) {
      output_[guard_bytes + i] = pattern(rank_, i, stamp);
    }
  }
}

std::string
Workload::difference(std::span<std::byte const> expected, std::span<std::byte const> found) {
  auto const [good, bad] = std::mismatch(expected.begin(), expected.end(), found.begin());
  if (good == expected.end()) {
    return {};
  }
  auto const position = (good - expected.begin()) - static_cast<std::ptrdiff_t>(guard_bytes);
  std::array<char, 120> text{};
  std::snprintf(
      text.data(),
      text.size(),
      "expected byte %td of the result to be 0x%02x as in the native result, got 0x%02x",
      position,
      std::to_integer<unsigned>(*good),
      std::to_integer<unsigned>(*bad)
  );
  return text.data();
}

}  // namespace espalier::measure
