// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/contract.hpp"

#include <cstddef>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"

namespace espalier::verify {
namespace {

using schedule::BlockRun;
using schedule::Buffer;
using schedule::Frame;

schedule::Role role(Contract const& contract, int rank) {
  return {contract.collective, contract.num_ranks, rank, contract.root};
}

std::int32_t entry(std::vector<std::vector<std::int32_t>> const& values, int rank, int block) {
  return values[static_cast<std::size_t>(rank)][static_cast<std::size_t>(block)];
}

}  // namespace

bool Contract::has_input() const noexcept {
  switch (collective) {
  case Collective::barrier:
  case Collective::bcast:
    return false;
  case Collective::alltoall:
    return true;
  default:
    return !is_in_place;
  }
}

BlockRun Contract::contributed(Frame const& frame, int rank) const {
  return schedule::contributed(role(*this, rank), frame.num_output_blocks);
}

BlockRun Contract::promised(Frame const& frame, int rank) const {
  return schedule::promised(role(*this, rank), frame.num_output_blocks);
}

bool Contract::holds_at_start(Frame const& frame, int rank, Buffer buffer, int block) const {
  switch (buffer) {
  case Buffer::input:
    return has_input() && (exchange == nullptr || entry(exchange->inputs, rank, block) >= 0);
  case Buffer::output:
    return !has_input() && contributed(frame, rank).contains(block);
  case Buffer::scratch:
    return false;
  }
  return false;
}

bool Contract::exists(Frame const& frame, int rank, int output_block) const {
  if (exchange != nullptr) {
    return promised_value(frame, rank, output_block) >= 0;
  }
  return contributed(frame, rank).contains(output_block) ||
         promised(frame, rank).contains(output_block);
}

std::int32_t
Contract::value_at_start(Frame const& frame, int rank, Buffer buffer, int block) const {
  if (!holds_at_start(frame, rank, buffer, block)) {
    return -1;
  }
  return exchange != nullptr ? entry(exchange->inputs, rank, block) : frame.like(buffer, block);
}

std::int32_t Contract::promised_value(Frame const& frame, int rank, int output_block) const {
  return exchange != nullptr ? entry(exchange->outputs, rank, output_block)
                             : frame.like(Buffer::output, output_block);
}

std::int64_t Contract::num_values(Frame const& frame) const noexcept {
  return exchange != nullptr ? exchange->num_values : frame.num_labels();
}

int Contract::num_operands(int rank) const noexcept {
  switch (collective) {
  case Collective::scan:
    return rank + 1;
  case Collective::exscan:
    return rank;
  default:
    return num_ranks;
  }
}

void Contract::check() const {
  if (num_ranks < 1) {
    throw Error(ErrorCode::argument, formatted("num_ranks must be at least 1, got {}", num_ranks));
  }
  auto const expected = static_cast<std::size_t>(num_ranks);
  if (exchange != nullptr &&
      (exchange->inputs.size() != expected || exchange->outputs.size() != expected)) {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected an exchange of {} ranks, got inputs of {} and outputs of {}",
            num_ranks,
            exchange->inputs.size(),
            exchange->outputs.size()
        )
    );
  }
  if (root < 0 || root >= num_ranks) {
    throw Error(
        ErrorCode::argument, formatted("root must be in 0 .. {}, got {}", num_ranks - 1, root)
    );
  }
}

}  // namespace espalier::verify
