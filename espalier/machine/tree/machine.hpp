// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/machine/tree/link.hpp"
#include "espalier/machine/tree/speed.hpp"
#include "espalier/machine/tree/torus.hpp"

namespace espalier::machine {

/// The objects of one level, over all cores.
struct Level {
  std::string name;          ///< node, package, numa, l3, core, thread; group, switch above nodes
  std::vector<int> of_core;  ///< the object each core lies in, counted from 0 as they first occur
  Link link{};               ///< of messages whose ends first differ in this level

  friend bool operator==(Level const&, Level const&) = default;
};

/// A tree of named levels over cores, outermost first; the last level is what runs one rank.
///
/// Objects may have any number of parts, so machines may be uneven. The tree is logical: a level
/// says what is near, its link says what that means.
class Machine {
public:
  /// @throws Error argument unless there is a level, all are over the same number of cores, each
  ///   lies inside the one above, names differ and are in the usual order, the last level has one
  ///   core each, links can be true, and a torus has as many points as there are nodes.
  explicit Machine(std::vector<Level> levels, Torus torus = {});

  /// As parse_text().
  static Machine parse(std::string_view text);

  [[nodiscard]] int num_levels() const noexcept { return static_cast<int>(levels_.size()); }

  [[nodiscard]] std::string const& name(int level) const { return at(level).name; }

  [[nodiscard]] int num_objects(int level) const {
    return num_objects_[static_cast<std::size_t>(level)];
  }

  [[nodiscard]] int num_cores() const { return static_cast<int>(levels_.back().of_core.size()); }

  /// The object of a level that a core lies in.
  [[nodiscard]] int object_of(int level, int core) const {
    return at(level).of_core[static_cast<std::size_t>(core)];
  }

  /// The level called node; the first one if there is none.
  [[nodiscard]] int node_level() const;

  /// The first level of which the cores lie in different objects: whose link a message between
  /// them takes. num_levels() for a core and itself.
  [[nodiscard]] int crossing(int core, int other) const;

  [[nodiscard]] Link const& link(int level) const { return at(level).link; }

  /// @throws Error argument for a negative time, no channels, and the like.
  void set_link(int level, Link const& link);

  [[nodiscard]] Torus const& torus() const noexcept { return torus_; }

  [[nodiscard]] Speed const& speed() const noexcept { return speed_; }

  /// @throws Error argument for a negative time, or none.
  void set_speed(Speed const& speed);

  friend bool operator==(Machine const&, Machine const&) = default;

private:
  [[nodiscard]] Level const& at(int level) const {
    return levels_[static_cast<std::size_t>(level)];
  }

  std::vector<Level> levels_;
  std::vector<int> num_objects_;  ///< of each level
  Torus torus_;
  Speed speed_{};
};

}  // namespace espalier::machine
