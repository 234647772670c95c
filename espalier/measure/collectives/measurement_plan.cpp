// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/collectives/measurement_plan.hpp"

#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/base/field.hpp"
#include "espalier/measure/common/plan_fields.hpp"
#include "espalier/profile/call_in_file.hpp"

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

bool has_parts_of_any_size(profile::Call call) noexcept {
  return call == profile::Call::allgatherv || call == profile::Call::gatherv ||
         call == profile::Call::scatterv;
}

/// @throws Error format unless the parts are the whole.
std::vector<int> parts_of(Field const& point, profile::Call call, std::int64_t bytes) {
  if (!has_parts_of_any_size(call)) {
    point.at("collective").fail("allgatherv, gatherv or scatterv with part_bytes", "another call");
  }
  std::vector<int> parts;
  std::int64_t total = 0;
  for (Field const& part : point.at("part_bytes").elements()) {
    total += parts.emplace_back(part.integer(0, std::numeric_limits<std::int32_t>::max()));
  }
  if (total != bytes) {
    point.at("part_bytes").fail(std::to_string(bytes) + " bytes together", std::to_string(total));
  }
  return parts;
}

PointRequest point_of(Field const& field, MeasurementPlan const& plan) {
  PointRequest point{
      .call = profile::call_in_file(field.at("collective")),
      .bytes = field.at("bytes").integer(0, std::numeric_limits<std::int32_t>::max()),
      .choices = {},
      .part_bytes = {},
      .has_native = !field.has("native") || field.at("native").boolean(),
      .weight = field.has("weight") ? field.at("weight").number(least_weight) : 1.0,
  };
  if (field.has("part_bytes")) {
    point.part_bytes = parts_of(field, point.call, point.bytes);
  }
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
