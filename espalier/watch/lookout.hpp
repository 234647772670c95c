// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "espalier/watch/board.hpp"
#include "espalier/watch/line.hpp"
#include "espalier/watch/pace.hpp"

namespace espalier::watch {

/// Looks for waits that last too long, whenever it is told to. Used by one thread.
class Lookout {
public:
  /// @param board must outlive the object. @param limit nanoseconds, more than 0.
  Lookout(Board const& board, int world_rank, Time limit)
      : board_(board), world_rank_(world_rank), limit_(limit) {}

  struct Look {
    std::vector<std::string> lines;
    Time next = 0;  ///< nothing can be due before
  };

  [[nodiscard]] Look look(Time now);

private:
  [[nodiscard]] std::optional<Peer> find_peer(Activity const& activity) const;
  /// A rank of this node that is missing in a call, if the watch knows who takes part.
  [[nodiscard]] std::optional<Peer> find_missing(Activity const& activity) const;

  Board const& board_;
  int world_rank_;
  Time limit_;
  std::array<Pace, Record::num_entries> paces_{};
};

}  // namespace espalier::watch
