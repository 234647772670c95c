// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/field.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"

namespace espalier {
namespace {

/// Short form of a value for a message.
std::string abridged(nlohmann::json const& value) {
  constexpr std::size_t limit = 40;
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (text.size() > limit) {
    text.resize(limit);
    text += "...";
  }
  return text;
}

std::string shortest(double number) {
  return nlohmann::json(number).dump();
}

}  // namespace

Field::Field(nlohmann::json const& value, std::string where)
    : value_(&value), where_(std::move(where)) {}

void Field::fail(std::string_view expected, std::string_view got) const {
  throw Error(
      ErrorCode::format,
      where_ + ": expected " + std::string(expected) + ", got " + std::string(got)
  );
}

void Field::fail(std::string_view expected) const {
  fail(expected, abridged(*value_));
}

Field Field::at(std::string_view key) const {
  if (!value_->is_object()) {
    fail("an object");
  }
  auto const found = value_->find(key);
  if (found == value_->end()) {
    fail("a member '" + std::string(key) + "'", "none");
  }
  return {*found, where_ + ": " + std::string(key)};
}

bool Field::has(std::string_view key) const {
  return value_->is_object() && value_->contains(key);
}

std::vector<Field> Field::elements() const {
  if (!value_->is_array()) {
    fail("a list");
  }
  std::vector<Field> fields;
  fields.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    fields.emplace_back((*value_)[i], where_ + "[" + std::to_string(i) + "]");
  }
  return fields;
}

bool Field::is_null() const noexcept {
  return value_->is_null();
}

std::string Field::text() const {
  if (!value_->is_string()) {
    fail("a text");
  }
  return value_->get<std::string>();
}

std::int64_t Field::integer(std::int64_t minimum, std::int64_t maximum) const {
  std::string const expected = "an integer of at least " + std::to_string(minimum);
  bool const is_too_large = value_->is_number_unsigned() &&
                            value_->get<std::uint64_t>() > static_cast<std::uint64_t>(maximum);
  if (!value_->is_number_integer() || is_too_large || value_->get<std::int64_t>() < minimum ||
      value_->get<std::int64_t>() > maximum) {
    fail(
        maximum == std::numeric_limits<std::int64_t>::max()
            ? expected
            : expected + " and at most " + std::to_string(maximum)
    );
  }
  return value_->get<std::int64_t>();
}

double Field::number(double minimum, double maximum) const {
  double const value =
      value_->is_number() ? value_->get<double>() : std::numeric_limits<double>::quiet_NaN();
  if (!(value >= minimum && value <= maximum)) {
    std::string const expected = "a number of at least " + shortest(minimum);
    fail(
        maximum == std::numeric_limits<double>::max()
            ? expected
            : expected + " and at most " + shortest(maximum)
    );
  }
  return value;
}

bool Field::boolean() const {
  if (!value_->is_boolean()) {
    fail("true or false");
  }
  return value_->get<bool>();
}

nlohmann::json parse_json(std::string_view text, std::string_view origin) {
  try {
    return nlohmann::json::parse(text);
  } catch (nlohmann::json::parse_error const& error) {
    throw Error(
        ErrorCode::format,
        std::string(origin) + ": expected JSON, got something else near byte " +
            std::to_string(error.byte) + " of " + std::to_string(text.size())
    );
  } catch (nlohmann::json::exception const&) {
    throw Error(
        ErrorCode::format, std::string(origin) + ": expected numbers below 1.8e308 in JSON"
    );
  }
}

}  // namespace espalier
