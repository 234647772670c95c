// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace espalier::cost {

/// Streams of bytes that pass lines at the same time: each has the least of its shares of its
/// lines, and all that pass a line have equal shares of it. What a stream cannot use of its share
/// is lost to the others, which keeps changes local; where all are alike that is max-min fairness.
class Flows {
public:
  using Id = std::int32_t;

  /// @param bandwidths bytes per second of each line.
  explicit Flows(std::vector<double> bandwidths);

  /// @param id any number that no other flow under way has; at least 0.
  void begin(Id id, std::span<std::size_t const> lines, double bytes, double now);

  /// When the first of them ends; infinity if there is none.
  [[nodiscard]] double next_end();
  /// Takes away that flow; needs that there is one.
  Id end_next();

  /// How often the rate of a flow was looked at: what all this costs.
  [[nodiscard]] std::int64_t num_updates() const noexcept { return num_updates_; }

private:
  /// A place in the list of a line.
  struct Stop {
    std::uint32_t line = 0;
    std::uint32_t place = 0;
  };

  struct Flow {
    std::vector<Stop> stops;
    double bytes_left = 0;
    double rate = 0;
    double since = 0;  ///< when bytes_left was right
    std::uint32_t version = 0;
    std::uint32_t narrowest = 0;  ///< the line that the rate comes from
  };

  struct Line {
    double bandwidth = 0;
    double share = 0;                                 ///< of each user, after update()
    std::vector<std::pair<Id, std::uint32_t>> users;  ///< with the number of the stop
    bool is_changed = false;
  };

  struct End {
    double time = 0;
    Id id = 0;
    std::uint32_t version = 0;

    friend bool operator>(End const& a, End const& b) noexcept {
      return std::pair(a.time, a.id) > std::pair(b.time, b.id);
    }
  };

  void change(std::uint32_t line);
  void leave(Stop const& stop);
  void update();
  void update(Id id, std::uint32_t changed);
  void set_rate(Id id, std::uint32_t narrowest);
  [[nodiscard]] std::uint32_t narrowest_of(Flow const& flow) const;
  void forget_old_ends();

  [[nodiscard]] Flow& flow(Id id) { return flows_[static_cast<std::size_t>(id)]; }

  std::vector<Line> lines_;
  std::vector<Flow> flows_;  ///< by id
  std::vector<std::uint32_t> changed_;
  std::vector<End> ends_;  ///< heap; those of an older version of their flow do not count
  std::size_t num_under_way_ = 0;
  double now_ = 0;
  std::int64_t num_updates_ = 0;
};

}  // namespace espalier::cost
