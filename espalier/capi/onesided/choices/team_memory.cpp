// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/choices/team_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace espalier::capi {
namespace {

bool is_near(SafeRequest const& a, SafeRequest const& b) {
  auto const [less, more] = std::minmax(a.block_bytes, b.block_bytes);
  bool const is_size_near = less == more || (less > 0 && more <= less * TeamMemory::farthest);
  bool const is_root_near = (a.root == 0) == (b.root == 0);
  SafeRequest same = b;
  same.block_bytes = a.block_bytes;
  same.root = a.root;
  return is_size_near && is_root_near && same == a;
}

/// Smaller is nearer.
auto distance(SafeRequest const& a, SafeRequest const& b) {
  auto const [less, more] = std::minmax(a.block_bytes, b.block_bytes);
  double const factor = less == more ? 1 : static_cast<double>(more) / static_cast<double>(less);
  return std::tuple(factor, less, std::abs(a.root - b.root));
}

}  // namespace

std::string_view to_string(Origin origin) noexcept {
  switch (origin) {
  case Origin::named:
    return "named";
  case Origin::tuned:
    return "tuned";
  case Origin::remembered:
    return "remembered";
  case Origin::nearest:
    return "nearest";
  case Origin::rule:
    break;
  }
  return "rule";
}

void TeamMemory::remember(SafeRequest const& request, NamedParts const& named, SafeChoice choice) {
  remember(Entry{.measured = {.request = request, .named = named, .choice = std::move(choice)}});
}

void TeamMemory::remember_earlier(Measured measured) {
  remember(Entry{.measured = std::move(measured), .is_earlier = true});
}

void TeamMemory::remember(Entry entry) {
  auto const known = std::ranges::find_if(entries_, [&](Entry const& old) {
    return old.measured.request == entry.measured.request &&
           old.measured.named == entry.measured.named;
  });
  if (known != entries_.end()) {
    *known = std::move(entry);
  } else {
    entries_.push_back(std::move(entry));
  }
}

std::vector<OriginalChoice>
TeamMemory::recall(SafeRequest const& request, NamedParts const& named) const {
  std::vector<Entry const*> near;
  for (Entry const& entry : entries_) {
    Measured const& known = entry.measured;
    bool const is_of_it = known.named == named && is_near(known.request, request);
    if (is_of_it && serves(known.choice.choice, request)) {
      near.push_back(&entry);
    }
  }
  std::ranges::stable_sort(near, {}, [&](Entry const* entry) {
    return distance(entry->measured.request, request);
  });
  std::vector<OriginalChoice> result;
  for (Entry const* const entry : near) {
    Origin const measured = entry->is_earlier ? Origin::remembered : Origin::tuned;
    bool const is_it = entry->measured.request == request;
    result.push_back(
        {.choice = entry->measured.choice, .origin = is_it ? measured : Origin::nearest}
    );
  }
  return result;
}

}  // namespace espalier::capi
