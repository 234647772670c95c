// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "include/espalier_onesided.h"

namespace espalier::capi {

/// espalier_tuning_options, checked and copied.
struct TuningOptions {
  static constexpr double usual_seconds = 0.2;

  double seconds = usual_seconds;
  bool is_anew = false;        ///< what an earlier run measured is measured again
  bool is_exhaustive = false;  ///< whatever a model thinks of candidates
  void (*meanwhile)(void*) = nullptr;
  void* context = nullptr;
};

/// Local. @throws Error argument.
[[nodiscard]] TuningOptions read(espalier_tuning_options const* given);

}  // namespace espalier::capi
