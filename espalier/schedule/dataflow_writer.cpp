// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/dataflow_writer.hpp"

#include <algorithm>

namespace espalier::schedule {

DataflowWriter::DataflowWriter(Frame frame, int rank) {
  program_.frame = std::move(frame);
  program_.rank = rank;
}

int DataflowWriter::add(
    Operation operation,
    std::vector<Slot> const& slots,
    std::vector<Slot> const& sources,
    std::vector<int> const& waits
) {
  operation.slots = store(slots, has_remote_slots(operation.kind));
  operation.sources = store(sources, has_remote_sources(operation.kind));
  operation.waits = store(waits);
  program_.operations.push_back(operation);
  return size() - 1;
}

int DataflowWriter::add_last(Operation operation) {
  operation.after = size();
  operation.after_sends = size();
  return add(operation, {});
}

/// The stride of a single block says nothing, but must be that of a block of the buffer.
Range DataflowWriter::store(std::vector<Slot> slots, bool is_remote) {
  for (Slot& slot : slots) {
    if (!is_remote && slot.num_blocks == 1) {
      slot.stride = program_.frame.num_blocks(slot.buffer) > 1 ? 1 : 0;
    }
  }
  return add_slots(program_, slots);
}

Range DataflowWriter::store(std::vector<int> waits) {
  std::ranges::sort(waits);
  waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
  auto const begin = static_cast<int>(program_.wait_pool.size());
  program_.wait_pool.insert(program_.wait_pool.end(), waits.begin(), waits.end());
  return {.begin = begin, .end = static_cast<int>(program_.wait_pool.size())};
}

}  // namespace espalier::schedule
