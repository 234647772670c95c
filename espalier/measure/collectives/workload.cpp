// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/collectives/workload.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string>
#include <variant>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/measure/collectives/call_parts.hpp"
#include "espalier/measure/collectives/filled_call.hpp"
#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/contents.hpp"
#include "espalier/plan/calls/native_starts.hpp"
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

bool is_scatter(profile::Call call) noexcept {
  return profile::collective_of(call) == schedule::Collective::scatter;
}

bool is_alltoall(profile::Call call) noexcept {
  return profile::collective_of(call) == schedule::Collective::alltoall;
}

/// What sizes are multiples of.
std::int64_t unit_bytes(profile::Call call, std::int64_t element_bytes, int num_ranks) noexcept {
  bool const has_equal_parts = schedule::has_parts(profile::collective_of(call)) &&
                               profile::facts_of(call).block_sizes == profile::BlockSizes::equal;
  return has_equal_parts ? element_bytes * num_ranks : element_bytes;
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

std::int64_t bytes_of(Share share, std::int64_t whole, std::int64_t part) noexcept {
  return share == Share::whole ? whole : share == Share::part ? part : 0;
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
      element_bytes_(reduces(call_) ? static_cast<std::int64_t>(Reduction::element_bytes) : 1),
      bytes_(call_ == profile::Call::barrier ? 0 : point.bytes), root_(point.root),
      is_in_place_(point.is_in_place) {
  check(point);
  if (point.form == profile::Form::nonblocking) {
    work_.emplace(point.work);
  }
  if (reduces(call_)) {
    reduction_.emplace(point.op);
  }
  std::int64_t const unit = unit_bytes(call_, element_bytes_, num_ranks_);
  bytes_ = ceil_div<std::int64_t>(bytes_, unit) * unit;
  types_.assign(static_cast<std::size_t>(num_ranks_), MPI_BYTE);
  std::int64_t input_bytes = 0;
  std::int64_t output_bytes = 0;
  if (point.pair_bytes.empty()) {
    cut_into_parts(point.part_bytes);
    input_bytes = bytes_of(facts().input, bytes_, own_bytes());
    output_bytes = bytes_of(facts().output, bytes_, own_bytes());
  } else {
    cut_into_pairs(point.pair_bytes);
    input_bytes = std::accumulate(sent_counts_.begin(), sent_counts_.end(), std::int64_t{0});
    output_bytes = std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
  }
  place_parts();
  input_.resize(static_cast<std::size_t>(input_bytes));
  if (is_in_place_ && reduces(call_)) {
    output_bytes = std::max(output_bytes, input_bytes);
  }
  output_.resize(static_cast<std::size_t>(output_bytes) + 2 * guard_bytes);
}

void Workload::check(PointRequest const& point) const {
  auto const refuse_unless = [&](std::size_t num_parts, char const* what) {
    if (num_parts != 0 && num_parts != static_cast<std::size_t>(num_ranks_)) {
      throw Error(
          ErrorCode::argument,
          std::string("expected ") + what + " for " + std::to_string(num_ranks_) + " ranks, got " +
              std::to_string(num_parts)
      );
    }
  };
  refuse_unless(point.part_bytes.size(), "part_bytes");
  refuse_unless(point.pair_bytes.size(), "pair_bytes");
  if (point.form == profile::Form::nonblocking && is_simulated()) {
    throw Error(
        ErrorCode::argument,
        "expected a blocking call where time is simulated, got " +
            profile::to_string(point.call_form()) + ", beside which nothing moves on"
    );
  }
  if (root_ && *root_ >= num_ranks_) {
    throw Error(
        ErrorCode::argument,
        "expected a root below " + std::to_string(num_ranks_) + ", got " + std::to_string(*root_)
    );
  }
}

void Workload::cut_into_parts(std::vector<int> const& part_bytes) {
  std::int64_t const num_elements = bytes_ / element_bytes_;
  // Rank i and rank j send each other equally much.
  int const shift = is_alltoall(call_) ? rank_ : 0;
  for (int rank = 0; rank < num_ranks_; ++rank) {
    int const part = (rank + shift) % num_ranks_;
    std::int64_t const count = part_bytes.empty()
                                   ? part_size(num_elements, num_ranks_, part)
                                   : part_bytes[static_cast<std::size_t>(rank)] / element_bytes_;
    counts_.push_back(static_cast<int>(count));
    begins_.push_back(
        is_alltoall(call_) ? begin_of_turned_part(bytes_, num_ranks_, rank, rank_) : 0
    );
  }
  sent_counts_ = counts_;
}

void Workload::cut_into_pairs(std::vector<std::vector<int>> const& pair_bytes) {
  auto const own = static_cast<std::size_t>(rank_);
  for (std::vector<int> const& sent : pair_bytes) {
    counts_.push_back(sent[own]);
    begins_.push_back(std::accumulate(sent.begin(), sent.begin() + rank_, std::int64_t{0}));
  }
  sent_counts_ = pair_bytes[own];
}

void Workload::place_parts() {
  displacements_.resize(counts_.size());
  sent_displacements_.resize(sent_counts_.size());
  std::exclusive_scan(counts_.begin(), counts_.end(), displacements_.begin(), 0);
  std::exclusive_scan(sent_counts_.begin(), sent_counts_.end(), sent_displacements_.begin(), 0);
}

std::int64_t Workload::own_bytes() const noexcept {
  return counts_[static_cast<std::size_t>(rank_)] * element_bytes_;
}

bool Workload::is_in_place(int root) const noexcept {
  return is_in_place_ && (!has_root(call_) || rank_ == root);
}

std::vector<int> Workload::roots() const {
  if (!has_root(call_)) {
    return {0};
  }
  if (root_) {
    return {*root_};
  }
  int const count = is_simulated() ? 1 : std::min(num_ranks_, most_roots);
  std::vector<int> roots(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    roots[static_cast<std::size_t>(i)] = static_cast<int>(part_begin(num_ranks_, count, i));
  }
  return roots;
}

bool Workload::has_result(int root) const noexcept {
  if (is_in_place(root) && is_scatter(call_)) {
    return false;  // the part of the root stays where it is
  }
  Receivers const receivers = facts().receivers;
  return receivers == Receivers::root ? rank_ == root : receivers == Receivers::all || rank_ > 0;
}

plan::AnyCall Workload::call_with(int root) noexcept {
  bool const takes_from_output = is_in_place(root) && !is_scatter(call_);
  bool const leaves_in_input = is_in_place(root) && is_scatter(call_);
  CallParts const parts{
      .input = takes_from_output ? MPI_IN_PLACE : input_.data(),
      .output = leaves_in_input ? MPI_IN_PLACE : output_.data() + guard_bytes,
      .own = counts_[static_cast<std::size_t>(rank_)],
      .whole = static_cast<int>(bytes_ / element_bytes_),
      .counts = counts_.data(),
      .displacements = displacements_.data(),
      .sent_counts = sent_counts_.data(),
      .sent_displacements = sent_displacements_.data(),
      .type = reduction_ ? reduction_->type() : MPI_BYTE,
      .types = types_.data(),
      .op = reduction_ ? reduction_->op() : MPI_OP_NULL,
      .root = root,
      .is_root = rank_ == root,
  };
  return filled_call(call_, parts);
}

template <typename Call> int Workload::start_and_complete_native(Call const& call) {
  MPI_Request request = MPI_REQUEST_NULL;
  int const code = start_native(call, comm_, request);
  return code == MPI_SUCCESS ? work_->complete(request) : code;
}

template <typename Call>
Ran Workload::start_and_complete(Call const& call, plan::Session& session) {
  Decided decided(session);
  MPI_Request request = MPI_REQUEST_NULL;
  auto const native = [&] { return start_native(call, comm_, request); };
  int const code = plan::serve_start(session, call, comm_, &request, decided, native);
  return {
      .code = code == MPI_SUCCESS ? work_->complete(request) : code,
      .decision = decided.decision(),
  };
}

int Workload::run_native(int root) {
  auto const run = [&](auto const& call) {
    return work_ ? start_and_complete_native(call) : plan::call_native(call, comm_);
  };
  return std::visit(run, call_with(root));
}

Ran Workload::run_ours(plan::Session& session, int root) {
  auto const run = [&](auto const& call) {
    if (work_) {
      return start_and_complete(call, session);
    }
    Decided decided(session);
    auto const native = [&] { return plan::call_native(call, comm_); };
    int const code = plan::serve(session, call, comm_, decided, native);
    return Ran{.code = code, .decision = decided.decision()};
  };
  return std::visit(run, call_with(root));
}

void Workload::fill(int root, std::uint32_t stamp) {
  if (reduction_) {
    reduction_->put_contribution(input_, rank_, stamp);
  } else {
    put_bytes(input_, {.origin = rank_, .begin = 0, .stamp = stamp});
  }
  std::fill(output_.begin(), output_.end(), garbage);
  if (call_ == profile::Call::bcast && rank_ == root) {
    put_bytes(inside(output_), {.origin = root, .begin = 0, .stamp = stamp});
  }
  if (is_in_place(root) && !is_scatter(call_)) {
    bool const is_part = facts().input == Share::part;
    int const begin = is_part ? displacements_[static_cast<std::size_t>(rank_)] : 0;
    std::ranges::copy(input_, inside(output_).subspan(static_cast<std::size_t>(begin)).begin());
  }
}

std::vector<std::byte> Workload::expected(int root, std::uint32_t stamp) const {
  std::vector<std::byte> result(output_.size(), garbage);
  if (has_result(root)) {
    expect(inside(result), root, stamp);
  }
  return result;
}

std::vector<std::byte> Workload::guarded_result() const {
  std::vector<std::byte> result = output_;
  // A reduce_scatter in place leaves the rest of what it read.
  if (is_in_place_ && reduces(call_) && facts().output == Share::part) {
    std::ranges::fill(inside(result).subspan(static_cast<std::size_t>(own_bytes())), garbage);
  }
  return result;
}

void Workload::expect(std::span<std::byte> content, int root, std::uint32_t stamp) const {
  bool const is_part = facts().output == Share::part;
  if (is_part) {
    content = content.first(static_cast<std::size_t>(own_bytes()));
  }
  auto const own = static_cast<std::size_t>(displacements_[static_cast<std::size_t>(rank_)]);
  std::size_t const begin = is_part ? own : 0;
  switch (facts().source) {
  case Source::nothing:
    return;
  case Source::root:
    return put_bytes(content, {.origin = root, .begin = begin, .stamp = stamp});
  case Source::each_rank:
    return expect_parts(content, stamp);
  case Source::sum:
    return reduction_->put_result(content, num_ranks_, begin, stamp);
  case Source::sum_up_to_own:
    return reduction_->put_result(content, rank_ + 1, begin, stamp);
  case Source::sum_before_own:
    return reduction_->put_result(content, rank_, begin, stamp);
  }
}

/// A part from each rank: the first bytes it has, or in an alltoall those it has for this rank.
void Workload::expect_parts(std::span<std::byte> content, std::uint32_t stamp) const {
  for (int origin = 0; origin < num_ranks_; ++origin) {
    auto const i = static_cast<std::size_t>(origin);
    auto const place = static_cast<std::size_t>(displacements_[i]);
    auto const size = static_cast<std::size_t>(counts_[i]);
    put_bytes(
        content.subspan(place, size),
        {.origin = origin, .begin = static_cast<std::size_t>(begins_[i]), .stamp = stamp}
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
