// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::capi {

/// While one lives, collectives of this thread are our own: a library that is preloaded into the
/// program hands them to MPI, and counts none of them. What is asked to be native is native then.
class OwnWork {
public:
  OwnWork() noexcept;
  ~OwnWork();

  OwnWork(OwnWork const&) = delete;
  OwnWork& operator=(OwnWork const&) = delete;
  OwnWork(OwnWork&&) = delete;
  OwnWork& operator=(OwnWork&&) = delete;

private:
  int before_ = 0;
};

}  // namespace espalier::capi
