// SPDX-License-Identifier: Apache-2.0

/// @file
/// Numbers for what the prover keeps in flat arrays: the blocks of a rank, the operations of all.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "espalier/schedule/program.hpp"

namespace espalier::verify {

/// Blocks of one rank are numbered input first, then output, then scratch.
[[nodiscard]] inline int num_cells(schedule::Frame const& frame) noexcept {
  return frame.num_blocks(schedule::Buffer::input) + frame.num_output_blocks +
         frame.num_blocks(schedule::Buffer::scratch);
}

[[nodiscard]] inline int
cell_of(schedule::Frame const& frame, schedule::Buffer buffer, int block) noexcept {
  switch (buffer) {
  case schedule::Buffer::input:
    return block;
  case schedule::Buffer::output:
    return frame.num_blocks(schedule::Buffer::input) + block;
  case schedule::Buffer::scratch:
    return frame.num_blocks(schedule::Buffer::input) + frame.num_output_blocks + block;
  }
  return block;
}

/// An operation among all ranks' programs.
struct OperationReference {
  int rank = 0;
  int operation = 0;

  friend bool operator==(OperationReference const&, OperationReference const&) = default;
};

/// Operations of all ranks numbered through, rank by rank. Refers to the programs.
class AllOperations {
public:
  explicit AllOperations(std::span<schedule::RankProgram const> programs) : programs_(programs) {
    first_.reserve(programs.size() + 1);
    first_.push_back(0);
    for (schedule::RankProgram const& program : programs) {
      first_.push_back(first_.back() + program.operations.size());
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return first_.back(); }

  [[nodiscard]] int num_ranks() const noexcept { return static_cast<int>(programs_.size()); }

  [[nodiscard]] std::size_t index(OperationReference reference) const noexcept {
    return first_[static_cast<std::size_t>(reference.rank)] +
           static_cast<std::size_t>(reference.operation);
  }

  [[nodiscard]] schedule::RankProgram const& program(int rank) const noexcept {
    return programs_[static_cast<std::size_t>(rank)];
  }

  [[nodiscard]] schedule::Operation const& operator[](OperationReference reference) const noexcept {
    return program(reference.rank).operations[static_cast<std::size_t>(reference.operation)];
  }

private:
  std::span<schedule::RankProgram const> programs_;
  std::vector<std::size_t> first_;
};

}  // namespace espalier::verify
