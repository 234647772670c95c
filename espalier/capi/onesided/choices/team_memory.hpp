// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "espalier/capi/onesided/choices/safe_choice.hpp"

namespace espalier::capi {

/// Where the choice for a collective came from.
enum class Origin : std::uint8_t {
  named,       ///< by the caller, all of it
  tuned,       ///< measured for this request, or for one that is equal but for its buffers
  remembered,  ///< the same by an earlier run
  nearest,     ///< measured for one that is near, now or by an earlier run
  rule,        ///< measured for none: safe_choices()
};

[[nodiscard]] std::string_view to_string(Origin origin) noexcept;

struct OriginalChoice {
  SafeChoice choice;
  Origin origin = Origin::rule;

  friend bool operator==(OriginalChoice const&, OriginalChoice const&) = default;
};

/// What was found to be fastest for a request, among what has these names.
struct Measured {
  SafeRequest request;
  NamedParts named;
  SafeChoice choice;

  friend bool operator==(Measured const&, Measured const&) = default;
};

/// What was measured for the requests of one team. Equal on all members, as long as all of them
/// remember the same: it changes only by what they measure together.
///
/// Near are requests that differ by no more than
/// - the size of a block, by a factor of at most `farthest`; nothing is near to no data. Within it
///   what is best changes seldom, and farther away by protocols and caches;
/// - the root, if neither of them is rank 0: a tree with another root has its edges between other
///   ranks, and some algorithms have rank 0 as their root only.
class TeamMemory {
public:
  static constexpr std::int64_t farthest = 2;

  /// In place of what was remembered for the same request.
  void remember(SafeRequest const& request, NamedParts const& named, SafeChoice choice);

  /// The same of an earlier run.
  void remember_earlier(Measured measured);

  /// What to try, nearest first: what serves of that which was measured for this request and for
  /// those near to it. Of two sizes that are equally near the smaller one comes first, and of equal
  /// sizes the root that is nearer.
  [[nodiscard]] std::vector<OriginalChoice>
  recall(SafeRequest const& request, NamedParts const& named) const;

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
  struct Entry {
    Measured measured;
    bool is_earlier = false;  ///< of an earlier run
  };

  void remember(Entry entry);

  std::vector<Entry> entries_;
};

}  // namespace espalier::capi
