// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/reproduce/process-remapping/program/grid_plan.hpp"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/base/field.hpp"
#include "espalier/measure/common/plan_fields.hpp"

namespace espalier::measure {
namespace {

using schedule::Collective;

constexpr int most_int = std::numeric_limits<int>::max();

std::vector<std::string> texts_of(Field const& field) {
  std::vector<std::string> texts;
  for (Field const& element : field.elements()) {
    texts.push_back(element.text());
  }
  if (texts.empty()) {
    field.fail("at least one name", "none");
  }
  return texts;
}

Collective collective_of(Field const& field) {
  for (Collective const known : {Collective::bcast, Collective::gather, Collective::scatter}) {
    if (field.text() == schedule::to_string(known)) {
      return known;
    }
  }
  field.fail("bcast, gather or scatter", field.text());
}

std::vector<std::string> all_ways(Collective collective) {
  if (collective == Collective::bcast) {
    return {"native", "pipeline", "binomial"};
  }
  return {"native", "binomial"};
}

std::vector<std::string> ways_of(Field const& field, Collective collective) {
  std::vector<std::string> const known = all_ways(collective);
  std::vector<std::string> ways = texts_of(field);
  for (std::string const& way : ways) {
    if (std::ranges::find(known, way) == known.end()) {
      field.fail("ways that there are for this collective", way);
    }
  }
  return ways;
}

GridPoint point_of(Field const& field) {
  GridPoint point{.extents = {}};
  for (Field const& extent : field.at("grid").elements()) {
    point.extents.push_back(static_cast<int>(extent.integer(1, most_int)));
  }
  if (point.extents.empty()) {
    field.at("grid").fail("at least one dimension", "none");
  }
  point.collective = collective_of(field.at("collective"));
  point.bytes = field.at("bytes").integer(0, most_int);
  if (field.has("is_overlapped")) {
    point.is_overlapped = field.at("is_overlapped").boolean();
  }
  point.ways =
      field.has("ways") ? ways_of(field.at("ways"), point.collective) : all_ways(point.collective);
  if (field.has("segment_bytes")) {
    point.segment_bytes = field.at("segment_bytes").integer(1);
  }
  if (field.has("mappings")) {
    point.mappings = texts_of(field.at("mappings"));
  }
  if (field.has("trial_calls")) {
    point.trial_calls = static_cast<int>(field.at("trial_calls").integer(0, most_int));
  }
  return point;
}

}  // namespace

GridPlan GridPlan::parse(std::string_view text, std::string_view origin) {
  nlohmann::json const file = parse_json(text, origin);
  Field const root(file, std::string(origin));
  check_header(root, schema, version);
  GridPlan plan;
  if (root.has("repetitions")) {
    Field const field = root.at("repetitions");
    std::vector<Field> const limits = field.elements();
    if (limits.size() != 2) {
      field.fail("the least and the most", std::to_string(limits.size()) + " numbers");
    }
    plan.min_repetitions = static_cast<int>(limits[0].integer(1, most_int));
    plan.max_repetitions = static_cast<int>(limits[1].integer(plan.min_repetitions, most_int));
  }
  if (root.has("seconds")) {
    plan.seconds = root.at("seconds").number(0);
  }
  for (Field const& field : root.at("points").elements()) {
    plan.points.push_back(point_of(field));
  }
  if (plan.points.empty()) {
    root.at("points").fail("at least one point", "none");
  }
  return plan;
}

}  // namespace espalier::measure
