// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/profile/call.hpp"
#include "espalier/profile/shape.hpp"

namespace espalier::profile {

/// Whether rules for such calls can depend on the size: that of the result, or of a block between
/// two neighbours.
[[nodiscard]] constexpr bool has_known_size(CallForm one, Shape const& shape) noexcept {
  return has_known_size(one) && shape.topology != Topology::disconnected;
}

[[nodiscard]] constexpr bool has_known_size(Call call, Shape const& shape) noexcept {
  return has_known_size(CallForm{.call = call}, shape);
}

/// Where a rule is from: a file of the user's choice, what programs of the user learned, or what
/// the site shares with all users.
enum class Source { profile, memory, site };

/// "Use this algorithm for results of min_bytes .. max_bytes on this shape."
struct Rule {
  static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

  Call call = Call::allgather;
  Form form = Form::blocking;
  Shape shape;
  std::int64_t min_bytes = 0;
  std::int64_t max_bytes = no_limit;         ///< inclusive
  std::optional<algorithms::Choice> choice;  ///< none: the native call, unless there are neighbors
  /// Of a rule for neighborhoods, which has no choice; null: the native call.
  neighborhood::Algorithm const* neighbors = nullptr;
  std::string reason;
  Source source = Source::profile;  ///< not in the file

  [[nodiscard]] bool is_native() const noexcept { return !choice && neighbors == nullptr; }

  /// Whether a call may follow it: one that is persistent also follows rules of nonblocking and
  /// blocking calls, and one that is nonblocking those of blocking calls, where no rule of its own
  /// covers it.
  [[nodiscard]] bool is_for(CallForm one) const noexcept {
    return call == one.call && form <= one.form;
  }
};

/// What becomes of rules that name an algorithm which this version does not know, or which does not
/// serve such calls here.
enum class Unknown : std::uint8_t {
  fails,     ///< the file is not for this version
  left_out,  ///< others decide: what programs keep between their runs, several versions may write
};

/// A profile file: rules found by `espalier tune` on one machine with one MPI.
class Profile {
public:
  static constexpr std::string_view schema = "espalier-profile";
  static constexpr int version = 1;

  /// @param origin name of the file, for messages.
  /// @throws Error format, one line: where, what was expected, what was found.
  static Profile parse(std::string_view text, std::string_view origin);
  static Profile from_json(
      nlohmann::json const& document, std::string_view origin, Unknown unknown = Unknown::fails
  );

  /// @throws Error io if the file cannot be read, otherwise as parse().
  static Profile read(std::string const& path);

  [[nodiscard]] std::span<Rule const> rules() const noexcept { return rules_; }

  /// The MPI the measurements were made with: `openmpi`, `mpich`.
  [[nodiscard]] std::string const& vendor() const noexcept { return vendor_; }

  /// @param origin  as in parse()
  /// @param advice  what the user can do
  /// @throws Error format if it was made with another MPI than `expected`.
  void
  require_vendor(std::string_view expected, std::string_view origin, std::string_view advice) const;

private:
  std::vector<Rule> rules_;
  std::string vendor_;
};

/// Content of a file.
/// @throws Error io
[[nodiscard]] std::string read_text(std::string const& path);

}  // namespace espalier::profile
