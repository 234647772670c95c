// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/node_aware.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "espalier/neighborhood/frame.hpp"
#include "espalier/neighborhood/node_traffic.hpp"
#include "espalier/neighborhood/stages.hpp"

namespace espalier::neighborhood {
namespace {

using schedule::Slot;

using Slots = std::vector<Slot>;

/// Pairs of blocks to copy.
struct Copies {
  Slots destination;
  Slots source;

  void add(Slot to, Slot from) {
    destination.push_back(to);
    source.push_back(from);
  }
};

class NodeAware {
public:
  NodeAware(Request const& request, int rank)
      : request_(request), rank_(rank), traffic_(request), node_(traffic_.nodes().node_of(rank)),
        leaving_(traffic_.leaving(node_)), entering_(traffic_.entering(node_)),
        sender_to_(traffic_.senders(node_)), receiver_from_(traffic_.receivers(node_)),
        between_(round_between_nodes(traffic_.nodes().most_ranks())),
        stages_(frame(request, rank), rank) {}

  schedule::RankProgram run() && {
    exchange_inside();
    collect();
    forward();
    receive();
    hand_out();
    take();
    stages_.copy_first(std::move(packed_.destination), std::move(packed_.source));
    stages_.copy_first(std::move(own_.destination), std::move(own_.source));
    return std::move(stages_).finish();
  }

private:
  [[nodiscard]] Slot input(Source const& source) const { return input_slot(request_, source.k); }

  Slot kept(Source const& source) {
    auto const [found, is_new] = kept_.try_emplace(source);
    if (is_new) {
      found->second = stages_.scratch(label(request_, source.sender, source.k));
    }
    return found->second;
  }

  /// Output blocks of this rank among the targets; the others of a block are copies of the first.
  [[nodiscard]] Slots own_outputs(std::vector<Target> const& targets) const {
    Slots outputs;
    for (Target const& target : targets) {
      if (target.rank == rank_) {
        outputs.push_back(schedule::blocks(target.j));
      }
    }
    return outputs;
  }

  /// Receives blocks of one peer into this rank's outputs.
  void receive_outputs(int round, int peer, std::vector<Slots> const& outputs_of_blocks) {
    Slots slots;
    Copies copies;
    for (Slots const& outputs : outputs_of_blocks) {
      slots.push_back(outputs.front());
      for (std::size_t i = 1; i < outputs.size(); ++i) {
        copies.add(outputs[i], outputs.front());
      }
    }
    stages_.recv(round, peer, std::move(slots));
    stages_.copy_after(round, std::move(copies.destination), std::move(copies.source));
  }

  void exchange_inside() {
    std::map<int, std::vector<Slots>> received;
    std::map<int, Slots> sent;
    for (auto const& [source, targets] : entering_[node_]) {
      Slots const outputs = own_outputs(targets);
      if (source.sender == rank_) {
        for (Slot const& output : outputs) {
          own_.add(output, input(source));
        }
        std::set<int> peers;
        for (Target const& target : targets) {
          peers.insert(target.rank);
        }
        peers.erase(rank_);
        for (int const peer : peers) {
          sent[peer].push_back(input(source));
        }
      } else if (!outputs.empty()) {
        received[source.sender].push_back(outputs);
      }
    }
    for (auto const& [peer, outputs] : received) {
      receive_outputs(0, peer, outputs);
    }
    for (auto& [peer, slots] : sent) {
      stages_.send(0, peer, std::move(slots));
    }
  }

  /// What leaves the node comes to those who send it, each block once to each of them.
  void collect() {
    std::map<int, std::set<Source>> to;    // sources of this rank, by who sends them on
    std::map<int, std::set<Source>> from;  // what this rank sends on, by their senders
    for (auto const& [node, sender] : sender_to_) {
      for (auto const& [source, targets] : leaving_[node]) {
        if (source.sender == rank_ && sender != rank_) {
          to[sender].insert(source);
        } else if (source.sender != rank_ && sender == rank_) {
          from[source.sender].insert(source);
        }
      }
    }
    for (auto const& [peer, sources] : from) {
      Slots slots;
      for (Source const& source : sources) {
        slots.push_back(kept(source));
      }
      stages_.recv(0, peer, std::move(slots));
    }
    for (auto const& [peer, sources] : to) {
      Slots slots;
      for (Source const& source : sources) {
        slots.push_back(input(source));
      }
      stages_.send(0, peer, std::move(slots));
    }
  }

