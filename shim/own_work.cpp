// SPDX-License-Identifier: Apache-2.0

#include "shim/own_work.hpp"

/// Shown to the library of the C interface in the same process, whose collectives are no program's
/// (espalier/capi/own_work.hpp): says whether they are going on, and returns what was said before.
extern "C" [[gnu::visibility("default")]] int espalier_own_work(int is_going_on) noexcept;

int espalier_own_work(int is_going_on) noexcept {
  return espalier::shim::OwnWork::set(is_going_on != 0) ? 1 : 0;
}
