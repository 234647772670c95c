// SPDX-License-Identifier: Apache-2.0

/// @file
/// One run of a one-sided schedule by threads, which use the buffers before and after exactly as
/// the synchronization mode permits, so that an access too early or too late is a wrong value, or a
/// data race that the thread sanitizer sees.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/exec/memory/layout.hpp"
#include "espalier/exec/threads/one_sided_executor.hpp"
#include "espalier/verify/contract.hpp"

namespace espalier::exec {

/// How many elements blocks have.
enum class BlockSizes : std::uint8_t {
  equal,   ///< one for each rank
  uneven,  ///< by label: any number up to that one, from none on
};

struct UseOptions {
  BlockSizes sizes = BlockSizes::equal;
  /// Output blocks for which nothing is promised may not be written, as teams promise.
  bool keeps_other_output = false;
};

/// The user buffers of all ranks.
class UserBuffers {
public:
  /// The programs and the contract have to outlive this object.
  UserBuffers(
      std::vector<schedule::RankProgram> const& programs,
      verify::Contract const& contract,
      UseOptions const& options
  );

  /// Puts the contribution of a rank into elements [begin, end) of its blocks, and other values
  /// into those of its blocks that hold none.
  void fill(int rank, int begin, int end);
  /// The number of elements [begin, end) of the blocks of a rank that are no result but should be,
  /// or were written but should not be.
  [[nodiscard]] int num_wrong(int rank, int begin, int end);
  /// Uses elements [begin, end) for something else.
  void overwrite(int rank, int begin, int end);
  /// The programs with these buffers.
  [[nodiscard]] std::vector<ThreadRank> bound();

private:
  using Element = std::int64_t;

  static constexpr Element poison = -7;

  /// The blocks of one buffer, one behind the other.
  struct Blocks {
    Layout layout;
    std::vector<Element> elements;
  };

  [[nodiscard]] Blocks blocks(schedule::RankProgram const& program, schedule::Buffer buffer) const;
  [[nodiscard]] int num_elements(int label) const noexcept;
  [[nodiscard]] schedule::Frame const& frame(int rank) const;
  [[nodiscard]] Element expected(int label, int element) const;
  [[nodiscard]] bool is_kept(int rank, int output_block) const;

  template <typename Visitor>
  void for_each_element(int rank, int begin, int end, Visitor const& visit);

  std::vector<schedule::RankProgram> const& programs_;
  verify::Contract const& contract_;
  UseOptions options_;
  std::vector<Blocks> inputs_;
  std::vector<Blocks> outputs_;
};

class Use {
public:
  /// The programs and the contract have to outlive this object.
  Use(std::vector<schedule::RankProgram> const& programs,
      verify::Contract const& contract,
      UseOptions const& options = {})
      : contract_(contract), buffers_(programs, contract, options) {}

  /// The number of wrong elements.
  int run(Delivery delivery, ThreadCrew& crew);

private:
  [[nodiscard]] int p() const noexcept { return contract_.num_ranks; }

  void enter(int rank);
  void leave(int rank);

  verify::Contract const& contract_;
  UserBuffers buffers_;
  std::atomic<int> num_wrong_ = 0;
};

}  // namespace espalier::exec
