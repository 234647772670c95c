// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/workload.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>
#include <variant>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/measure/clock.hpp"
#include "espalier/schedule/collective.hpp"

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

bool reduces(tune::Call call) noexcept {
  return schedule::reduces(tune::collective_of(call));
}

bool has_root(tune::Call call) noexcept {
  return schedule::has_root(tune::collective_of(call));
}

bool is_alltoall(tune::Call call) noexcept {
  return tune::collective_of(call) == schedule::Collective::alltoall;
}

/// What sizes are multiples of.
std::int64_t unit_bytes(tune::Call call, std::int64_t element_bytes, int num_ranks) noexcept {
  switch (call) {
  case tune::Call::allgather:
  case tune::Call::alltoall:
  case tune::Call::gather:
  case tune::Call::scatter:
  case tune::Call::reduce_scatter_block:
    return element_bytes * num_ranks;
  default:
    return element_bytes;
  }
}

/// Bytes that a rank sends and receives; on the root, for rooted calls.
struct Needs {
  std::int64_t input = 0;
  std::int64_t output = 0;
};

Needs needs(tune::Call call, std::int64_t all, std::int64_t own) noexcept {
  switch (tune::collective_of(call)) {
  case schedule::Collective::barrier:
    return {};
  case schedule::Collective::bcast:
    return {.output = all};
  case schedule::Collective::scatter:
  case schedule::Collective::reduce_scatter:
    return {.input = all, .output = own};
  case schedule::Collective::gather:
  case schedule::Collective::allgather:
    return {.input = own, .output = all};
  default:
    return {.input = all, .output = all};
  }
}

}  // namespace

Workload::Workload(Job const& job, PointRequest const& point)
    : comm_(job.comm), rank_(job.rank), num_ranks_(job.num_ranks), call_(point.call),
      element_bytes_(reduces(call_) ? sizeof(double) : 1),
      bytes_(call_ == tune::Call::barrier ? 0 : point.bytes) {
  if (!point.part_bytes.empty() && std::ssize(point.part_bytes) != num_ranks_) {
    throw Error(
        ErrorCode::argument,
        "expected part_bytes for " + std::to_string(num_ranks_) + " ranks, got " +
            std::to_string(point.part_bytes.size())
    );
  }
  std::int64_t const unit = unit_bytes(call_, element_bytes_, num_ranks_);
  bytes_ = ceil_div<std::int64_t>(bytes_, unit) * unit;
  cut_into_parts(point.part_bytes);
  Needs const sizes = needs(call_, bytes_, own_bytes());
  input_.resize(static_cast<std::size_t>(sizes.input));
  output_.resize(static_cast<std::size_t>(sizes.output) + 2 * guard_bytes);
}

void Workload::cut_into_parts(std::vector<int> const& part_bytes) {
  auto const count = static_cast<std::size_t>(num_ranks_);
  counts_.resize(count);
  displacements_.resize(count);
  types_.assign(count, MPI_BYTE);
  std::int64_t const num_elements = bytes_ / element_bytes_;
  // Rank i and rank j send each other equally much.
  int const shift = is_alltoall(call_) ? rank_ : 0;
  int begin = 0;
  for (int rank = 0; rank < num_ranks_; ++rank) {
    auto const i = static_cast<std::size_t>(rank);
    int const part = (rank + shift) % num_ranks_;
    counts_[i] = part_bytes.empty() ? static_cast<int>(part_size(num_elements, num_ranks_, part))
                                    : part_bytes[i];
    displacements_[i] = begin;
    begin += counts_[i];
  }
}

std::int64_t Workload::own_bytes() const noexcept {
  return counts_[static_cast<std::size_t>(rank_)] * element_bytes_;
}

std::vector<int> Workload::roots() const {
  if (!has_root(call_)) {
    return {0};
  }
  int const count = is_simulated() ? 1 : std::min(num_ranks_, most_roots);
  std::vector<int> roots(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    roots[static_cast<std::size_t>(i)] = static_cast<int>(part_begin(num_ranks_, count, i));
  }
  return roots;
}

bool Workload::has_result(int root) const noexcept {
  switch (tune::collective_of(call_)) {
  case schedule::Collective::gather:
  case schedule::Collective::reduce:
    return rank_ == root;
  case schedule::Collective::exscan:
    return rank_ > 0;
  default:
    return true;
  }
}

