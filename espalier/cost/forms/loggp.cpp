// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/forms/loggp.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "espalier/base/integer.hpp"

namespace espalier::cost {
namespace {

double num_levels(int num_nodes, int k, Levels levels) {
  return levels == Levels::real ? std::log(num_nodes) / std::log(k) : ceil_log(k, num_nodes);
}

/// What one thread of each node sends to one of another: bytes between a pair of nodes.
double pair_bytes(NodeCall const& call) {
  return call.bytes * call.threads * call.threads;
}

}  // namespace

double k_ary_broadcast(LogGP const& machine, NodeCall const& call, int k, Levels levels) {
  double const message = machine.gap + machine.per_byte * call.bytes;
  return num_levels(call.num_nodes, k, levels) * (machine.latency + machine.overhead + k * message);
}

double k_ary_scatter(LogGP const& machine, NodeCall const& call, int k, Levels levels) {
  double const level = machine.latency + machine.overhead + k * machine.gap;
  double const bytes = call.bytes * call.threads * (call.num_nodes - 1) * k / (k - 1);
  return num_levels(call.num_nodes, k, levels) * level + machine.per_byte * bytes;
}

int blocks_with_digit(int num_blocks, int k, int place, int z) {
  std::int64_t const period = std::int64_t{place} * k;
  std::int64_t const whole = num_blocks / period * place;
  std::int64_t const rest = num_blocks % period - std::int64_t{z} * place;
  return static_cast<int>(whole + std::clamp<std::int64_t>(rest, 0, place));
}

double exchange(LogGP const& machine, NodeCall const& call, int k, Counts counts) {
  int const n = call.num_nodes;
  double const per_block = machine.per_byte * pair_bytes(call);
  double time = 0;
  for (std::int64_t place = 1; place < n; place *= k) {
    auto const digit_place = static_cast<int>(place);
    int const num_peers = std::min(k, ceil_div(n, digit_place)) - 1;
    time += machine.latency;
    for (int z = 1; z <= num_peers; ++z) {
      double const num_blocks = counts == Counts::exact ? blocks_with_digit(n, k, digit_place, z)
                                                        : static_cast<double>(n) / k;
      time += machine.overhead + machine.gap + per_block * num_blocks;
    }
  }
  return time;
}

double gather_to_all_dissemination(LogGP const& machine, NodeCall const& call) {
  double const per_node = machine.per_byte * call.bytes * call.threads;
  double time = 0;
  for (int have = 1; have < call.num_nodes; have *= 2) {
    int const sent = std::min(have, call.num_nodes - have);
    time += machine.latency + machine.overhead + machine.gap + per_node * sent;
  }
  return time;
}

double gather_to_all_flat(LogGP const& machine, NodeCall const& call) {
  double const message =
      machine.overhead + machine.gap + machine.per_byte * call.bytes * call.threads;
  return machine.latency + (call.num_nodes - 1) * message;
}

double tree_time(
    LogGP const& machine,
    std::function<pattern::TreeNode(int)> const& node,
    std::function<double(int child)> const& bytes_to
) {
  struct Reached {
    int node;
    double time;
  };

  std::vector<Reached> reached{{.node = 0, .time = 0}};
  double last = 0;
  while (!reached.empty()) {
    Reached const parent = reached.back();
    reached.pop_back();
    last = std::max(last, parent.time);
    double sent = parent.time;
    for (pattern::TreeEdge const& edge : node(parent.node).children) {
      sent += machine.gap + machine.per_byte * bytes_to(edge.child);
      reached.push_back({.node = edge.child, .time = sent + machine.latency + machine.overhead});
    }
  }
  return last;
}

}  // namespace espalier::cost
