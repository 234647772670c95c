// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/ranking.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/cost/engine.hpp"
#include "espalier/cost/steps.hpp"

namespace espalier::cost {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// What any message costs a port at least, of all levels.
struct CheapestPort {
  double per_message = unlimited;
  double gap = 0;  ///< the longest: the last message needs none
  double per_byte = unlimited;
};

CheapestPort cheapest_port(machine::Machine const& machine) {
  CheapestPort port;
  for (int level = 0; level < machine.num_levels(); ++level) {
    machine::Link const& link = machine.link(level);
    port.per_message = std::min(port.per_message, link.overhead_send + link.gap);
    port.gap = std::max(port.gap, link.gap);
    port.per_byte = std::min(port.per_byte, link.per_byte);
  }
  return port;
}

/// The best times so far; a candidate that is slower than the last of them need not be finished.
class Best {
public:
  explicit Best(int number) : number_(static_cast<std::size_t>(number)) {}

  void add(double seconds) {
    times_.insert(std::ranges::upper_bound(times_, seconds), seconds);
    times_.resize(std::min(times_.size(), number_));
  }

  [[nodiscard]] double limit() const { return times_.size() < number_ ? unlimited : times_.back(); }

private:
  std::size_t number_;
  std::vector<double> times_;
};

/// One of the candidates with a time that it needs at least, found without its programs.
struct Entry {
  std::size_t index = 0;
  double at_least = 0;
};

class Ranking {
public:
  Ranking(int root, Setting const& setting, Sizes const& sizes, int num_best)
      : root_(root), setting_(setting), sizes_(sizes), best_(num_best),
        port_(cheapest_port(setting.machine)) {}

  /// From the messages and the blocks of the ranks that send most; 0 where blocks differ.
  [[nodiscard]] double at_least(algorithms::Choice const& choice) const {
    int const p = setting_.num_ranks();
    algorithms::Facts const facts = choice.facts(p, root_);
    bool const sends = sizes_.total() > 0 || choice.collective() == schedule::Collective::barrier;
    if (facts.messages == 0 || !sends || !sizes_.are_equal()) {
      return 0;
    }
    int const num_parts = schedule::has_parts(choice.collective()) ? p : 1;
    double const block_bytes = sizes_.total() / num_parts / choice.num_pieces(p);
    double const of_messages = static_cast<double>(facts.messages) * port_.per_message;
    double const of_bytes = static_cast<double>(facts.blocks) * block_bytes * port_.per_byte;
    return std::max(of_messages, of_bytes) - port_.gap;
  }

  Ranked rank(algorithms::Choice const& choice, double at_least) {
    double const limit = best_.limit();
    if (at_least > limit) {
      return given_up(choice, at_least);
    }
    Steps steps(sizes_);
    for (int rank = 0; rank < setting_.num_ranks(); ++rank) {
      steps.add(choice.generate(setting_.num_ranks(), root_, rank));
    }
    steps.match();
    Engine engine(std::move(steps), setting_);
    if (double const busy = engine.lower_bound(); busy > limit) {
      return given_up(choice, busy);
    }
    if (!engine.run(limit)) {
      return given_up(choice, limit);
    }
    double const seconds = engine.result().seconds();
    best_.add(seconds);
    return {.choice = choice, .seconds = seconds};
  }

private:
  static Ranked given_up(algorithms::Choice const& choice, double at_least) {
    return {.choice = choice, .seconds = at_least, .is_exact = false};
  }

  int root_;
  Setting const& setting_;
  Sizes const& sizes_;
  Best best_;
  CheapestPort port_;
};

}  // namespace

std::vector<Ranked> best(
    std::span<algorithms::Choice const> candidates,
    int root,
    Setting const& setting,
    Sizes const& sizes,
    int num_best
) {
  if (num_best < 1) {
    throw Error(
        ErrorCode::argument,
        "expected at least 1 choice to be asked for, got " + std::to_string(num_best)
    );
  }
  Ranking ranking(root, setting, sizes, num_best);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].refuses(setting.num_ranks(), root).empty()) {
      entries.push_back({.index = i, .at_least = ranking.at_least(candidates[i])});
    }
  }
  std::ranges::stable_sort(entries, {}, &Entry::at_least);
  std::vector<std::pair<std::size_t, Ranked>> ranked;
  ranked.reserve(entries.size());
  for (Entry const& entry : entries) {
    ranked.emplace_back(entry.index, ranking.rank(candidates[entry.index], entry.at_least));
  }
  std::ranges::sort(ranked, [](auto const& a, auto const& b) {
    auto const key = [](auto const& r) {
      return std::tuple(!r.second.is_exact, r.second.seconds, r.first);
    };
    return key(a) < key(b);
  });
  std::vector<Ranked> result;
  result.reserve(ranked.size());
  for (auto& [index, entry] : ranked) {
    result.push_back(std::move(entry));
  }
  return result;
}

}  // namespace espalier::cost
