// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/tuning_options.hpp"

#include <cmath>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"

namespace espalier::capi {

TuningOptions read(espalier_tuning_options const* given) {
  constexpr unsigned known = ESPALIER_TUNE_ANEW | ESPALIER_TUNE_EVERY;
  TuningOptions options;
  if (given == nullptr) {
    return options;
  }
  if (given->size != sizeof(espalier_tuning_options) || (given->flags & ~known) != 0) {
    throw Error(
        ErrorCode::argument,
        "expected options set by ESPALIER_TUNING_OPTIONS_INIT with flags of ESPALIER_TUNE_ANEW and "
        "ESPALIER_TUNE_EVERY"
    );
  }
  if (!std::isfinite(given->seconds) || given->seconds < 0) {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected seconds above 0 that a tuning may take, or 0 for {}, got {}",
            TuningOptions::usual_seconds,
            given->seconds
        )
    );
  }
  if (given->seconds > 0) {
    options.seconds = given->seconds;
  }
  options.is_anew = (given->flags & ESPALIER_TUNE_ANEW) != 0;
  options.is_exhaustive = (given->flags & ESPALIER_TUNE_EVERY) != 0;
  options.meanwhile = given->meanwhile;
  options.context = given->context;
  return options;
}

}  // namespace espalier::capi
