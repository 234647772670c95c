// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "espalier/neighborhood/node_aware.hpp"
#include "espalier/neighborhood/node_traffic.hpp"

namespace espalier::neighborhood {
namespace {

/// What one rank does: collecting, exchange between nodes, handing out.
struct RankDeeds {
  std::array<std::int64_t, 3> sent{};
  std::array<std::int64_t, 3> received{};
  std::int64_t messages = 0;
  std::set<Source> kept;
};

/// Counts who sends what, node by node.
class NodeAwareCount {
public:
  explicit NodeAwareCount(Request const& request)
      : traffic_(request), num_ranks_(request.neighborhood.num_ranks()) {}

  Facts run() {
    deeds_.resize(static_cast<std::size_t>(num_ranks_));
    for (int node = 0; node < traffic_.nodes().num_nodes(); ++node) {
      inside(traffic_.entering(node)[node]);
      out_of(node);
      into(node);
    }
    return facts();
  }

private:
  RankDeeds& of(int rank) { return deeds_[static_cast<std::size_t>(rank)]; }

  void move(std::size_t step, int from, int to, std::int64_t num_blocks) {
    of(from).sent[step] += num_blocks;
    of(to).received[step] += num_blocks;
  }

  /// Messages of a step, with the blocks that each carries.
  using Messages = std::map<std::pair<int, int>, std::set<std::pair<int, Source>>>;

  void send(std::size_t step, Messages const& messages) {
    for (auto const& [ends, blocks] : messages) {
      move(step, ends.first, ends.second, std::ssize(blocks));
      ++of(ends.first).messages;
    }
  }

  void inside(Parcels const& parcels) {
    Messages messages;
    for (auto const& [source, targets] : parcels) {
      for (Target const& target : targets) {
        if (target.rank != source.sender) {
          messages[{source.sender, target.rank}].emplace(0, source);
        }
      }
    }
    send(0, messages);
  }

  void out_of(int node) {
    auto const leaving = traffic_.leaving(node);
    Messages collected;
    for (auto const& [other, sender] : traffic_.senders(node)) {
      Parcels const& parcels = leaving.at(other);
      bool is_own = true;
      for (auto const& [source, targets] : parcels) {
        if (source.sender != sender) {
          is_own = false;
          collected[{source.sender, sender}].emplace(0, source);
        }
      }
      for (auto const& [source, targets] : parcels) {
        if (!is_own) {
          of(sender).kept.insert(source);
        }
      }
      of(sender).sent[1] += std::ssize(parcels);
      ++of(sender).messages;
    }
    send(0, collected);
  }

  void into(int node) {
    auto const entering = traffic_.entering(node);
    Messages handed_out;
    for (auto const& [other, receiver] : traffic_.receivers(node)) {
      Parcels const& parcels = entering.at(other);
      bool is_for_others = false;
      for (auto const& [source, targets] : parcels) {
        for (Target const& target : targets) {
          if (target.rank != receiver) {
            is_for_others = true;
            handed_out[{receiver, target.rank}].emplace(other, source);
          }
        }
      }
      for (auto const& [source, targets] : parcels) {
        if (is_for_others) {
          of(receiver).kept.insert(source);
        }
      }
      of(receiver).received[1] += std::ssize(parcels);
    }
    send(2, handed_out);
  }

  [[nodiscard]] Facts facts() const {
    Facts result;
    std::array<std::int64_t, 3> most{};
    for (RankDeeds const& deeds : deeds_) {
      result.messages = std::max(result.messages, deeds.messages);
      result.blocks = std::max(result.blocks, deeds.sent[0] + deeds.sent[1] + deeds.sent[2]);
      result.scratch = std::max<std::int64_t>(result.scratch, std::ssize(deeds.kept));
      for (std::size_t step = 0; step < most.size(); ++step) {
        most[step] = std::max({most[step], deeds.sent[step], deeds.received[step]});
      }
    }
    result.volume = most[0] + most[1] + most[2];
    int const between = round_between_nodes(traffic_.nodes().most_ranks());
    result.rounds = most[2] > 0 ? between + 2 : most[1] > 0 ? between + 1 : most[0] > 0 ? 1 : 0;
    return result;
  }

  NodeTraffic traffic_;
  int num_ranks_;
  std::vector<RankDeeds> deeds_;
};

}  // namespace

Facts node_aware_facts(Request const& request) {
  return NodeAwareCount(request).run();
}

}  // namespace espalier::neighborhood
