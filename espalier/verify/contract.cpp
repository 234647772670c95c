// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/contract.hpp"

#include <fmt/format.h>

#include "espalier/base/error.hpp"

namespace espalier::verify {

std::string_view to_string(Promise promise) noexcept {
  switch (promise) {
  case Promise::allgather:
    return "allgather";
  case Promise::bcast:
    return "bcast";
  case Promise::reduce:
    return "reduce";
  case Promise::reduce_scatter:
    return "reduce_scatter";
  }
  return "unknown";
}

bool Contract::reduces() const noexcept {
  return promise == Promise::reduce || promise == Promise::reduce_scatter;
}

bool Contract::has_root() const noexcept {
  return promise == Promise::bcast || promise == Promise::reduce;
}

int Contract::owner(int output_block, int num_output_blocks) const noexcept {
  return output_block / (num_output_blocks / num_ranks);
}

bool Contract::holds_at_start(
    schedule::Frame const& frame, int rank, schedule::Buffer buffer, int block
) const {
  if (buffer == schedule::Buffer::input) {
    return !is_in_place;
  }
  if (buffer == schedule::Buffer::scratch || !is_in_place) {
    return false;
  }
  switch (promise) {
  case Promise::allgather:
    return owner(block, frame.num_output_blocks) == rank;
  case Promise::bcast:
    return rank == root;
  case Promise::reduce:
  case Promise::reduce_scatter:
    return true;
  }
  return false;
}

bool Contract::promises(schedule::Frame const& frame, int rank, int output_block) const {
  switch (promise) {
  case Promise::allgather:
  case Promise::bcast:
    return true;
  case Promise::reduce:
    return rank == root;
  case Promise::reduce_scatter:
    return owner(output_block, frame.num_output_blocks) == rank;
  }
  return true;
}

void Contract::check() const {
  if (num_ranks < 1) {
    throw Error(
        ErrorCode::argument, fmt::format("num_ranks must be at least 1, got {}", num_ranks)
    );
  }
  if (root < 0 || root >= num_ranks) {
    throw Error(
        ErrorCode::argument, fmt::format("root must be in 0 .. {}, got {}", num_ranks - 1, root)
    );
  }
  if (!is_in_place && promise != Promise::allgather) {
    throw Error(
        ErrorCode::argument,
        fmt::format("a separate input is known for allgather only, got {}", to_string(promise))
    );
  }
}

}  // namespace espalier::verify
