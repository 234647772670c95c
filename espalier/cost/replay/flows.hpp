// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/cost/replay/earliest.hpp"

namespace espalier::cost {

/// Streams of bytes that pass lines at the same time: each has the least of its shares of its
/// lines, and all that pass a line have equal shares of it. What a stream cannot use of its share
/// is lost to the others, which keeps changes local; where all are alike that is max-min fairness.
///
/// A line counts the bytes that each stream gets of it which it holds up, so that their speed
/// changes without a look at them: such a stream ends when the line has counted so far.
class Flows {
public:
  using Id = std::int32_t;

  /// @param bandwidths bytes per second of each line.
  explicit Flows(std::span<double const> bandwidths);

  /// @param id what end_until() will call it.
  void begin(Id id, std::span<std::size_t const> lines, double bytes, double now);

  /// When the first of them ends; infinity if there is none.
  [[nodiscard]] double next_end();
  /// Takes away those that end until then, and adds them in the order of their ids. Needs that
  /// next_end() was asked.
  void end_until(double time, std::vector<Id>& ended);

  /// How often the rate of a flow was looked at: what all this costs.
  [[nodiscard]] std::int64_t num_updates() const noexcept { return num_updates_; }

private:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// A place in the list of a line.
  struct Stop {
    std::uint32_t line = 0;
    std::uint32_t place = 0;
  };

  struct Flow {
    std::uint32_t narrowest = none;  ///< the line that holds it up
    std::uint32_t version = 0;       ///< changes with the narrowest line and the end
    double ends_at = 0;              ///< bytes that the narrowest line has counted then
    Id id = 0;
    std::vector<Stop> stops;
  };

  /// A flow that a line passes, with the number of the stop.
  struct User {
    std::uint32_t flow = 0;
    std::uint32_t stop = 0;
  };

  struct End {
    double ends_at = 0;
    std::uint32_t flow = 0;
    std::uint32_t version = 0;

    friend bool operator>(End const& a, End const& b) noexcept { return a.ends_at > b.ends_at; }
  };

  struct Line {
    double bandwidth = 0;
    double counted = 0;  ///< bytes, at `since`
    double since = 0;
    bool is_changed = false;  ///< has other users than when its share was computed
    bool has_risen = false;   ///< its share
    std::vector<User> users;
    std::vector<End> ends;  ///< heap; those of an older version of their flow do not count
  };

  [[nodiscard]] std::uint32_t take_flow();
  void change(std::uint32_t line);
  void update();
  void share_anew(std::uint32_t line);
  void look_at_users(std::uint32_t line);
  void hold_up(std::uint32_t flow, std::uint32_t narrowest, double bytes_left);
  void move(std::uint32_t flow, std::uint32_t narrowest);
  void remove(std::uint32_t flow);
  void leave(Stop const& stop);
  void find_next_end(std::uint32_t line);
  void forget_old_ends(Line& line);
  [[nodiscard]] std::uint32_t narrowest_of(Flow const& flow) const;
  [[nodiscard]] double counted_now(std::uint32_t line) const;

  std::vector<Line> lines_;
  std::vector<double> shares_;  ///< of each user of a line, after update()
  std::vector<Flow> flows_;     ///< with gaps
  std::vector<std::uint32_t> free_flows_;
  std::vector<std::uint32_t> changed_;
  Earliest next_ends_;  ///< of each line
  double now_ = 0;
  std::int64_t num_updates_ = 0;
};

}  // namespace espalier::cost
