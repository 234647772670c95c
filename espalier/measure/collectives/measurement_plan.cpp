// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/collectives/measurement_plan.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <span>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/base/field.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/base/names.hpp"
#include "espalier/measure/common/plan_fields.hpp"
#include "espalier/profile/call_in_file.hpp"
#include "espalier/schedule/collective.hpp"

namespace espalier::measure {
namespace {

using nlohmann::json;

constexpr int most_repetitions = 1'000'000;
constexpr double least_weight = 1e-6;

std::map<std::string, std::string> profiles_of(Field const& file) {
  std::map<std::string, std::string> profiles;
  if (file.has("profiles")) {
    Field const list = file.at("profiles");
    for (auto const& [name, path] : list.json().items()) {
      profiles.emplace(name, list.at(name).text());
    }
  }
  return profiles;
}

/// @throws Error format for `profile/<name>` where no profile has this name.
void check_profile(Field const& field, std::string const& choice, MeasurementPlan const& plan) {
  if (choice.starts_with(profile_prefix) &&
      !plan.profiles.contains(choice.substr(profile_prefix.size()))) {
    field.fail("a profile that 'profiles' of the plan names", choice);
  }
}

/// @throws Error format unless the groups are equally large and no rank is in two of them.
std::vector<std::vector<int>> groups_of(Field const& file) {
  std::vector<std::vector<int>> groups;
  if (!file.has("groups")) {
    return groups;
  }
  std::set<int> seen;
  for (Field const& group : file.at("groups").elements()) {
    std::vector<int>& ranks = groups.emplace_back();
    for (Field const& rank : group.elements()) {
      ranks.push_back(static_cast<int>(rank.integer(0, std::numeric_limits<int>::max())));
      if (!seen.insert(ranks.back()).second) {
        rank.fail("a rank that is in no other group", std::to_string(ranks.back()));
      }
    }
    if (ranks.empty() || ranks.size() != groups.front().size()) {
      group.fail("groups of one size, at least 1", std::to_string(ranks.size()) + " ranks");
    }
  }
  return groups;
}

constexpr std::int64_t most_bytes = std::numeric_limits<std::int32_t>::max();
/// Of reductions; their parts are made of whole ones.
constexpr int element_bytes = 8;

bool reduces(profile::Call call) noexcept {
  return schedule::reduces(profile::collective_of(call));
}

bool has_parts_of_any_size(profile::Call call) noexcept {
  return call == profile::Call::allgatherv || call == profile::Call::gatherv ||
         call == profile::Call::reduce_scatter || call == profile::Call::scatterv;
}

bool has_pairs_of_any_size(profile::Call call) noexcept {
  return call == profile::Call::alltoallv || call == profile::Call::alltoallw;
}

bool has_in_place(profile::Call call) noexcept {
  return call != profile::Call::barrier && call != profile::Call::bcast;
}

/// @throws Error format unless the parts are the whole.
std::vector<int> parts_of(Field const& point, profile::Call call, std::int64_t bytes) {
  if (!has_parts_of_any_size(call)) {
    point.at("collective")
        .fail("allgatherv, gatherv, reduce_scatter or scatterv with part_bytes", "another call");
  }
  std::vector<int> parts;
  std::int64_t total = 0;
  for (Field const& part : point.at("part_bytes").elements()) {
    total += parts.emplace_back(part.integer(0, most_bytes));
    if (reduces(call) && parts.back() % element_bytes != 0) {
      part.fail("a multiple of 8 bytes", std::to_string(parts.back()));
    }
  }
  if (total != bytes) {
    point.at("part_bytes").fail(std::to_string(bytes) + " bytes together", std::to_string(total));
  }
  return parts;
}

/// @throws Error format unless there is a row for each rank, and no rank has too much.
std::vector<std::vector<int>> pairs_of(Field const& list) {
  std::vector<std::vector<int>> pairs;
  std::vector<Field> const rows = list.elements();
  std::vector<std::int64_t> received(rows.size());
  for (Field const& row : rows) {
    std::vector<int>& sent = pairs.emplace_back();
    std::int64_t total = 0;
    for (Field const& part : row.elements()) {
      total += sent.emplace_back(part.integer(0, most_bytes));
      if (sent.size() <= received.size()) {
        received[sent.size() - 1] += sent.back();
      }
    }
    if (sent.size() != rows.size()) {
      row.fail(std::to_string(rows.size()) + " numbers, one a rank", std::to_string(sent.size()));
    }
    if (total > most_bytes) {
      row.fail("less than 2 GiB together", std::to_string(total));
    }
  }
  if (std::ranges::any_of(received, [](std::int64_t bytes) { return bytes > most_bytes; })) {
    list.fail("less than 2 GiB for each rank", "more");
  }
  return pairs;
}

bool is_symmetric(std::vector<std::vector<int>> const& pairs) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (pairs[i][j] != pairs[j][i]) {
        return false;
      }
    }
  }
  return true;
}

