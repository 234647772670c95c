// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/choice.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/neighborhood/catalog.hpp"
#include "espalier/neighborhood/load.hpp"

namespace espalier::neighborhood {
namespace {

using machine::Link;

double occupied(Link const& link) {
  double const own = std::max(link.overhead_send, link.overhead_receive) + link.gap;
  return own > 0 ? own : link.alpha();
}

/// What is left of alpha when a message has left its rank.
double latency(Link const& link) {
  return std::max(0.0, link.alpha() - occupied(link));
}

Line line_of(Facts const& facts, Link const& link) {
  return {
      .fixed = facts.rounds * latency(link) + static_cast<double>(facts.messages) * occupied(link),
      .per_byte = static_cast<double>(facts.volume.value_or(facts.blocks)) * link.beta(),
  };
}

Line line_of(RoundLoad const& round, Links const& links) {
  auto const occupied_for = [](Load const& load, Link const& link) {
    return static_cast<double>(load.messages) * occupied(link);
  };
  double const latency_across = round.across.messages > 0 ? latency(links.across) : 0;
  double const latency_inside = round.inside.messages > 0 ? latency(links.inside) : 0;
  double const blocks_across = std::max(
      static_cast<double>(round.across.blocks),
      static_cast<double>(round.node_blocks) / links.across.channels
  );
  return {
      .fixed = std::max(latency_across, latency_inside) + occupied_for(round.across, links.across) +
               occupied_for(round.inside, links.inside),
      .per_byte = blocks_across * links.across.beta() +
                  static_cast<double>(round.inside.blocks) * links.inside.beta(),
  };
}

bool can_serve(Algorithm const& algorithm, Request const& request) {
  bool const lacks_sizes = algorithm.forwards && request.sizes == BlockSizes::by_edge;
  return !lacks_sizes && refuses(algorithm, request).empty();
}

void check_not_negative(char const* what, double value) {
  if (!(value >= 0)) {
    throw Error(ErrorCode::argument, formatted("expected {} of at least 0, got {}", what, value));
  }
}

}  // namespace

Line line(Algorithm const& algorithm, Request const& request, Links const& links) {
  if (std::string const reason = refuses(algorithm, request); !reason.empty()) {
    throw Error(ErrorCode::unsupported, full_name(algorithm) + ": " + reason);
  }
  bool const is_same_everywhere =
      request.neighborhood.isomorphic() != nullptr && request.node_of_rank.empty();
  if (is_same_everywhere && algorithm.facts_inside != nullptr) {
    return line_of(algorithm.facts_inside(request), links.across);
  }
  Line sum;
  for (RoundLoad const& round : loads(algorithm, request)) {
    Line const one = line_of(round, links);
    sum.fixed += one.fixed;
    sum.per_byte += one.per_byte;
  }
  return sum;
}

Interval faster_bytes(Line const& one, Line const& than) noexcept {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double const ahead = than.fixed - one.fixed;  // seconds at 0 bytes
  double const loss = one.per_byte - than.per_byte;
  if (loss > 0) {
    return {.from = 0, .to = std::max(0.0, ahead / loss)};
  }
  if (loss < 0) {
    return {.from = std::max(0.0, ahead / loss), .to = infinity};
  }
  return {.from = 0, .to = ahead > 0 ? infinity : 0};
}

Algorithm const&
choose(Request const& request, Links const& links, double block_bytes, double margin) {
  check_not_negative("a block size", block_bytes);
  check_not_negative("a margin", margin);
  std::vector<Algorithm const*> others;
  for (Algorithm const* algorithm : catalog()) {
    if (algorithm->name != "direct" && can_serve(*algorithm, request)) {
      others.push_back(algorithm);
    }
  }
  Algorithm const* best = &find(request.collective, "direct");
  if (others.empty()) {
    return *best;
  }
  double least = (1 - margin) * line(*best, request, links).seconds(block_bytes);
  for (Algorithm const* const other : others) {
    double const seconds = line(*other, request, links).seconds(block_bytes);
    if (seconds < least) {
      best = other;
      least = seconds;
    }
  }
  return *best;
}

}  // namespace espalier::neighborhood
