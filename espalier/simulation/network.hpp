// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "espalier/machine/tree/machine.hpp"

namespace espalier::simulation {

/// A line whose users at the same time share its bandwidth equally.
struct Line {
  std::string name;
  double bandwidth = 0;  ///< bytes per second
  double latency = 0;    ///< seconds
};

/// A machine as lines and routes over them, which is what network simulators know.
///
/// A message between two cores whose ends first differ in level l passes
///
///     the send port of its sender for l      bandwidth and latency of l's link
///     ways out of the objects it leaves,     channels times the bandwidth of the level's link,
///       from the core up to level l            of levels with channels
///     what the objects of l share            shared_channels times the bandwidth
///     the hops between nodes of a torus      if it leaves its node
///     ways into the objects it enters        as the ways out
///     the receive port of its receiver       as the send port
///
/// so that a message of n bytes alone takes latency + n per_byte, and a core sends at the speed of
/// one message however many it has begun. A level at half duplex has one way for both directions.
/// Overheads, gaps and limits of eager messages are no part of it: those are costs of the ends.
class Network {
public:
  /// @param envelope_bytes what the simulator adds to each message; the time for it is taken off
  /// the
  ///   latency, as far as there is one.
  explicit Network(machine::Machine machine, double envelope_bytes = 0);

  [[nodiscard]] machine::Machine const& machine() const noexcept { return machine_; }

  [[nodiscard]] std::vector<Line> const& lines() const noexcept { return lines_; }

  /// The lines a message passes, as positions in lines(). A core reaches itself over a line of its
  /// own that costs nothing.
  [[nodiscard]] std::vector<std::size_t> route(int source, int target) const;
  /// The same, in memory that is there.
  void find_route(int source, int target, std::vector<std::size_t>& lines) const;

private:
  struct Ways {
    std::size_t out = 0;  ///< of object i: out + i
    std::size_t in = 0;
    bool exist = false;
  };

  std::size_t add(std::size_t count, std::string const& name, double bandwidth, double latency = 0);
  void add_level(int level);
  void add_torus();
  [[nodiscard]] int parent_of(int level, int core) const;
  void append_hops(std::vector<std::size_t>& lines, int source, int target) const;

  machine::Machine machine_;
  double envelope_bytes_;
  std::vector<Line> lines_;
  std::vector<Ways> ports_;     ///< of cores, for each level
  std::vector<Ways> channels_;  ///< of the objects of each level
  std::vector<Ways> shared_;    ///< of the parents of each level; only `out`
  std::size_t self_ = 0;
  std::size_t torus_ = 0;
};

}  // namespace espalier::simulation
