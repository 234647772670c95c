// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/record.hpp"

#include <cstddef>

namespace espalier::learn {

Record since(Record const& later, Record const& earlier) {
  Record more = later;
  more.num_rounds -= earlier.num_rounds;
  for (std::size_t i = 0; i < earlier.candidates.size(); ++i) {
    Record::Candidate& candidate = more.candidates[i];
    candidate.against_native =
        candidate.against_native.without(earlier.candidates[i].against_native);
    candidate.against_leader =
        candidate.against_leader.without(earlier.candidates[i].against_leader);
  }
  return more;
}

Record joined(Record const& earlier, Record const& more) {
  if (earlier.candidates.empty()) {
    return more;
  }
  if (earlier.is_of_loop != more.is_of_loop) {
    return earlier.is_of_loop ? earlier : more;
  }
  Record all = earlier;
  all.num_rounds += more.num_rounds;
  for (std::size_t i = 0; i < all.candidates.size(); ++i) {
    Record::Candidate& candidate = all.candidates[i];
    Record::Candidate const& latest = more.candidates[i];
    candidate.seconds = latest.seconds > 0 ? latest.seconds : candidate.seconds;
    candidate.in_round = latest.in_round;
    candidate.against_native = candidate.against_native.with(latest.against_native);
    candidate.against_leader = candidate.against_leader.with(latest.against_leader);
    candidate.is_out = candidate.is_out || latest.is_out;
    candidate.may_run = candidate.may_run && latest.may_run;
  }
  return all;
}

}  // namespace espalier::learn
