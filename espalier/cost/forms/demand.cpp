// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/forms/demand.hpp"

namespace espalier::cost {
namespace {

using schedule::Collective;

/// Of a vector that every rank contributes to, and gets the sums of lower ranks of.
Demand prefix_demand(RankSet const& group, RankSet const& whole, double num_bytes) noexcept {
  // Outside a group that is not everything lies either the first rank, or one after the first.
  bool const has_first = group.first == whole.first;
  bool const has_last = group.last == whole.last;
  bool const is_run = group.last - group.first + 1 == group.num_ranks;
  bool const is_below = has_first && is_run;
  bool const is_above = has_last && is_run;
  return {.enter = is_below ? 0 : num_bytes, .leave = is_above ? 0 : num_bytes};
}

}  // namespace

Demand demand(
    Collective collective, RankSet const& group, RankSet const& whole, double num_bytes
) noexcept {
  double const inside = group.num_ranks;
  double const outside = whole.num_ranks - group.num_ranks;
  double const part = num_bytes / whole.num_ranks;
  if (outside == 0) {
    return {};
  }
  Demand const to_root = {.enter = outside * part, .leave = 0};
  Demand const from_root = {.enter = 0, .leave = outside * part};
  switch (collective) {
  case Collective::barrier:
    return {};
  case Collective::bcast:
    return group.has_root ? Demand{.leave = num_bytes} : Demand{.enter = num_bytes};
  case Collective::reduce:
    return group.has_root ? Demand{.enter = num_bytes} : Demand{.leave = num_bytes};
  case Collective::scatter:
    return group.has_root ? from_root : Demand{.enter = inside * part};
  case Collective::gather:
    return group.has_root ? to_root : Demand{.leave = inside * part};
  case Collective::allreduce:
    return {.enter = num_bytes, .leave = num_bytes};
  case Collective::reduce_scatter:
    return {.enter = inside * part, .leave = outside * part};
  case Collective::scan:
  case Collective::exscan:
    return prefix_demand(group, whole, num_bytes);
  case Collective::allgather:
    return {.enter = outside * part, .leave = inside * part};
  case Collective::alltoall:
    return {.enter = inside * outside * part, .leave = inside * outside * part};
  }
  return {};
}

double joint_demand(Collective collective, int num_groups, double num_bytes) noexcept {
  return collective == Collective::allreduce ? 2.0 * (num_groups - 1) * num_bytes : 0;
}

bool spreads(Collective collective) noexcept {
  return collective != Collective::gather && collective != Collective::reduce;
}

bool collects(Collective collective) noexcept {
  return collective != Collective::scatter && collective != Collective::bcast;
}

}  // namespace espalier::cost
