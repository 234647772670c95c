// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/onesided/threads/thread_world.hpp"

namespace espalier::onesided {

/// One rank of a ThreadWorld.
class ThreadConduit : public MemoryConduit {
public:
  ThreadConduit(ThreadWorld& world, int rank, std::vector<Handler> handlers);

protected:
  void look_around() final;

  ThreadWorld& world_;
};

}  // namespace espalier::onesided
