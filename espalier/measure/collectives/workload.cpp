// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/collectives/workload.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>
#include <variant>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/contents.hpp"
#include "espalier/plan/serve.hpp"
#include "espalier/schedule/collective.hpp"

namespace espalier::measure {
namespace {

constexpr std::size_t guard_bytes = 64;
constexpr std::byte garbage{0xA5};
constexpr int most_roots = 8;

bool reduces(profile::Call call) noexcept {
  return schedule::reduces(profile::collective_of(call));
}

bool has_root(profile::Call call) noexcept {
  return schedule::has_root(profile::collective_of(call));
}

bool is_alltoall(profile::Call call) noexcept {
  return profile::collective_of(call) == schedule::Collective::alltoall;
}

/// What sizes are multiples of.
std::int64_t unit_bytes(profile::Call call, std::int64_t element_bytes, int num_ranks) noexcept {
  switch (call) {
  case profile::Call::allgather:
  case profile::Call::alltoall:
  case profile::Call::gather:
  case profile::Call::scatter:
  case profile::Call::reduce_scatter_block:
    return element_bytes * num_ranks;
  default:
    return element_bytes;
  }
}

/// Where the part for `rank` begins in n elements that `owner` has cut into parts whose sizes begin
/// with that of part `owner`, so that two ranks send each other equally much.
std::int64_t begin_of_turned_part(std::int64_t n, int num_ranks, int owner, int rank) noexcept {
  std::int64_t const first = part_begin(n, num_ranks, owner);
  int const end = owner + rank;
  return end <= num_ranks ? part_begin(n, num_ranks, end) - first
                          : n - first + part_begin(n, num_ranks, end - num_ranks);
}

std::span<std::byte> inside(std::vector<std::byte>& guarded) {
  return std::span(guarded).subspan(guard_bytes, guarded.size() - 2 * guard_bytes);
}

/// What `origin` has from position `begin` on.
struct Piece {
  int origin;
  std::size_t begin;
  std::uint32_t stamp;
};

void put_bytes(std::span<std::byte> bytes, Piece const& piece) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = content_byte(piece.origin, piece.begin + i, piece.stamp);
  }
}

void put_sums(std::span<std::byte> doubles, Addends const& addends, std::size_t begin) {
  for (std::size_t i = 0; i < doubles.size() / sizeof(double); ++i) {
    double const number = addends.sum(begin + i);
    std::memcpy(doubles.data() + i * sizeof number, &number, sizeof number);
  }
}

/// Bytes that a rank sends and receives; on the root, for rooted calls.
struct Needs {
  std::int64_t input = 0;
  std::int64_t output = 0;
};

Needs needs(profile::Call call, std::int64_t all, std::int64_t own) noexcept {
  switch (profile::collective_of(call)) {
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

/// Remembers what was carried out.
class Decided : public plan::Observer {
public:
  explicit Decided(plan::Session const& session) noexcept : session_(&session) {}

  void ran(profile::Decision const* decision, int code) noexcept {
    decision_ = decision == nullptr ? nullptr : &session_->carried_out(*decision, code);
  }

  /// Null if the session left the call alone.
  [[nodiscard]] profile::Decision const* decision() const noexcept { return decision_; }

private:
  plan::Session const* session_;
  profile::Decision const* decision_ = nullptr;
};

}  // namespace

Workload::Workload(Job const& job, PointRequest const& point)
    : comm_(job.comm), rank_(job.rank), num_ranks_(job.num_ranks), call_(point.call),
      element_bytes_(reduces(call_) ? sizeof(double) : 1),
      bytes_(call_ == profile::Call::barrier ? 0 : point.bytes) {
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
  switch (profile::collective_of(call_)) {
  case schedule::Collective::gather:
  case schedule::Collective::reduce:
    return rank_ == root;
  case schedule::Collective::exscan:
    return rank_ > 0;
  default:
    return true;
  }
}

plan::AnyCall Workload::call_with(int root) noexcept {
  return reduces(call_) ? reducing_call(root) : moving_call(root);
}

plan::AnyCall Workload::reducing_call(int root) noexcept {
  void const* const input = input_.data();
  void* const result = output_.data() + guard_bytes;
  int const own = counts_[static_cast<std::size_t>(rank_)];
  auto const count = static_cast<int>(bytes_ / element_bytes_);
  switch (call_) {
  case profile::Call::exscan:
    return plan::ExscanCall{input, result, count, MPI_DOUBLE, MPI_SUM};
  case profile::Call::scan:
    return plan::ScanCall{input, result, count, MPI_DOUBLE, MPI_SUM};
  case profile::Call::reduce_scatter:
    return plan::ReduceScatterCall{input, result, counts_.data(), MPI_DOUBLE, MPI_SUM};
  case profile::Call::reduce_scatter_block:
    return plan::ReduceScatterBlockCall{input, result, own, MPI_DOUBLE, MPI_SUM};
  case profile::Call::reduce:
    return plan::ReduceCall{
        input, has_result(root) ? result : nullptr, count, MPI_DOUBLE, MPI_SUM, root
    };
  default:
    return plan::AllreduceCall{input, result, count, MPI_DOUBLE, MPI_SUM};
  }
}

/// What MPI does not look at on this rank is nothing.
plan::AnyCall Workload::moving_call(int root) noexcept {
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
  case profile::Call::allgather:
    return plan::AllgatherCall{input, own, type, result, own, type};
  case profile::Call::allgatherv:
    return plan::AllgathervCall{input, own, type, result, counts, places, type};
  case profile::Call::alltoall:
    return plan::AlltoallCall{input, own, type, result, own, type};
  case profile::Call::alltoallv:
    return plan::AlltoallvCall{input, counts, places, type, result, counts, places, type};
  case profile::Call::alltoallw: {
    MPI_Datatype const* const types = types_.data();
    return plan::AlltoallwCall{input, counts, places, types, result, counts, places, types};
  }
  case profile::Call::gather:
    return plan::GatherCall{input, own, type, at_root_to, own, type, root};
  case profile::Call::gatherv:
    return plan::GathervCall{input, own, type, at_root_to, counts, places, type, root};
  case profile::Call::scatter:
    return plan::ScatterCall{at_root_from, own, type, result, own, type, root};
  case profile::Call::scatterv:
    return plan::ScattervCall{at_root_from, counts, places, type, result, own, type, root};
  case profile::Call::bcast:
    return plan::BcastCall{result, static_cast<int>(bytes_), type, root};
  default:
    return plan::BarrierCall{};
  }
}

