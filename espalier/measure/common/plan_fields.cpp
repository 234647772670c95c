// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/plan_fields.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace espalier::measure {

void check_header(Field const& plan, std::string_view schema, std::int64_t version) {
  if (Field const name = plan.at("schema"); name.text() != schema) {
    name.fail(schema, name.text());
  }
  Field const number = plan.at("version");
  if (std::int64_t const found = number.integer(1); found > version) {
    number.fail("version " + std::to_string(version) + " at most", std::to_string(found));
  }
}

int integer_or(Field const& object, std::string_view key, int fallback, int minimum, int maximum) {
  return object.has(key) ? static_cast<int>(object.at(key).integer(minimum, maximum)) : fallback;
}

double positive_or(Field const& object, std::string_view key, double fallback) {
  if (!object.has(key)) {
    return fallback;
  }
  Field const member = object.at(key);
  nlohmann::json const& value = member.json();
  if (!value.is_number() || !(value.get<double>() > 0.0)) {
    member.fail("a number above 0");
  }
  return value.get<double>();
}

}  // namespace espalier::measure
