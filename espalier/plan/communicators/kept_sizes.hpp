// SPDX-License-Identifier: Apache-2.0

/// @file
/// Sizes of gatherv, scatterv, alltoallv and alltoallw that do not change from call to call, as the
/// program promised by the info key `espalier_fixed_sizes`. The first call finds out what its ranks
/// have to know of each other. Later ones wait for nobody, and each rank compares its own sizes
/// with those of the first call: so either all of them are as they were, or some rank sees that
/// they are not, and takes part no longer.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "espalier/plan/calls/sizes_here.hpp"
#include "espalier/profile/call.hpp"
#include "espalier/profile/decision.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::plan {

/// A program that may keep blocks of others, and what this rank was told of them.
struct AgreedProgram {
  schedule::RankProgram program;
  std::vector<std::int64_t> bytes;  ///< as BindingTarget::agreed_bytes
};

/// Calls of one communicator whose sizes are kept. The same on all of its ranks, but for sizes.
class KeptSizes {
public:
  /// Calls of further functions or roots are made as if nothing had been promised.
  static constexpr std::size_t max_calls = 16;

  struct Kept {
    profile::Call call = profile::Call::alltoallv;
    int root = 0;
    /// Null: as if nothing had been promised.
    profile::Decision const* decision = nullptr;
    AgreedProgram agreed{};               ///< with a decision
    std::vector<std::int64_t> own_bytes;  ///< as visit_own_sizes(), with a decision
  };

  [[nodiscard]] bool are_promised() const noexcept { return are_promised_; }

  void promise(bool are_promised) noexcept { are_promised_ = are_promised; }

  [[nodiscard]] bool is_full() const noexcept { return kept_.size() == max_calls; }

  [[nodiscard]] bool is_empty() const noexcept { return kept_.empty(); }

  /// Null before the first call. Valid until add() or forget().
  [[nodiscard]] Kept const* find(profile::Call call, int root) const noexcept;

  void add(Kept kept) { kept_.push_back(std::move(kept)); }

  /// After the program broke its promise on this rank, of which others may know nothing: calls that
  /// rely on it are errors until it is given anew, or one of them would take the data of the next.
  void refuse_all(std::string reason) { refusal_ = std::move(reason); }

  /// Empty if nothing is wrong.
  [[nodiscard]] std::string const& refusal() const noexcept { return refusal_; }

  /// The promise stays.
  void forget() noexcept {
    kept_.clear();
    refusal_.clear();
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  bool are_promised_ = false;
  std::vector<Kept> kept_;
  std::string refusal_;
};

/// @param index  of a size, as visit_own_sizes() counts
[[noreturn]] void throw_broken_promise(
    KeptSizes::Kept const& kept,
    CommunicatorFacts const& facts,
    std::size_t index,
    std::int64_t bytes
);

/// Local.
/// @throws ClassError if the call has other sizes on this rank than the first one; Error mpi.
template <typename Call>
void require_kept(
    KeptSizes::Kept const& kept, Call const& call, CommunicatorFacts const& facts, NamedTypes& types
) {
  std::size_t index = 0;
  visit_own_sizes(call, facts, types, [&](std::int64_t bytes) {
    if (bytes != kept.own_bytes[index]) [[unlikely]] {
      throw_broken_promise(kept, facts, index, bytes);
    }
    ++index;
  });
}

}  // namespace espalier::plan
