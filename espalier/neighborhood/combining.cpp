// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/combining.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "espalier/neighborhood/frame.hpp"
#include "espalier/neighborhood/share.hpp"
#include "espalier/neighborhood/stages.hpp"

namespace espalier::neighborhood {
namespace {

using schedule::Buffer;
using schedule::Slot;

class Combining {
public:
  Combining(Request const& request, int rank)
      : request_(request), all_(*request.neighborhood.isomorphic()), rank_(rank),
        forest_(forest_of(request)), passing_(all_, forest_, rank), share_(all_, forest_, rank),
        stages_(frame(request, rank), rank), place_of_stop_(forest_.stops().size()) {}

  schedule::RankProgram run() && {
    for (Hop const& hop : share_.hops()) {
      receive(hop);
    }
    for (Hop const& hop : share_.hops()) {
      send(hop);
    }
    copy_own();
    return std::move(stages_).finish();
  }

private:
  [[nodiscard]] Stop const& stop(int index) const {
    return forest_.stops()[static_cast<std::size_t>(index)];
  }

  Slot& place(int index) { return place_of_stop_[static_cast<std::size_t>(index)]; }

  [[nodiscard]] Slot output_of(int block) const { return {.first = all_.in_number(rank_, block)}; }

  /// The edge out of its sender that a block is; all are one in neighbor_allgather.
  [[nodiscard]] int edge_of(int sender, int block) const {
    return forest_.is_shared() ? 0 : all_.out_number(sender, block);
  }

  [[nodiscard]] int label_of(int sender, int block) const {
    return label(request_, sender, edge_of(sender, block));
  }

  [[nodiscard]] Slot input_of(int block) const {
    return input_slot(request_, edge_of(rank_, block));
  }

  [[nodiscard]] int peer(Hop const& hop, int sign) const {
    std::vector<int> way(static_cast<std::size_t>(all_.grid.num_dimensions()), 0);
    int const dimension = forest_.dimensions()[static_cast<std::size_t>(hop.stage)];
    way[static_cast<std::size_t>(dimension)] = sign * hop.distance;
    return all_.grid.shifted(rank_, way);
  }

  void receive(Hop const& hop) {
    if (hop.arriving.empty()) {
      return;
    }
    bool const keeps = share_.keeps(hop);
    std::vector<Slot> slots;
    for (int const index : hop.arriving) {
      int const block = stop(index).blocks.front();
      place(index) = keeps ? stages_.scratch(label_of(passing_.origin(stop(index)), block))
                           : output_of(stop(index).targets.front());
      slots.push_back(place(index));
    }
    stages_.recv(hop.stage, peer(hop, -1), std::move(slots));
    hand_out(hop);
  }

  /// From where blocks arrived to the outputs in which they are not yet.
  void hand_out(Hop const& hop) {
    std::map<Buffer, std::pair<std::vector<Slot>, std::vector<Slot>>> copies;
    for (int const index : hop.arriving) {
      for (int const block : stop(index).targets) {
        if (output_of(block) != place(index)) {
          auto& [outputs, sources] = copies[place(index).buffer];
          outputs.push_back(output_of(block));
          sources.push_back(place(index));
        }
      }
    }
    for (auto& [buffer, slots] : copies) {
      stages_.copy_after(hop.stage, std::move(slots.first), std::move(slots.second));
    }
  }

  void send(Hop const& hop) {
    if (hop.departing.empty()) {
      return;
    }
    bool const passes_on = share_.passes_on(hop);
    std::vector<Slot> slots;
    for (int const index : hop.departing) {
      Stop const& next = stop(index);
      slots.push_back(
          next.parent >= 0 ? place(next.parent)
          : passes_on      ? packed(next.blocks.front())
                           : input_of(next.blocks.front())
      );
    }
    stages_.send(hop.stage, peer(hop, 1), std::move(slots));
  }

