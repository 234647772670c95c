// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/own_work.hpp"

#include <dlfcn.h>

#include <mpi.h>

namespace espalier::capi {
namespace {

using Tell = int (*)(int);

/// Null without a preloaded library, and on simulated machines, where it knows all ranks as one.
Tell find_preloaded() noexcept {
#ifdef SMPI_H
  return nullptr;
#else
  return reinterpret_cast<Tell>(dlsym(RTLD_DEFAULT, "espalier_own_work"));
#endif
}

Tell preloaded() noexcept {
  static Tell const found = find_preloaded();
  return found;
}

}  // namespace

OwnWork::OwnWork() noexcept {
  if (Tell const tell = preloaded()) {
    before_ = tell(1);
  }
}

OwnWork::~OwnWork() {
  if (Tell const tell = preloaded()) {
    tell(before_);
  }
}

}  // namespace espalier::capi
