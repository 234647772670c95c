// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace espalier::machine {

/// The processors that a rank may use, in the few bytes that ranks tell each other.
struct ProcessorsOfRank {
  /// The same for processes of one kernel: containers of one machine are nodes to MPI and share its
  /// processors.
  std::uint64_t kernel = 0;
  std::uint64_t set = 0;  ///< the same for ranks of one kernel that may use the same processors
  std::int32_t num = 0;   ///< in the set; 0: not known
  std::int32_t num_online = 0;  ///< of the machine; 0: not known
  std::uint64_t group = 0;      ///< the same for ranks of one control group
  double quota = 0;  ///< processors' worth of time that the group is granted; 0: no limit known
};

/// What the kernel drew when it started (random(4)): the same in all its containers. Empty if it
/// does not say.
/// @param root stands for `/`.
[[nodiscard]] std::string kernel_id(std::filesystem::path const& root = "/");

/// @param root stands for `/`. A kernel that does not name its start counts as the same as others
///   that do not.
[[nodiscard]] ProcessorsOfRank processors_of_rank(std::filesystem::path const& root = "/");

/// Ranks, and the processors that they have together.
struct Occupancy {
  int num_ranks = 0;
  int num_processors = 0;  ///< 0: not known, as if each rank had one of its own

  friend bool operator==(Occupancy const&, Occupancy const&) = default;
};

/// Of the kernel on which most ranks share a processor, the first of those that are alike.
/// Different sets of processors are taken for disjoint, as far as the machine has so many. Where
/// all ranks are in control groups with quotas, there are no more processors than these are worth.
[[nodiscard]] Occupancy fullest(std::span<ProcessorsOfRank const> ranks);

}  // namespace espalier::machine
