// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/probe/probe_plan.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/base/field.hpp"
#include "espalier/base/names.hpp"
#include "espalier/measure/common/plan_fields.hpp"

namespace espalier::measure::probe {
namespace {

using nlohmann::json;

constexpr std::int64_t most_bytes = std::int64_t{1} << 30;
constexpr int most_messages = 100'000;
constexpr int most_repetitions = 1'000'000;
constexpr int most_ranks = 1 << 24;

constexpr std::array<std::pair<std::string_view, TestKind>, 6> kinds_by_name{{
    {"latency", TestKind::latency},
    {"bandwidth", TestKind::bandwidth},
    {"bidirectional", TestKind::bidirectional},
    {"send_overhead", TestKind::send_overhead},
    {"receive_overhead", TestKind::receive_overhead},
    {"message_rate", TestKind::message_rate},
}};

bool has_many_messages(TestKind kind) {
  return kind == TestKind::bandwidth || kind == TestKind::bidirectional ||
         kind == TestKind::message_rate;
}

TestKind kind_of(Field const& field) {
  std::string const text = field.text();
  auto const name_of = [](auto const& named) { return named.first; };
  if (auto const found = find_named(kinds_by_name, text, name_of)) {
    return found->second;
  }
  field.fail("one of " + list_names(kinds_by_name, name_of), "'" + text + "'");
}

Pair pair_of(Field const& field) {
  std::vector<Field> const ends = field.elements();
  if (ends.size() != 2) {
    field.fail("a pair [sender, receiver]");
  }
  return {
      .sender = static_cast<int>(ends[0].integer(0, most_ranks)),
      .receiver = static_cast<int>(ends[1].integer(0, most_ranks)),
  };
}

PairSet set_of(Field const& field) {
  PairSet pairs;
  std::unordered_set<int> seen;
  for (Field const& element : field.elements()) {
    Pair const pair = pair_of(element);
    for (int const rank : {pair.sender, pair.receiver}) {
      if (!seen.insert(rank).second) {
        element.fail("a rank only once in a set", "rank " + std::to_string(rank) + " again");
      }
    }
    pairs.push_back(pair);
  }
  if (pairs.empty()) {
    field.fail("at least one pair", "none");
  }
  return pairs;
}

int messages_of(Field const& test, TestKind kind) {
  int const messages = integer_or(test, "messages", 1, 1, most_messages);
  if (messages != 1 && !has_many_messages(kind)) {
    test.at("messages")
        .fail("1 for the test " + std::string(to_string(kind)), std::to_string(messages));
  }
  return messages;
}

TestRequest request_of(Field const& field) {
  TestRequest test{
      .kind = kind_of(field.at("test")),
      .label = field.has("label") ? field.at("label").text() : "",
      .bytes = {},
      .messages = 1,
      .sets = {},
  };
  test.messages = messages_of(field, test.kind);
  for (Field const& bytes : field.at("bytes").elements()) {
    test.bytes.push_back(bytes.integer(0, most_bytes));
  }
  if (test.bytes.empty()) {
    field.at("bytes").fail("at least one size", "none");
  }
  for (Field const& set : field.at("sets").elements()) {
    test.sets.push_back(set_of(set));
  }
  return test;
}

std::optional<double> spread_of(Field const& plan) {
  if (!plan.has("spread") || plan.at("spread").is_null()) {
    return std::nullopt;
  }
  return positive_or(plan, "spread", 1.0);
}

[[noreturn]] void refuse_rank(int rank, int num_ranks, Step const& step, std::string_view origin) {
  std::string const where = std::string(origin) + ": tests[" + std::to_string(step.test_index) +
                            "]: sets[" + std::to_string(step.set_index) + "]";
  std::string const remedy =
      num_ranks == 1 ? "; messages need at least 2 ranks: start the program with more" : "";
  throw Error(
      ErrorCode::format,
      where + ": expected ranks of this job, which has " + std::to_string(num_ranks) +
          ", got rank " + std::to_string(rank) + remedy
  );
}

}  // namespace

std::string_view to_string(TestKind kind) noexcept {
  auto const* const found =
      std::ranges::find(kinds_by_name, kind, &std::pair<std::string_view, TestKind>::second);
  return found->first;
}

ProbePlan ProbePlan::parse(std::string_view text, std::string_view origin) {
  json const file = parse_json(text, origin);
  Field const root(file, std::string(origin));
  check_header(root, schema, version);
  ProbePlan const usual;
  ProbePlan plan{
      .seed = static_cast<std::uint64_t>(root.at("seed").integer(0)),
      .seconds = positive_or(root, "seconds", usual.seconds),
      .seconds_per_set = positive_or(root, "seconds_per_set", usual.seconds_per_set),
      .min_repetitions =
          integer_or(root, "min_repetitions", usual.min_repetitions, 2, most_repetitions),
      .max_repetitions =
          integer_or(root, "max_repetitions", usual.max_repetitions, 2, most_repetitions),
      .precision = positive_or(root, "precision", usual.precision),
      .spread = spread_of(root),
      .tests = {},
  };
  if (plan.max_repetitions < plan.min_repetitions) {
    throw Error(
        ErrorCode::format,
        std::string(origin) + ": max_repetitions: expected at least min_repetitions = " +
            std::to_string(plan.min_repetitions) + ", got " + std::to_string(plan.max_repetitions)
    );
  }
  for (Field const& test : root.at("tests").elements()) {
    plan.tests.push_back(request_of(test));
  }
  return plan;
}

void ProbePlan::check_ranks(int num_ranks, std::string_view origin) const {
  for (Step const& step : steps()) {
    for (int const rank : members_of(pairs_of(step))) {
      if (rank >= num_ranks) {
        refuse_rank(rank, num_ranks, step, origin);
      }
    }
  }
}

std::vector<Step> ProbePlan::steps() const {
  std::vector<Step> all;
  for (std::size_t test = 0; test < tests.size(); ++test) {
    for (std::size_t set = 0; set < tests[test].sets.size(); ++set) {
      for (std::size_t bytes = 0; bytes < tests[test].bytes.size(); ++bytes) {
        all.push_back({.test_index = test, .set_index = set, .bytes_index = bytes});
      }
    }
  }
  return all;
}

std::vector<int> members_of(PairSet const& pairs) {
  std::vector<int> members;
  members.reserve(2 * pairs.size());
  for (Pair const& pair : pairs) {
    members.push_back(pair.sender);
    members.push_back(pair.receiver);
  }
  return members;
}

}  // namespace espalier::measure::probe
