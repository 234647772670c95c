// SPDX-License-Identifier: Apache-2.0

/// @file
/// Machines and placements as short texts, and where they put ranks.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::cost {

/// A tree of named levels over cores, from a text like `node:2 socket:2 core:4`.
///
/// Each word is a level and how many of it each object of the level above has. Where that differs,
/// there is a number for each: `node:3 core:8,8,4`. The last level is what runs one rank.
class Machine {
public:
  /// @throws Error argument that says which word is wrong and why.
  static Machine parse(std::string_view text);

  [[nodiscard]] int num_levels() const noexcept { return static_cast<int>(levels_.size()); }

  [[nodiscard]] std::string const& name(int level) const { return at(level).name; }

  [[nodiscard]] int num_objects(int level) const;

  [[nodiscard]] int num_cores() const { return num_objects(num_levels() - 1); }

  /// The object of a level that a core lies in.
  [[nodiscard]] int object_of(int level, int core) const {
    return at(level).of_core[static_cast<std::size_t>(core)];
  }

  /// The level called node; the first one if there is none.
  [[nodiscard]] int node_level() const;

private:
  struct Level {
    std::string name;
    std::vector<int> of_core;  ///< the object each core lies in; objects are counted from 0
  };

  [[nodiscard]] Level const& at(int level) const {
    return levels_[static_cast<std::size_t>(level)];
  }

  std::vector<Level> levels_;
};

/// The core of each rank.
///
/// `block` fills the cores in order; `cyclic` deals ranks to the nodes in turn, `cyclic:n` n at a
/// time, and passes over nodes that are full.
/// @throws Error argument for another text, or if there are fewer cores than ranks.
[[nodiscard]] std::vector<int>
place(Machine const& machine, std::string_view placement, int num_ranks);

}  // namespace espalier::cost
