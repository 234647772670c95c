// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/machine/job/reach.hpp"
#include "espalier/machine/job/site.hpp"
#include "espalier/machine/tree/nesting.hpp"

namespace espalier::machine {

/// A place where one rank can be: a core, a hardware thread, or a share of one.
struct Seat {
  int site = 0;
  int processor = 0;  ///< place in the tree of its node, of a core the first one
  int rank = -1;      ///< -1: nobody is there
};

/// Every rank on a seat of its own.
struct Seating {
  std::vector<Seat> seats;
  bool has_threads = false;  ///< seats are hardware threads, of cores with several
  bool is_shared = false;    ///< several ranks have a share of the same core or thread
};

/// Ranks with the least choice sit down first, each on the core of its reach that has the fewest
/// ranks; on a hardware thread if every rank has just one of a core with several. Every core has a
/// seat, and one for each rank where ranks have to share it.
[[nodiscard]] Seating seat(std::vector<Site> const& sites, Reaches const& reaches);

/// The seats divided into nodes, levels inside nodes that every rank stays in, and seats, called
/// `core`, or `thread` where they are less.
[[nodiscard]] std::vector<Division>
divisions_of(Seating const& seating, std::vector<Site> const& sites, Reaches const& reaches);

}  // namespace espalier::machine
