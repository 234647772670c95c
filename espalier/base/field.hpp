// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace espalier {

/// A value inside a JSON file that knows where it stands, so that every complaint names file and
/// place. Refers to the document, which must outlive it.
///
/// All members throw Error format.
class Field {
public:
  Field(nlohmann::json const& value, std::string where);

  /// Member of an object that has to be there.
  [[nodiscard]] Field at(std::string_view key) const;

  [[nodiscard]] bool has(std::string_view key) const;

  /// Elements of an array.
  [[nodiscard]] std::vector<Field> elements() const;

  [[nodiscard]] bool is_null() const noexcept;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::int64_t integer(
      std::int64_t minimum, std::int64_t maximum = std::numeric_limits<std::int64_t>::max()
  ) const;
  [[nodiscard]] double
  number(double minimum, double maximum = std::numeric_limits<double>::max()) const;
  [[nodiscard]] bool boolean() const;

  [[nodiscard]] nlohmann::json const& json() const noexcept { return *value_; }

  /// @throws Error format `<where>: expected <expected>, got <got>`
  [[noreturn]] void fail(std::string_view expected, std::string_view got) const;
  [[noreturn]] void fail(std::string_view expected) const;

private:
  nlohmann::json const* value_;
  std::string where_;
};

/// @throws Error format if the text is not JSON; `origin` is the file it came from.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, std::string_view origin);

}  // namespace espalier