  /// The scratch block that an own block is copied to.
  Slot packed(int block) {
    auto const [found, is_new] = packed_.try_emplace(input_of(block).first);
    if (is_new) {
      found->second = stages_.scratch(label_of(rank_, block));
    }
    return found->second;
  }

  void copy_own() {
    std::vector<Slot> kept;
    std::vector<Slot> inputs;
    for (auto const& [block, slot] : packed_) {
      kept.push_back(slot);
      inputs.push_back({.buffer = Buffer::input, .first = block});
    }
    stages_.copy_first(std::move(kept), std::move(inputs));
    std::vector<Slot> outputs;
    std::vector<Slot> sources;
    for (int const block : forest_.staying()) {
      outputs.push_back(output_of(block));
      sources.push_back(input_of(block));
    }
    stages_.copy_first(std::move(outputs), std::move(sources));
  }

  Request const& request_;
  Isomorphic const& all_;
  int rank_;
  Forest forest_;
  Passing passing_;
  Share share_;
  Stages stages_;
  std::vector<Slot> place_of_stop_;
  std::map<int, Slot> packed_;  ///< by input block
};

/// Facts of several ranks, volumes still by round.
class Counting {
public:
  explicit Counting(int num_stages) : blocks_(static_cast<std::size_t>(num_stages)) {
    facts_.rounds = num_stages;
  }

  void include(Share const& share) {
    std::int64_t messages = 0;
    std::int64_t total = 0;
    std::vector<std::int64_t> sent(blocks_.size());
    std::vector<std::int64_t> received(blocks_.size());
    for (Hop const& hop : share.hops()) {
      messages += hop.departing.empty() ? 0 : 1;
      total += std::ssize(hop.departing);
      sent[static_cast<std::size_t>(hop.stage)] += std::ssize(hop.departing);
      received[static_cast<std::size_t>(hop.stage)] += std::ssize(hop.arriving);
    }
    facts_.messages = std::max(facts_.messages, messages);
    facts_.blocks = std::max(facts_.blocks, total);
    facts_.scratch = std::max<std::int64_t>(facts_.scratch, share.num_scratch_blocks());
    for (std::size_t stage = 0; stage < blocks_.size(); ++stage) {
      blocks_[stage] = std::max({blocks_[stage], sent[stage], received[stage]});
    }
  }

  [[nodiscard]] Facts facts() const {
    Facts result = facts_;
    result.volume = 0;
    for (std::int64_t const blocks : blocks_) {
      *result.volume += blocks;
    }
    return result;
  }

private:
  Facts facts_;
  std::vector<std::int64_t> blocks_;
};

bool is_torus(mapping::CartesianGrid const& grid) {
  for (int dimension = 0; dimension < grid.num_dimensions(); ++dimension) {
    if (!grid.is_periodic(dimension)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string refuses_combining(Request const& request) {
  return request.neighborhood.isomorphic() != nullptr
             ? std::string()
             : "expected neighbours at the same offsets in a grid on all ranks, got a graph";
}

Forest forest_of(Request const& request) {
  Isomorphic const& all = *request.neighborhood.isomorphic();
  return request.collective == Collective::neighbor_alltoall ? Forest::of_alltoall(all)
                                                             : Forest::of_allgather(all);
}

schedule::RankProgram combine(Request const& request, int rank) {
  return Combining(request, rank).run();
}

Facts combining_facts(Request const& request) {
  Isomorphic const& all = *request.neighborhood.isomorphic();
  Forest const forest = forest_of(request);
  Counting counting(forest.num_stages());
  int const num_ranks = is_torus(all.grid) ? 1 : all.grid.num_positions();
  for (int rank = 0; rank < num_ranks; ++rank) {
    counting.include(Share(all, forest, rank));
  }
  return counting.facts();
}

Facts combining_facts_inside(Request const& request) {
  Forest const forest = forest_of(request);
  Counting counting(forest.num_stages());
  counting.include(Share(*request.neighborhood.isomorphic(), forest, std::nullopt));
  return counting.facts();
}

}  // namespace espalier::neighborhood
