// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::measure::probe {

/// Tags of the messages on the communicator of the job.
enum Tag : int {
  tag_start = 1,  ///< barrier before a repetition
  tag_message,    ///< what is measured
  tag_reply,
  tag_ready,
  tag_order,   ///< leader of a set -> its ranks: what to do next
  tag_times,   ///< measuring rank -> leader
  tag_step,    ///< rank 0 -> ranks of a set: begin
  tag_result,  ///< leader -> rank 0
};

}  // namespace espalier::measure::probe
