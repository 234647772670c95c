// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/learning/trials.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/base/error.hpp"
#include "espalier/base/field.hpp"
#include "espalier/profile/neighbor_choice.hpp"

namespace espalier::plan {
namespace {

using Json = nlohmann::json;
using Candidate = learn::Record::Candidate;

Json to_json(learn::Evidence const& evidence) {
  return {evidence.num_wins(), evidence.num_pairs()};
}

Json to_json(Candidate const& candidate, std::string const& algorithm) {
  return {
      {"algorithm", algorithm},
      {"predicted_seconds", candidate.predicted},
      {"seconds", candidate.seconds},
      {"seconds_in_round", candidate.in_round},
      {"wins_and_pairs", to_json(candidate.against_native)},
      {"clear_wins", candidate.against_native.num_clear_wins()},
      {"wins_and_pairs_with_leader", to_json(candidate.against_leader)},
      {"is_out", candidate.is_out},
      {"may_run", candidate.may_run},
  };
}

learn::Evidence parse_evidence(Field const& field, int num_clear_wins) {
  std::vector<Field> const numbers = field.elements();
  if (numbers.size() != 2) {
    field.fail("two numbers: wins and pairs");
  }
  auto const num_pairs = static_cast<int>(numbers[1].integer(0, learn::Evidence::most_pairs));
  auto const num_wins = static_cast<int>(numbers[0].integer(num_clear_wins, num_pairs));
  return learn::Evidence::of(num_wins, num_pairs, num_clear_wins);
}

/// Files of earlier versions do not count them.
int parse_clear_wins(Field const& candidate) {
  return candidate.has("clear_wins")
             ? static_cast<int>(candidate.at("clear_wins").integer(0, learn::Evidence::most_pairs))
             : 0;
}

Candidate parse_candidate(Field const& field) {
  return {
      .predicted = field.at("predicted_seconds").number(0),
      .seconds = field.at("seconds").number(0),
      .in_round = field.at("seconds_in_round").number(0),
      .against_native = parse_evidence(field.at("wins_and_pairs"), parse_clear_wins(field)),
      .against_leader = parse_evidence(field.at("wins_and_pairs_with_leader"), 0),
      .is_out = field.at("is_out").boolean(),
      .may_run = field.at("may_run").boolean(),
  };
}

/// Why a program of this version cannot run it for such calls; empty if it can.
std::string refuses(KindOfCalls const& kind, std::string const& text) {
  if (profile::is_neighborhood(kind.call)) {
    static_cast<void>(profile::parse_neighbor_choice(kind.call, text));
    return {};
  }
  auto const choice = algorithms::Choice::parse(text);
  return choice.collective() != profile::collective_of(kind.call)
             ? "it is of another collective"
             : profile::refuses(kind.call_form(), choice, kind.shape.num_ranks, 0);
}

/// An algorithm of this version that serves the call.
std::string parse_algorithm(Field const& field, KindOfCalls const& kind) {
  std::string text = field.text();
  std::string reason;
  try {
    reason = refuses(kind, text);
  } catch (Error const& error) {
    reason = error.what();
  }
  if (!reason.empty()) {
    field.fail("an algorithm for such calls", "\"" + text + "\" (" + reason + ")");
  }
  return text;
}

Trials parse(Field const& field) {
  Trials trials{.kind = kind_from_members(field)};
  trials.num_calls = field.at("num_calls").integer(0);
  trials.seconds = field.at("seconds").number(0);
  trials.exchange_seconds = field.at("exchange_seconds").number(0);
  trials.record.is_of_loop = field.has("is_of_loop") && field.at("is_of_loop").boolean();
  trials.is_thorough = field.has("is_thorough") && field.at("is_thorough").boolean();
  trials.record.num_rounds =
      static_cast<int>(field.at("num_rounds").integer(0, std::numeric_limits<int>::max()));
  for (Field const& candidate : field.at("candidates").elements()) {
    if (!trials.record.candidates.empty()) {
      trials.algorithms.push_back(parse_algorithm(candidate.at("algorithm"), trials.kind));
    } else if (candidate.at("algorithm").text() != "native") {
      candidate.at("algorithm").fail("native as the first candidate");
    }
    trials.record.candidates.push_back(parse_candidate(candidate));
  }
  return trials;
}

/// Programs of this version can run all that was tried.
bool is_known(Field const& trials) {
  KindOfCalls const kind = kind_from_members(trials);
  return std::ranges::all_of(trials.at("candidates").elements(), [&](Field const& candidate) {
    std::string const text = candidate.at("algorithm").text();
    try {
      return text == "native" || refuses(kind, text).empty();
    } catch (Error const&) {
      return false;
    }
  });
}

bool has_better_candidates(Trials const& one, Trials const& other) {
  return std::pair(one.is_thorough, one.record.num_rounds) >
         std::pair(other.is_thorough, other.record.num_rounds);
}

}  // namespace

bool Trials::is_native_known() const noexcept {
  return exchange_seconds > 0 || kind.is_started() || !ranks_run_ahead(kind.call);
}

void Trials::add(std::string algorithm, double predicted) {
  if (record.candidates.empty()) {
    record.candidates.push_back({.seconds = is_native_known() ? seconds : 0});
  }
  algorithms.push_back(std::move(algorithm));
  record.candidates.push_back({.predicted = predicted});
}

double Trials::stake() const noexcept {
  std::vector<learn::Record::Candidate> const& known = record.candidates;
  double of_call = seconds;
  if (known.size() > 1 && known.front().seconds <= 0) {
    auto const best = std::ranges::min_element(
        known.begin() + 1, known.end(), {}, &learn::Record::Candidate::predicted
    );
    of_call = std::max(of_call, best->predicted);
  }
  return static_cast<double>(num_calls) * of_call;
}

Trials since(Trials const& later, Trials const& earlier) {
  Trials more = later;
  if (later.algorithms == earlier.algorithms && !later.record.candidates.empty()) {
    more.record = learn::since(later.record, earlier.record);
  }
  return more;
}

Trials joined(Trials const& earlier, Trials const& more, bool is_same_run) {
  Trials all = more;
  if (is_same_run) {
    all.num_calls = std::max(earlier.num_calls, more.num_calls);
  }
  bool const is_shorter = is_same_run && earlier.seconds > 0 && earlier.seconds < more.seconds;
  all.seconds = is_shorter || more.seconds == 0 ? earlier.seconds : more.seconds;
  bool const has_exchange = more.exchange_seconds > 0;
  all.exchange_seconds = has_exchange ? more.exchange_seconds : earlier.exchange_seconds;
  all.is_thorough = earlier.is_thorough || more.is_thorough;
  if (more.algorithms == earlier.algorithms && more.has_candidates()) {
    all.record = learn::joined(earlier.record, more.record);
  } else if (more.algorithms.empty() || has_better_candidates(earlier, more)) {
    all.algorithms = earlier.algorithms;
    all.record = earlier.record;
  }
  return all;
}

Json to_json(Trials const& trials) {
  Json object;
  set_members(object, trials.kind);
  object["num_calls"] = trials.num_calls;
  object["seconds"] = trials.seconds;
  object["exchange_seconds"] = trials.exchange_seconds;
  object["num_rounds"] = trials.record.num_rounds;
  if (trials.record.is_of_loop) {
    object["is_of_loop"] = true;
  }
  if (trials.is_thorough) {
    object["is_thorough"] = true;
  }
  object["candidates"] = Json::array();
  for (std::size_t i = 0; i < trials.record.candidates.size(); ++i) {
    std::string const algorithm = i == 0 ? "native" : trials.algorithms[i - 1];
    object["candidates"].push_back(to_json(trials.record.candidates[i], algorithm));
  }
  return object;
}

std::vector<Trials>
trials_from_json(Json const& document, std::string_view origin, profile::Unknown unknown) {
  Field const file(document, std::string(origin));
  std::vector<Trials> all;
  if (file.has("trials")) {
    for (Field const& field : file.at("trials").elements()) {
      if (unknown == profile::Unknown::fails || is_known(field)) {
        all.push_back(parse(field));
      }
    }
  }
  return all;
}

Json unknown_trials(Json const& document, std::string_view origin) {
  Field const file(document, std::string(origin));
  Json all = Json::array();
  if (file.has("trials")) {
    for (Field const& field : file.at("trials").elements()) {
      if (!is_known(field)) {
        all.push_back(field.json());
      }
    }
  }
  return all;
}

}  // namespace espalier::plan
