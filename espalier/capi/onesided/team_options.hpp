// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>

#include "include/espalier_onesided.h"

#include "espalier/schedule/one_sided.hpp"

namespace espalier::capi {

/// espalier_onesided_options, checked and copied.
struct TeamOptions {
  schedule::Synchronization mode{.in = schedule::Sync::allsync, .out = schedule::Sync::allsync};
  schedule::AddressMode addresses = schedule::AddressMode::single;
  bool is_reproducible = false;                  ///< reductions
  std::string algorithm;                         ///< empty: chosen
  std::optional<schedule::Mechanism> mechanism;  ///< none: chosen
  bool learns = false;                           ///< takes turns among candidates in its calls
  bool tells_places = false;                     ///< members tell each other where buffers are
};

/// Whether it asks for members to tell each other where buffers are; the rest of it may be wrong.
[[nodiscard]] bool tells_places(espalier_onesided_options const* given) noexcept;

/// Whether it asks for addresses that each member knows of its own buffers only; the rest of it may
/// be wrong.
[[nodiscard]] bool are_local(espalier_onesided_options const* given) noexcept;

/// Local. @throws Error argument.
[[nodiscard]] TeamOptions read(espalier_onesided_options const* given);

}  // namespace espalier::capi
