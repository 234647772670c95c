// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/direct.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "espalier/neighborhood/frame.hpp"
#include "espalier/neighborhood/stages.hpp"

namespace espalier::neighborhood {
namespace {

/// Edges in, so that those from the same peer are in its order.
std::vector<int> in_the_order_of_senders(std::vector<End> const& in) {
  std::vector<int> order(in.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int j) { return in[static_cast<std::size_t>(j)].index; });
  return order;
}

std::int64_t num_messages(std::vector<End> const& ends, int rank) {
  return std::ranges::count_if(ends, [rank](End const& end) {
    return !end.is_absent() && end.peer != rank;
  });
}

Facts one_round(std::int64_t most_sent, std::int64_t most_at_all) {
  return {
      .rounds = most_at_all > 0 ? 1 : 0,
      .messages = most_sent,
      .blocks = most_sent,
      .volume = most_at_all,
  };
}

/// Whether a rank of the grid would send the block to itself.
bool stays(Isomorphic const& all, int k) {
  for (int dimension = 0; dimension < all.grid.num_dimensions(); ++dimension) {
    if (all.hop(k, dimension) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

schedule::RankProgram exchange_directly(Request const& request, int rank) {
  Stages stages(frame(request, rank), rank);
  std::vector<End> const in = request.neighborhood.in_edges(rank);
  for (int const j : in_the_order_of_senders(in)) {
    End const& from = in[static_cast<std::size_t>(j)];
    if (from.peer == rank) {
      stages.copy_first({schedule::blocks(j)}, {input_slot(request, from.index)});
    } else if (!from.is_absent()) {
      stages.recv(0, from.peer, {schedule::blocks(j)});
    }
  }
  int k = 0;
  for (End const& to : request.neighborhood.out_edges(rank)) {
    if (!to.is_absent() && to.peer != rank) {
      stages.send(0, to.peer, {input_slot(request, k)});
    }
    ++k;
  }
  return std::move(stages).finish();
}

Facts direct_facts(Request const& request) {
  std::int64_t most_sent = 0;
  std::int64_t most_received = 0;
  for (int rank = 0; rank < request.neighborhood.num_ranks(); ++rank) {
    most_sent = std::max(most_sent, num_messages(request.neighborhood.out_edges(rank), rank));
    most_received =
        std::max(most_received, num_messages(request.neighborhood.in_edges(rank), rank));
  }
  return one_round(most_sent, std::max(most_sent, most_received));
}

Facts direct_facts_inside(Request const& request) {
  Isomorphic const& all = *request.neighborhood.isomorphic();
  std::int64_t num_sent = 0;
  for (int k = 0; k < all.num_edges(); ++k) {
    num_sent += all.is_possible(k) && !stays(all, k) ? 1 : 0;
  }
  return one_round(num_sent, num_sent);
}

}  // namespace espalier::neighborhood
