// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/orders/order_workload.hpp"

#include <algorithm>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/exec/collectives/mpi_collectives.hpp"
#include "espalier/measure/common/contents.hpp"

namespace espalier::measure {
namespace {

constexpr std::byte garbage{0xA5};

}  // namespace

OrderWorkload::OrderWorkload(Job const& job, PointRequest const& point, int root)
    : rank_(job.rank), num_ranks_(job.num_ranks), root_(root), call_(point.call),
      bytes_(point.bytes) {
  if (call_ != profile::Call::bcast) {
    bytes_ = ceil_div<std::int64_t>(bytes_, num_ranks_) * num_ranks_;
  }
  auto const all = static_cast<std::size_t>(bytes_);
  bool const is_gather = call_ == profile::Call::gather;
  input_.resize(is_gather ? part_bytes() : call_ == profile::Call::scatter && is_root() ? all : 0);
  output_.resize(is_gather ? (is_root() ? all : 0) : part_bytes());
}

std::size_t OrderWorkload::part_bytes() const noexcept {
  return static_cast<std::size_t>(call_ == profile::Call::bcast ? bytes_ : bytes_ / num_ranks_);
}

int OrderWorkload::run_native(MPI_Comm comm, int root) {
  auto const count = static_cast<int>(part_bytes());
  std::byte* const in = input_.data();
  std::byte* const out = output_.data();
  if (call_ == profile::Call::scatter) {
    return PMPI_Scatter(in, count, MPI_BYTE, out, count, MPI_BYTE, root, comm);
  }
  if (call_ == profile::Call::gather) {
    return PMPI_Gather(in, count, MPI_BYTE, out, count, MPI_BYTE, root, comm);
  }
  return PMPI_Bcast(out, count, MPI_BYTE, root, comm);
}

exec::MpiExecutor OrderWorkload::executor(
    MPI_Comm comm, algorithms::Choice const& choice, algorithms::RankOrder const& order
) const {
  schedule::RankProgram const program = choice.generate(order, root_, rank_);
  exec::TypedCount const part{.type = MPI_BYTE, .count = static_cast<std::int64_t>(part_bytes())};
  if (call_ == profile::Call::scatter) {
    return exec::scatter_executor(program, comm, part, part, root_);
  }
  if (call_ == profile::Call::gather) {
    return exec::gather_executor(program, comm, part, part, root_);
  }
  return exec::bcast_executor(program, comm, part, root_);
}

void OrderWorkload::fill_part(std::span<std::byte> part, int owner, std::uint32_t stamp) const {
  for (std::size_t i = 0; i < part.size(); ++i) {
    part[i] = content_byte(owner, i, stamp);
  }
}

std::string
OrderWorkload::problem_of(std::span<std::byte const> part, int owner, std::uint32_t stamp) const {
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] != content_byte(owner, i, stamp)) {
      return "expected byte " + std::to_string(i) + " of the part of rank " +
             std::to_string(owner) + " to be " +
             std::to_string(std::to_integer<int>(content_byte(owner, i, stamp))) + ", got " +
             std::to_string(std::to_integer<int>(part[i]));
    }
  }
  return {};
}

void OrderWorkload::fill(std::span<int const> rank_at, std::uint32_t stamp) {
  std::ranges::fill(output_, garbage);
  if (call_ == profile::Call::gather) {
    fill_part(input_, rank_, stamp);
  } else if (call_ == profile::Call::bcast && is_root()) {
    fill_part(output_, root_, stamp);
  } else if (call_ == profile::Call::scatter && is_root()) {
    for (std::size_t place = 0; place < rank_at.size(); ++place) {
      std::span const all(input_);
      fill_part(all.subspan(place * part_bytes(), part_bytes()), rank_at[place], stamp);
    }
  }
}

std::string OrderWorkload::problem(std::span<int const> rank_at, std::uint32_t stamp) const {
  if (call_ != profile::Call::gather) {
    return problem_of(output_, call_ == profile::Call::bcast ? root_ : rank_, stamp);
  }
  std::string text;
  for (std::size_t place = 0; is_root() && text.empty() && place < rank_at.size(); ++place) {
    std::span const all(output_);
    text = problem_of(all.subspan(place * part_bytes(), part_bytes()), rank_at[place], stamp);
  }
  return text;
}

}  // namespace espalier::measure
