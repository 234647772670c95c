// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/synchronization.hpp"

#include "espalier/base/error.hpp"
#include "espalier/base/names.hpp"

namespace espalier::schedule {
namespace {

std::string_view to_string(Sync sync) noexcept {
  switch (sync) {
  case Sync::nosync:
    return "NOSYNC";
  case Sync::mysync:
    return "MYSYNC";
  case Sync::allsync:
    return "ALLSYNC";
  }
  return "unknown";
}

}  // namespace

std::array<Synchronization, 9> all_synchronizations() noexcept {
  std::array<Synchronization, 9> modes{};
  std::size_t next = 0;
  for (Sync const in : all_syncs) {
    for (Sync const out : all_syncs) {
      modes[next++] = {.in = in, .out = out};
    }
  }
  return modes;
}

std::string to_string(Synchronization mode) {
  std::string text = "IN_";
  text += to_string(mode.in);
  text += "|OUT_";
  text += to_string(mode.out);
  return text;
}

Synchronization parse_synchronization(std::string_view text) {
  auto const modes = all_synchronizations();
  auto const name_of = [](Synchronization mode) { return to_string(mode); };
  if (auto const found = find_named(modes, text, name_of)) {
    return *found;
  }
  throw Error(
      ErrorCode::argument,
      "expected a synchronization mode (" + list_names(modes, name_of) + "), got '" +
          std::string(text) + "'"
  );
}

}  // namespace espalier::schedule
