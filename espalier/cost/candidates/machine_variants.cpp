// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/candidates/machine_variants.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "espalier/cost/candidates/rank_groups.hpp"

namespace espalier::cost {
namespace {

using algorithms::Algorithm;
using algorithms::Choice;
using algorithms::Parameter;
using schedule::Collective;

/// What a phase of a collective with groups may be done by.
constexpr std::array bcast_phases{
    std::string_view("binomial"),
    std::string_view("flat"),
    std::string_view("k_nomial[k=4]"),
    std::string_view("postal[latency=8]"),
    std::string_view("chain"),
    std::string_view("scatter_allgather"),
};
constexpr std::array tree_phases{
    std::string_view("binomial"),
    std::string_view("flat"),
    std::string_view("k_nomial[k=4]"),
    std::string_view("postal[latency=8]"),
};
constexpr std::array allgather_phases{
    std::string_view("ring"),
    std::string_view("bruck"),
    std::string_view("bruck[k=4]"),
};
constexpr std::array alltoall_phases{
    std::string_view("pairwise"),
    std::string_view("linear"),
    std::string_view("bruck"),
};
constexpr std::array barrier_phases{
    std::string_view("dissemination[k=2]"),
    std::string_view("dissemination[k=4]"),
    std::string_view("dissemination[k=8]"),
};
constexpr std::array reduce_phases{
    std::string_view("binomial"),
    std::string_view("k_nomial[k=4]"),
    std::string_view("postal[latency=8]"),
    std::string_view("flat"),
    std::string_view("multi_lane[rows=1,split=recursive_dividing,join=k_nomial[k=4]]"),
};
constexpr std::array allreduce_phases{
    std::string_view("recursive_doubling"),
    std::string_view("recursive_multiplying[k=4]"),
    std::string_view("recursive_multiplying[k=8]"),
    std::string_view("rabenseifner"),
    std::string_view("ring"),
};
constexpr std::array reduce_scatter_phases{
    std::string_view("recursive_dividing"),
    std::string_view("recursive_dividing[k=8]"),
    std::string_view("circulant"),
    std::string_view("ring"),
};
constexpr std::array scan_phases{
    std::string_view("recursive_doubling"),
    std::string_view("linear"),
};

std::span<std::string_view const> phases_of(Collective collective) {
  switch (collective) {
  case Collective::bcast:
    return bcast_phases;
  case Collective::gather:
  case Collective::scatter:
    return tree_phases;
  case Collective::allgather:
    return allgather_phases;
  case Collective::alltoall:
    return alltoall_phases;
  case Collective::barrier:
    return barrier_phases;
  case Collective::reduce:
    return reduce_phases;
  case Collective::allreduce:
    return allreduce_phases;
  case Collective::reduce_scatter:
    return reduce_scatter_phases;
  case Collective::scan:
  case Collective::exscan:
    return scan_phases;
  }
  return {};
}

/// What is tried for a parameter. The trees of a hierarchical allreduce are seldom best, and would
/// be most of its candidates: two of each are enough.
std::span<std::string_view const>
values_of(Algorithm const& algorithm, Parameter const& key, Collective collective) {
  std::span<std::string_view const> const phases = phases_of(collective);
  bool const is_tree = key.name == "up" || key.name == "down";
  return is_tree && algorithm.collective == Collective::allreduce ? phases.first(2) : phases;
}

Collective collective_of(Algorithm const& algorithm, Parameter const& phase) {
  return phase.collective.empty() ? algorithm.collective
                                  : schedule::parse_collective(phase.collective);
}

/// Each text with each value of a parameter behind it.
std::vector<std::string>
crossed(std::vector<std::string> const& texts, Algorithm const& algorithm, Parameter const& key) {
  std::vector<std::string> result;
  for (std::string const& text : texts) {
    for (std::string_view const phase : values_of(algorithm, key, collective_of(algorithm, key))) {
      result.push_back(text + "," + std::string(key.name) + "=" + std::string(phase));
    }
  }
  return result;
}

bool takes(Algorithm const& algorithm, std::string_view key) {
  return std::ranges::find(algorithm.parameters, key, &Parameter::name) !=
         algorithm.parameters.end();
}

/// Every combination of algorithms for the phases of one that has groups.
std::vector<std::string> of_groups(Algorithm const& algorithm, std::string const& groups) {
  std::vector<std::string> texts{groups};
  for (Parameter const& parameter : algorithm.parameters) {
    if (parameter.type == Parameter::Type::algorithm) {
      texts = crossed(texts, algorithm, parameter);
    }
  }
  return texts;
}

/// The first of what is tried for every phase, then the second, ..., those of short lists again.
std::vector<std::string> abreast(Algorithm const& algorithm, std::string const& groups) {
  std::vector<std::string> result;
  for (std::size_t turn = 0, num_turns = 1; turn < num_turns; ++turn) {
    std::string text = groups;
    for (Parameter const& parameter : algorithm.parameters) {
      if (parameter.type != Parameter::Type::algorithm) {
        continue;
      }
      auto const phases = phases_of(collective_of(algorithm, parameter));
      num_turns = std::max(num_turns, phases.size());
      text += "," + std::string(parameter.name) + "=" + std::string(phases[turn % phases.size()]);
    }
    result.push_back(std::move(text));
  }
  return result;
}

std::string with_argument(std::string const& choice, std::string const& argument) {
  bool const has_arguments = choice.back() == ']';
  std::string const front =
      has_arguments ? choice.substr(0, choice.size() - 1) + "," : choice + "[";
  return front + argument + "]";
}

/// Choices once each, of those that accept this many ranks.
class List {
public:
  explicit List(int num_ranks) : num_ranks_(num_ranks) {}

