// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/onesided/threads/thread_world.hpp"

namespace espalier::onesided {

/// One rank of a ThreadWorld.
class ThreadConduit : public MemoryConduit {
public:
  ThreadConduit(ThreadWorld& world, int rank, std::vector<Handler> handlers);
  ThreadConduit(ThreadConduit const&) = delete;
  ThreadConduit& operator=(ThreadConduit const&) = delete;
  ThreadConduit(ThreadConduit&&) = delete;
  ThreadConduit& operator=(ThreadConduit&&) = delete;

  ~ThreadConduit() override { note_end(); }

protected:
  void look_around() final;

  ThreadWorld& world_;
};

}  // namespace espalier::onesided
