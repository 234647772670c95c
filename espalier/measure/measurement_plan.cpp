// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/measurement_plan.hpp"

#include <limits>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/base/field.hpp"

namespace espalier::measure {
namespace {

using nlohmann::json;

constexpr int most_repetitions = 1'000'000;

void check_header(Field const& file) {
  Field const schema = file.at("schema");
  if (schema.text() != MeasurementPlan::schema) {
    schema.fail(MeasurementPlan::schema, schema.text());
  }
  Field const version = file.at("version");
  if (std::int64_t const found = version.integer(1); found > MeasurementPlan::version) {
    version.fail("version 1 at most", std::to_string(found));
  }
}

int integer_or(json const& file, std::string_view origin, char const* key, int fallback) {
  if (!file.contains(key)) {
    return fallback;
  }
  Field const root(file, std::string(origin));
  return static_cast<int>(root.at(key).integer(0, most_repetitions));
}

double positive_or(json const& file, std::string_view origin, char const* key, double fallback) {
  if (!file.contains(key)) {
    return fallback;
  }
  json const& value = file.at(key);
  if (!value.is_number() || !(value.get<double>() > 0.0)) {
    Field(value, std::string(origin) + ": " + key).fail("a number above 0", value.dump());
  }
  return value.get<double>();
}

PointRequest point_of(Field const& field) {
  PointRequest point{
      .call = tune::parse_call(field.at("collective").text()),
      .bytes = field.at("bytes").integer(0, std::numeric_limits<std::int32_t>::max()),
      .choices = {},
  };
  for (Field const& choice : field.at("algorithms").elements()) {
    if (std::string text = choice.text(); text != "native") {
      point.choices.push_back(std::move(text));
    }
  }
  return point;
}

}  // namespace

MeasurementPlan MeasurementPlan::parse(std::string_view text, std::string_view origin) {
  json const file = parse_json(text, origin);
  Field const root(file, std::string(origin));
  check_header(root);
  MeasurementPlan const usual;
  MeasurementPlan plan{
      .seed = static_cast<std::uint64_t>(root.at("seed").integer(0)),
      .warmup = integer_or(file, origin, "warmup", usual.warmup),
      .min_repetitions = integer_or(file, origin, "min_repetitions", usual.min_repetitions),
      .max_repetitions = integer_or(file, origin, "max_repetitions", usual.max_repetitions),
      .seconds_per_point = positive_or(file, origin, "seconds_per_point", usual.seconds_per_point),
      .seconds = positive_or(file, origin, "seconds", usual.seconds),
      .precision = positive_or(file, origin, "precision", usual.precision),
      .points = {},
  };
  if (plan.min_repetitions < 1 || plan.max_repetitions < plan.min_repetitions) {
    root.at("max_repetitions")
        .fail(
            "at least min_repetitions, and that at least 1", std::to_string(plan.max_repetitions)
        );
  }
  for (Field const& point : root.at("points").elements()) {
    plan.points.push_back(point_of(point));
  }
  return plan;
}

}  // namespace espalier::measure