  void add(Choice const& choice) {
    if (std::ranges::find(choices_, choice) == choices_.end() &&
        choice.refuses(num_ranks_, 0).empty()) {
      choices_.push_back(choice);
    }
  }

  [[nodiscard]] int num_ranks() const noexcept { return num_ranks_; }

  [[nodiscard]] std::vector<Choice> const& choices() const noexcept { return choices_; }

private:
  int num_ranks_;
  std::vector<Choice> choices_;
};

constexpr std::array piece_numbers{8, 32, 64, 128};

/// Those in many pieces: how many are best depends on the size of the message. A segment is sent
/// when the one before has gone, since segments that share a line would all be late; ranks that
/// send each segment to many are left out.
void add_pipelines(List& list) {
  constexpr int most_messages = 4;
  std::vector<Choice> const whole = list.choices();
  for (Choice const& choice : whole) {
    int const period = choice.num_segments() == 1 ? choice.segment_period(list.num_ranks()) : 0;
    bool const takes_pieces = takes(choice.algorithm(), "pieces");
    for (int const number : piece_numbers) {
      if (period > 0 && period <= most_messages) {
        std::string const segments = "segments=" + std::to_string(number) + ",burst=1";
        list.add(Choice::parse(with_argument(choice.text(), segments)));
      }
      if (takes_pieces) {
        std::string const name(choice.algorithm().name);
        list.add(
            Choice::parse(choice.collective(), name + "[pieces=" + std::to_string(number) + "]")
        );
      }
    }
  }
}

using Phases = std::vector<std::string> (*)(Algorithm const&, std::string const&);

/// Combinations for the phases of all algorithms that take groups.
void add_groups(
    List& list, Collective collective, std::vector<std::string> const& all_groups, Phases phases
) {
  for (Algorithm const* algorithm : algorithms::catalog()) {
    if (algorithm->collective != collective || !takes(*algorithm, "rows")) {
      continue;
    }
    for (std::string const& groups : all_groups) {
      for (std::string const& arguments : phases(*algorithm, groups)) {
        std::string const name(algorithm->name);
        list.add(Choice::parse(collective, name + "[" + arguments + "]"));
      }
    }
  }
}

/// Choices of another list with an order of ranks, but for collectives that are about their order.
void add_in_order(List& list, Collective collective, List const& others, std::string const& order) {
  if (collective == Collective::scan || collective == Collective::exscan) {
    return;
  }
  for (Choice const& choice : others.choices()) {
    list.add(Choice::parse(with_argument(choice.text(), order)));
  }
}

}  // namespace

std::vector<Choice> machine_variants(Collective collective, Setting const& setting) {
  RankGroups const found = rank_groups(setting);
  List plain(setting.num_ranks());
  for (Choice const& choice : algorithms::variants(collective, setting.num_ranks())) {
    plain.add(choice);
  }
  List shaped = plain;
  add_groups(shaped, collective, found.groups, of_groups);
  add_pipelines(shaped);
  if (found.order.empty()) {
    return shaped.choices();
  }
  add_in_order(plain, collective, shaped, found.order);
  return plain.choices();
}

std::vector<Choice> node_variants(Collective collective, std::vector<int> const& node_of_rank) {
  RankGroups const found = node_groups(node_of_rank);
  auto const num_ranks = static_cast<int>(node_of_rank.size());
  List all(num_ranks);
  List shaped(num_ranks);
  std::set<Algorithm const*> met;
  for (Choice const& choice : algorithms::variants(collective, num_ranks)) {
    all.add(choice);
    if (met.insert(&choice.algorithm()).second) {
      shaped.add(choice);
    }
  }
  add_groups(shaped, collective, found.groups, abreast);
  if (found.order.empty()) {
    for (Choice const& choice : shaped.choices()) {
      all.add(choice);
    }
  } else {
    add_in_order(all, collective, shaped, found.order);
  }
  return all.choices();
}

}  // namespace espalier::cost