AnyCall Workload::call_with(int root) noexcept {
  return reduces(call_) ? reducing_call(root) : moving_call(root);
}

AnyCall Workload::reducing_call(int root) noexcept {
  void const* const input = input_.data();
  void* const result = output_.data() + guard_bytes;
  int const own = counts_[static_cast<std::size_t>(rank_)];
  auto const count = static_cast<int>(bytes_ / element_bytes_);
  switch (call_) {
  case tune::Call::exscan:
    return plan::ExscanCall{input, result, count, MPI_DOUBLE, MPI_SUM};
  case tune::Call::scan:
    return plan::ScanCall{input, result, count, MPI_DOUBLE, MPI_SUM};
  case tune::Call::reduce_scatter:
    return plan::ReduceScatterCall{input, result, counts_.data(), MPI_DOUBLE, MPI_SUM};
  case tune::Call::reduce_scatter_block:
    return plan::ReduceScatterBlockCall{input, result, own, MPI_DOUBLE, MPI_SUM};
  case tune::Call::reduce:
    return plan::ReduceCall{
        input, has_result(root) ? result : nullptr, count, MPI_DOUBLE, MPI_SUM, root
    };
  default:
    return plan::AllreduceCall{input, result, count, MPI_DOUBLE, MPI_SUM};
  }
}

/// What MPI does not look at on this rank is nothing.
AnyCall Workload::moving_call(int root) noexcept {
  void const* const input = input_.data();
  void* const result = output_.data() + guard_bytes;
  bool const is_root = rank_ == root;
  void const* const at_root_from = is_root ? input : nullptr;
  void* const at_root_to = is_root ? result : nullptr;
  auto const own = static_cast<int>(own_bytes());
  int const* const counts = counts_.data();
  int const* const places = displacements_.data();
  MPI_Datatype const type = MPI_BYTE;
  switch (call_) {
  case tune::Call::allgather:
    return plan::AllgatherCall{input, own, type, result, own, type};
  case tune::Call::allgatherv:
    return plan::AllgathervCall{input, own, type, result, counts, places, type};
  case tune::Call::alltoall:
    return plan::AlltoallCall{input, own, type, result, own, type};
  case tune::Call::alltoallv:
    return plan::AlltoallvCall{input, counts, places, type, result, counts, places, type};
  case tune::Call::alltoallw: {
    MPI_Datatype const* const types = types_.data();
    return plan::AlltoallwCall{input, counts, places, types, result, counts, places, types};
  }
  case tune::Call::gather:
    return plan::GatherCall{input, own, type, at_root_to, own, type, root};
  case tune::Call::gatherv:
    return plan::GathervCall{input, own, type, at_root_to, counts, places, type, root};
  case tune::Call::scatter:
    return plan::ScatterCall{at_root_from, own, type, result, own, type, root};
  case tune::Call::scatterv:
    return plan::ScattervCall{at_root_from, counts, places, type, result, own, type, root};
  case tune::Call::bcast:
    return plan::BcastCall{result, static_cast<int>(bytes_), type, root};
  default:
    return plan::BarrierCall{};
  }
}

int Workload::run_native(int root) {
  return std::visit([&](auto const& call) { return native(call, comm_); }, call_with(root));
}

Ran Workload::run_ours(plan::Session& session, int root) {
  auto const run = [&](auto const& call) -> Ran {
    plan::Verdict const verdict = session.decide(call, comm_);
    if (verdict.code != MPI_SUCCESS) {
      return {.code = verdict.code};
    }
    if (verdict.state == nullptr || !verdict.decision->choice) {
      return {.code = native(call, comm_), .decision = verdict.decision};
    }
    int const code = verdict.state->communicator().run(*verdict.decision->choice, call);
    if (plan::Communicator::is_refusal(code)) {
      return {.code = native(call, comm_), .decision = &session.after_refusal(code)};
    }
    return {.code = code, .decision = verdict.decision};
  };
  return std::visit(run, call_with(root));
}

void Workload::fill(int root, std::uint32_t stamp) {
  auto const elements = static_cast<std::size_t>(element_bytes_);
  for (std::size_t i = 0; i < input_.size() / elements; ++i) {
    std::byte const value = pattern(rank_, i, stamp);
    if (elements == 1) {
      input_[i] = value;
    } else {
      auto const number = static_cast<double>(std::to_integer<int>(value));
      std::memcpy(input_.data() + i * sizeof number, &number, sizeof number);
    }
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