/// @throws Error format unless the mean of what ranks send is the size of the point.
std::vector<std::vector<int>> checked_pairs(Field const& field, PointRequest const& point) {
  if (!has_pairs_of_any_size(point.call)) {
    field.at("collective").fail("alltoallv or alltoallw with pair_bytes", "another call");
  }
  Field const list = field.at("pair_bytes");
  std::vector<std::vector<int>> pairs = pairs_of(list);
  std::int64_t total = 0;
  for (std::vector<int> const& sent : pairs) {
    total = std::accumulate(sent.begin(), sent.end(), total);
  }
  auto const num_ranks = static_cast<std::int64_t>(std::max<std::size_t>(1, pairs.size()));
  if (std::int64_t const mean = ceil_div(total, num_ranks); mean != point.bytes) {
    list.fail(std::to_string(point.bytes) + " bytes from a rank in the mean", std::to_string(mean));
  }
  if (point.is_in_place && !is_symmetric(pairs)) {
    list.fail("equally much from i to j as from j to i where calls are in place", "other sizes");
  }
  return pairs;
}

int root_of(Field const& field, profile::Call call) {
  if (!schedule::has_root(profile::collective_of(call))) {
    field.at("collective").fail("a call with a root", "another call");
  }
  return static_cast<int>(field.at("root").integer(0, most_bytes));
}

plan::Operator operator_of(Field const& field, profile::Call call) {
  if (!reduces(call)) {
    field.at("collective").fail("a reduction with an operator", "another call");
  }
  std::string const name = field.at("operator").text();
  auto const found = plan::parse_operator(name);
  if (!found) {
    auto const names = std::span(plan::operator_names).subspan(1);
    field.at("operator").fail("one of " + list_names(names, std::identity()), name);
  }
  return *found;
}

/// @throws Error format unless it is a time of computing or a function.
WorkRequest work_of(Field const& point) {
  if (profile::call_form_in_file(point.at("collective")).form == profile::Form::blocking) {
    point.at("collective").fail("a nonblocking call with work, such as iallgather", "another call");
  }
  Field const field = point.at("work");
  WorkRequest work;
  if (field.has("library")) {
    work.library = field.at("library").text();
    work.function = field.at("function").text();
  } else {
    work.seconds = field.at("seconds").number(0.0);
  }
  work.num_tests = integer_or(field, "tests", 0, 0, most_repetitions);
  return work;
}

/// How the calls of the point are made, where the plan says it.
void read_manner(Field const& field, PointRequest& point) {
  if (field.has("root")) {
    point.root = root_of(field, point.call);
  }
  if (field.has("operator")) {
    point.op = operator_of(field, point.call);
  }
  point.is_in_place = field.has("in_place") && field.at("in_place").boolean();
  if (point.is_in_place && !has_in_place(point.call)) {
    field.at("collective").fail("a call that can be in place", "another call");
  }
  if (field.has("part_bytes")) {
    point.part_bytes = parts_of(field, point.call, point.bytes);
  }
  if (field.has("pair_bytes")) {
    point.pair_bytes = checked_pairs(field, point);
  }
  if (field.has("work")) {
    point.work = work_of(field);
  }
}

PointRequest point_of(Field const& field, MeasurementPlan const& plan) {
  auto const [call, form] = profile::call_form_in_file(field.at("collective"));
  if (form == profile::Form::persistent) {
    field.at("collective").fail("a blocking or a nonblocking call");
  }
  PointRequest point{
      .call = call,
      .form = form,
      .work = {},
      .bytes = field.at("bytes").integer(0, most_bytes),
      .choices = {},
      .part_bytes = {},
      .pair_bytes = {},
      .root = {},
      .has_native = !field.has("native") || field.at("native").boolean(),
      .weight = field.has("weight") ? field.at("weight").number(least_weight) : 1.0,
  };
  read_manner(field, point);
  for (Field const& choice : field.at("algorithms").elements()) {
    if (std::string text = choice.text(); text != "native") {
      check_profile(choice, text, plan);
      point.choices.push_back(std::move(text));
    }
  }
  if (!point.has_native && point.choices.empty()) {
    field.at("algorithms").fail("an algorithm where native is not measured", "none");
  }
  return point;
}

}  // namespace

MeasurementPlan MeasurementPlan::parse(std::string_view text, std::string_view origin) {
  json const file = parse_json(text, origin);
  Field const root(file, std::string(origin));
  check_header(root, schema, version);
  MeasurementPlan const usual;
  MeasurementPlan plan{
      .seed = static_cast<std::uint64_t>(root.at("seed").integer(0)),
      .warmup = integer_or(root, "warmup", usual.warmup, 0, most_repetitions),
      .min_repetitions =
          integer_or(root, "min_repetitions", usual.min_repetitions, 0, most_repetitions),
      .max_repetitions =
          integer_or(root, "max_repetitions", usual.max_repetitions, 0, most_repetitions),
      .seconds_per_point = positive_or(root, "seconds_per_point", usual.seconds_per_point),
      .seconds = positive_or(root, "seconds", usual.seconds),
      .precision = positive_or(root, "precision", usual.precision),
      .leaves_out_slow = root.has("leaves_out_slow") && root.at("leaves_out_slow").boolean(),
      .profiles = profiles_of(root),
      .spread = root.has("spread") && root.at("spread").boolean(),
      .groups = groups_of(root),
      .points = {},
  };
  if (plan.min_repetitions < 1 || plan.max_repetitions < plan.min_repetitions) {
    root.at("max_repetitions")
        .fail(
            "at least min_repetitions, and that at least 1", std::to_string(plan.max_repetitions)
        );
  }
  for (Field const& point : root.at("points").elements()) {
    plan.points.push_back(point_of(point, plan));
  }
  return plan;
}

}  // namespace espalier::measure
