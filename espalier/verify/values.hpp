// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "espalier/verify/cells.hpp"
#include "espalier/verify/contract.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// What stands in every block of every rank while the schedule runs symbolically.
///
/// A value is a number. Collectives that move: the output block whose data it is. Collectives that
/// reduce: first the contributions (rank * num_output_blocks + block), then sums in the order in
/// which they were made, each with its two operands; so a sum is an ordered tree of contributions.
/// Rule `size` has made sure that data of a block only meets data of the same block.
class Values {
public:
  Values(AllOperations const& all, Contract const& contract);

  /// Moves what a message carries.
  void transfer(Place send, Place receive);
  /// Carries out a copy or reduce.
  void apply(Place place);

  /// Rules `postcondition`, `contribution` and `operand_order`, once everything has run.
  [[nodiscard]] std::optional<Violation> judge() const;

private:
  struct Sum {
    int left = 0;
    int right = 0;
  };

  void fill_at_start();
  [[nodiscard]] int output(int rank, int block) const;
  void cells(Place place, schedule::Range range, std::vector<std::size_t>& result) const;
  [[nodiscard]] int combine(int left, int right);
  /// Ranks whose contributions are in a value, in operand order; stops after p + 1 of them.
  [[nodiscard]] std::vector<int> contributors(int value) const;
  [[nodiscard]] std::optional<Violation> judge_block(int rank, int block) const;
  [[nodiscard]] std::optional<Violation> judge_sum(int rank, int block, int value) const;
  [[nodiscard]] std::string described(int value) const;

  AllOperations const& all_;
  Contract contract_;
  int num_output_blocks_ = 0;
  int num_leaves_ = 0;
  std::vector<std::size_t> first_cell_;  ///< of each rank
  std::vector<std::int32_t> values_;
  std::vector<Sum> sums_;
  std::vector<std::size_t> from_;
  std::vector<std::size_t> to_;
};

}  // namespace espalier::verify