int Workload::run_native(int root) {
  return std::visit(
      [&](auto const& call) { return plan::call_native(call, comm_); }, call_with(root)
  );
}

Ran Workload::run_ours(plan::Session& session, int root) {
  auto const run = [&](auto const& call) {
    Decided decided(session);
    auto const native = [&] { return plan::call_native(call, comm_); };
    int const code = plan::serve(session, call, comm_, decided, native);
    return Ran{.code = code, .decision = decided.decision()};
  };
  return std::visit(run, call_with(root));
}

void Workload::fill(int root, std::uint32_t stamp) {
  if (reduces(call_)) {
    put_sums(input_, Addends::of_rank(rank_, stamp), 0);
  } else {
    put_bytes(input_, {.origin = rank_, .begin = 0, .stamp = stamp});
  }
  std::fill(output_.begin(), output_.end(), garbage);
  if (call_ == profile::Call::bcast && rank_ == root) {
    put_bytes(inside(output_), {.origin = root, .begin = 0, .stamp = stamp});
  }
}

std::vector<std::byte> Workload::expected(int root, std::uint32_t stamp) const {
  std::vector<std::byte> result(output_.size(), garbage);
  if (!has_result(root)) {
    return result;
  }
  std::span<std::byte> const content = inside(result);
  if (reduces(call_)) {
    expect_sums(content, stamp);
  } else if (call_ == profile::Call::bcast) {
    put_bytes(content, {.origin = root, .begin = 0, .stamp = stamp});
  } else if (profile::collective_of(call_) == schedule::Collective::scatter) {
    auto const own = static_cast<std::size_t>(displacements_[static_cast<std::size_t>(rank_)]);
    put_bytes(content, {.origin = root, .begin = own, .stamp = stamp});
  } else if (call_ != profile::Call::barrier) {
    expect_parts(content, stamp);
  }
  return result;
}

void Workload::expect_sums(std::span<std::byte> content, std::uint32_t stamp) const {
  switch (profile::collective_of(call_)) {
  case schedule::Collective::scan:
    return put_sums(content, Addends::of_first(rank_ + 1, stamp), 0);
  case schedule::Collective::exscan:
    return put_sums(content, Addends::of_first(rank_, stamp), 0);
  case schedule::Collective::reduce_scatter: {
    int const own = displacements_[static_cast<std::size_t>(rank_)];
    return put_sums(content, Addends::of_first(num_ranks_, stamp), static_cast<std::size_t>(own));
  }
  default:
    return put_sums(content, Addends::of_first(num_ranks_, stamp), 0);
  }
}

/// A part from each rank: the first bytes it has, or in an alltoall those it has for this rank.
void Workload::expect_parts(std::span<std::byte> content, std::uint32_t stamp) const {
  for (int origin = 0; origin < num_ranks_; ++origin) {
    auto const i = static_cast<std::size_t>(origin);
    auto const place = static_cast<std::size_t>(displacements_[i]);
    auto const size = static_cast<std::size_t>(counts_[i]);
    std::int64_t const begin =
        is_alltoall(call_) ? begin_of_turned_part(bytes_, num_ranks_, origin, rank_) : 0;
    put_bytes(
        content.subspan(place, size),
        {.origin = origin, .begin = static_cast<std::size_t>(begin), .stamp = stamp}
    );
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
      "expected byte %td of the result to be 0x%02x, got 0x%02x",
      position,
      std::to_integer<unsigned>(*good),
      std::to_integer<unsigned>(*bad)
  );
  return text.data();
}

}  // namespace espalier::measure
