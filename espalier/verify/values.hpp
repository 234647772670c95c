// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "espalier/verify/cells.hpp"
#include "espalier/verify/contract.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// What stands in every block of every rank while the schedule runs symbolically.
///
/// A value is a number. Collectives that move: the label of the block whose data it is. Collectives
/// that reduce: first the contributions (rank * num_output_blocks + block), then sums, each with
/// its two operands; so a sum is an ordered tree of contributions. Equal trees have equal numbers;
/// for commutative operators the two operands of a sum may be swapped in that.
/// Rule `size` has made sure that data of a block only meets data of the same block.
class Values {
public:
  Values(AllOperations const& all, Contract const& contract);

  /// Moves what a message carries.
  void transfer(OperationReference send, OperationReference receive);
  /// Carries out a copy or reduce.
  void apply(OperationReference reference);
  /// Carries out a one-sided operation.
  void apply_one_sided(OperationReference reference);

  /// Called with the values that a message carries, when it is sent.
  void observe(std::function<void(OperationReference, std::vector<std::int32_t> const&)> observer) {
    observer_ = std::move(observer);
  }

  /// Rules `postcondition`, `contribution`, `operand_order` and `same_result`, once everything has
  /// run.
  [[nodiscard]] std::optional<Violation> judge();

  /// The block whose data, or sum, a value is: a label.
  [[nodiscard]] int label_of(std::int32_t value) const;
  /// Ranks whose contributions are in a value, in operand order; stops after p + 1 of them.
  [[nodiscard]] std::vector<int> contributors(std::int32_t value) const;

private:
  struct Sum {
    std::int32_t left = 0;
    std::int32_t right = 0;
  };

  void fill_at_start();
  [[nodiscard]] std::int32_t output(int rank, int block) const;
  void cells(OperationReference reference, schedule::Range range, std::vector<std::size_t>& result)
      const;
  void cells_of_peer(
      OperationReference reference, schedule::Range range, std::vector<std::size_t>& result
  ) const;
  void move(OperationReference observed);
  [[nodiscard]] std::int32_t combine(std::int32_t left, std::int32_t right);

  [[nodiscard]] bool is_leaf(std::int32_t value) const noexcept { return value < num_leaves_; }

  [[nodiscard]] Sum const& sum(std::int32_t value) const;
  [[nodiscard]] std::optional<Violation> judge_block(int rank, int block);
  [[nodiscard]] std::optional<Violation> judge_sum(int rank, int block, std::int32_t value) const;
  [[nodiscard]] std::optional<Violation> judge_agreement() const;
  [[nodiscard]] bool is_left_fold(std::int32_t value) const;
  [[nodiscard]] std::string described(std::int32_t value) const;

  AllOperations const& all_;
  Contract contract_;
  int num_output_blocks_ = 0;
  std::int32_t num_leaves_ = 0;
  std::vector<std::size_t> first_cell_;  ///< of each rank
  std::vector<std::int32_t> values_;
  std::vector<Sum> sums_;
  std::unordered_map<std::uint64_t, std::int32_t> known_sums_;  ///< by both operands
  std::vector<bool> is_complete_;  ///< sums found to be right for all ranks
  std::vector<std::size_t> from_;
  std::vector<std::size_t> to_;
  std::function<void(OperationReference, std::vector<std::int32_t> const&)> observer_;
};

}  // namespace espalier::verify
