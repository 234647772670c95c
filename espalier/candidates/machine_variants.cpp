// SPDX-License-Identifier: Apache-2.0

#include "espalier/candidates/machine_variants.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "espalier/algorithms/composed/native.hpp"
#include "espalier/algorithms/composed/tried_phases.hpp"
#include "espalier/candidates/rank_groups.hpp"

namespace espalier::candidates {
namespace {

using algorithms::Algorithm;
using algorithms::Choice;
using algorithms::Parameter;
using schedule::Collective;

bool takes(Algorithm const& algorithm, std::string_view key) {
  return std::ranges::find(algorithm.parameters, key, &Parameter::name) !=
         algorithm.parameters.end();
}

/// A phase of an algorithm that has groups, and what is tried for it.
struct Trial {
  Parameter const& phase;
  std::vector<std::string> values;

  [[nodiscard]] std::string argument(std::size_t number) const {
    return "," + std::string(phase.name) + "=" + values[number];
  }
};

/// Signals are as many as the messages of their phase: those for pieces would all say the same.
void leave_out_pieces(std::vector<std::string>& values, Collective phase, int num_ranks) {
  std::erase_if(values, [=](std::string const& value) {
    return Choice::parse(phase, value).num_pieces(num_ranks) > 1;
  });
}

/// Phases for which nothing is tried are left to their fallbacks.
std::vector<Trial> trials_of(Algorithm const& algorithm, int num_ranks) {
  std::vector<Trial> result;
  for (Parameter const& parameter : algorithm.parameters) {
    if (parameter.type != Parameter::Type::algorithm) {
      continue;
    }
    Collective const collective = parameter.collective.empty()
                                      ? algorithm.collective
                                      : schedule::parse_collective(parameter.collective);
    std::vector<std::string> values =
        algorithms::tried_phases(collective, algorithms::Tried::in_groups, num_ranks);
    if (algorithm.collective == Collective::barrier) {
      leave_out_pieces(values, collective, num_ranks);
    }
    if (!values.empty()) {
      result.push_back({.phase = parameter, .values = std::move(values)});
    }
  }
  return result;
}

/// Every combination of what is tried for the phases.
std::vector<std::string> combined(std::span<Trial const> trials, std::string const& groups) {
  std::vector<std::string> texts{groups};
  for (Trial const& trial : trials) {
    auto const most = static_cast<std::size_t>(trial.phase.most_combined);
    std::vector<std::string> longer;
    for (std::string const& text : texts) {
      for (std::size_t number = 0; number < std::min(most, trial.values.size()); ++number) {
        longer.push_back(text + trial.argument(number));
      }
    }
    texts = std::move(longer);
  }
  return texts;
}

/// The first of what is tried for every phase, then the second, ..., those of short lists again.
std::vector<std::string> abreast(std::span<Trial const> trials, std::string const& groups) {
  std::vector<std::string> result;
  for (std::size_t turn = 0, num_turns = 1; turn < num_turns; ++turn) {
    std::string text = groups;
    for (Trial const& trial : trials) {
      num_turns = std::max(num_turns, trial.values.size());
      text += trial.argument(turn % trial.values.size());
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

using Phases = std::vector<std::string> (*)(std::span<Trial const>, std::string const& groups);

/// Combinations for the phases of all algorithms that take groups.
void add_groups(
    List& list, Collective collective, std::vector<std::string> const& all_groups, Phases phases
) {
  for (Algorithm const* algorithm : algorithms::catalog()) {
    if (algorithm->collective != collective || !takes(*algorithm, "rows")) {
      continue;
    }
    std::vector<Trial> const trials = trials_of(*algorithm, list.num_ranks());
    for (std::string const& groups : all_groups) {
      for (std::string const& arguments : phases(trials, groups)) {
        std::string const name(algorithm->name);
        list.add(Choice::parse(collective, name + "[" + arguments + "]"));
      }
    }
  }
}

/// Each way to leave some phases of an algorithm to the MPI library; the others have the first of
/// what is tried for them.
std::vector<std::string> native_phases_of(Algorithm const& algorithm, int num_ranks) {
  std::vector<Trial> const trials = trials_of(algorithm, num_ranks);
  std::vector<std::string> result{""};
  for (Parameter const& parameter : algorithm.parameters) {
    if (parameter.type != Parameter::Type::algorithm) {
      continue;
    }
    std::string const key = "," + std::string(parameter.name) + "=";
    auto const is_meant = [&](Trial const& trial) { return &trial.phase == &parameter; };
    auto const trial = std::ranges::find_if(trials, is_meant);
    std::vector<std::string> longer;
    for (std::string const& text : result) {
      longer.push_back(text + (trial == trials.end() ? "" : trial->argument(0)));
      if (algorithms::takes_native(algorithm, parameter)) {
        longer.push_back(text + key + std::string(algorithms::native_name));
      }
    }
    result = std::move(longer);
  }
  result.erase(result.begin());
  return result;
}

void add_native_phases(
    List& list, Collective collective, std::vector<std::string> const& all_groups
) {
  for (Algorithm const* algorithm : algorithms::catalog()) {
    if (algorithm->collective != collective || !takes(*algorithm, "rows")) {
      continue;
    }
    for (std::string const& groups : all_groups) {
      for (std::string const& phases : native_phases_of(*algorithm, list.num_ranks())) {
        std::string const name(algorithm->name);
        list.add(Choice::parse(collective, name + "[" + groups + phases + "]"));
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

std::vector<Choice> machine_variants(
    Collective collective,
    machine::Machine const& machine,
    std::vector<int> const& core_of,
    NativePhases native_phases
) {
  RankGroups const found = rank_groups(machine, core_of);
  List plain(static_cast<int>(core_of.size()));
  for (Choice const& choice : algorithms::variants(collective, plain.num_ranks())) {
    plain.add(choice);
  }
  List shaped = plain;
  add_groups(shaped, collective, found.groups, combined);
  add_pipelines(shaped);
  if (native_phases == NativePhases::with) {
    add_native_phases(shaped, collective, found.groups);
  }
  if (found.order.empty()) {
    return shaped.choices();
  }
  add_in_order(plain, collective, shaped, found.order);
  return plain.choices();
}

std::vector<Choice> node_variants(
    Collective collective, std::vector<int> const& node_of_rank, NativePhases native_phases
) {
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
  if (native_phases == NativePhases::with) {
    add_native_phases(shaped, collective, found.groups);
  }
  if (found.order.empty()) {
    for (Choice const& choice : shaped.choices()) {
      all.add(choice);
    }
  } else {
    add_in_order(all, collective, shaped, found.order);
  }
  return all.choices();
}

}  // namespace espalier::candidates