  void forward() {
    for (auto const& [node, sender] : sender_to_) {
      if (sender != rank_) {
        continue;
      }
      Parcels const& parcels = leaving_[node];
      bool const is_own = std::ranges::all_of(parcels, [&](auto const& parcel) {
        return parcel.first.sender == rank_;
      });
      Slots slots;
      for (auto const& [source, targets] : parcels) {
        slots.push_back(is_own ? input(source) : packed(source));
      }
      stages_.send(between_, traffic_.receivers(node).at(node_), std::move(slots));
    }
  }

  /// A block in scratch; this rank's own ones are copied there.
  Slot packed(Source const& source) {
    bool const is_new = !kept_.contains(source);
    Slot const slot = kept(source);
    if (is_new) {
      packed_.add(slot, input(source));
    }
    return slot;
  }

  void receive() {
    for (auto const& [node, receiver] : receiver_from_) {
      if (receiver != rank_) {
        continue;
      }
      int const peer = traffic_.senders(node).at(node_);
      if (is_all_for_this_rank(entering_[node])) {
        std::vector<Slots> outputs;
        for (auto const& [source, targets] : entering_[node]) {
          outputs.push_back(own_outputs(targets));
        }
        receive_outputs(between_, peer, outputs);
      } else {
        keep(peer, entering_[node]);
      }
    }
  }

  [[nodiscard]] bool is_all_for_this_rank(Parcels const& parcels) const {
    return std::ranges::all_of(parcels, [&](auto const& parcel) {
      return std::ranges::all_of(parcel.second, [&](Target const& target) {
        return target.rank == rank_;
      });
    });
  }

  void keep(int peer, Parcels const& parcels) {
    Slots slots;
    Copies copies;
    for (auto const& [source, targets] : parcels) {
      slots.push_back(kept(source));
      for (Slot const& output : own_outputs(targets)) {
        copies.add(output, slots.back());
      }
    }
    stages_.recv(between_, peer, std::move(slots));
    stages_.copy_after(between_, std::move(copies.destination), std::move(copies.source));
  }

  /// What this rank received from other nodes, to the others of its node.
  void hand_out() {
    std::map<int, Slots> sent;
    for (auto const& [node, receiver] : receiver_from_) {
      for (auto const& [source, targets] : entering_[node]) {
        std::set<int> peers;
        for (Target const& target : targets) {
          peers.insert(target.rank);
        }
        peers.erase(rank_);
        for (int const peer : peers) {
          if (receiver == rank_) {
            sent[peer].push_back(kept(source));
          }
        }
      }
    }
    for (auto& [peer, slots] : sent) {
      stages_.send(between_ + 1, peer, std::move(slots));
    }
  }

  /// What others of the node received for this rank.
  void take() {
    std::map<int, std::vector<Slots>> received;
    for (auto const& [node, receiver] : receiver_from_) {
      for (auto const& [source, targets] : entering_[node]) {
        Slots const outputs = own_outputs(targets);
        if (receiver != rank_ && !outputs.empty()) {
          received[receiver].push_back(outputs);
        }
      }
    }
    for (auto const& [peer, outputs] : received) {
      receive_outputs(between_ + 1, peer, outputs);
    }
  }

  Request const& request_;
  int rank_;
  NodeTraffic traffic_;
  int node_;
  std::map<int, Parcels> leaving_;
  std::map<int, Parcels> entering_;
  std::map<int, int> sender_to_;
  std::map<int, int> receiver_from_;
  int between_;
  Stages stages_;
  std::map<Source, Slot> kept_;
  Copies packed_;  ///< own blocks to scratch
  Copies own_;     ///< own blocks to own outputs
};

}  // namespace

int round_between_nodes(int most_ranks_of_a_node) noexcept {
  return most_ranks_of_a_node > 1 ? 1 : 0;
}

std::string refuses_node_aware(Request const& request) {
  if (request.node_of_rank.empty()) {
    return "expected the node of each rank, got none";
  }
  return request.neighborhood.knows_all() ? std::string()
                                          : "expected the edges of all ranks, got those of one";
}

schedule::RankProgram exchange_by_nodes(Request const& request, int rank) {
  return NodeAware(request, rank).run();
}

}  // namespace espalier::neighborhood
