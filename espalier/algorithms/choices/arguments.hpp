// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace espalier::algorithms {

/// What an algorithm can be told, as printed by `espalier list`.
struct Parameter {
  enum class Type { integer, integer_list, algorithm };

  std::string_view name;
  Type type = Type::integer;
  std::string_view fallback;  ///< value when not given, as text; empty: see the description
  int minimum = 1;            ///< of integers and of each integer of a list
  int maximum = std::numeric_limits<int>::max();
  /// Of an algorithm: the collective it must be for; empty for that of the algorithm it is given
  /// to.
  std::string_view collective;
  std::string_view description;
  /// Of an algorithm: how many of those that are tried in groups are combined with all that is
  /// tried for the other phases.
  int most_combined = std::numeric_limits<int>::max();
  /// Of an algorithm: whether the collective of the MPI library may be given, as `native`.
  bool takes_native = false;
};

/// Arguments of one choice: `[k=4,inner=sparbit[batch=2]]`, keys in the order given.
///
/// Values were checked against the algorithm's parameters when the choice was parsed.
class Arguments {
public:
  /// @throws Error argument unless text is empty or `[key=value,...]` with balanced brackets.
  static Arguments parse(std::string_view text);

  [[nodiscard]] bool has(std::string_view key) const noexcept;
  /// Text of a value; the fallback if it was not given.
  [[nodiscard]] std::string_view text(std::string_view key, std::string_view fallback) const;
  /// @throws Error argument if the value is not an integer.
  [[nodiscard]] int integer(std::string_view key, int fallback) const;
  /// `4x2` as {4, 2}; empty if not given.
  /// @throws Error argument if the value is not a list of integers separated by x.
  [[nodiscard]] std::vector<int> integers(std::string_view key) const;

  void set(std::string_view key, std::string value);
  [[nodiscard]] Arguments without(std::string_view key) const;

  [[nodiscard]] auto const& entries() const noexcept { return entries_; }

  /// `[k=4]`, or nothing if there are none.
  [[nodiscard]] std::string to_text() const;

  friend bool operator==(Arguments const&, Arguments const&) = default;

private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace espalier::algorithms
