// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/forms/hockney.hpp"

namespace espalier::cost {

double time(Work const& work, Hockney const& machine, double block_bytes) {
  double const bytes_time = static_cast<double>(work.volume) * machine.beta +
                            static_cast<double>(work.reductions) * machine.gamma;
  return work.rounds * machine.alpha + bytes_time * block_bytes;
}

std::optional<Work> closed_form(algorithms::Facts const& facts) {
  if (!facts.volume || !facts.reductions) {
    return std::nullopt;
  }
  return Work{.rounds = facts.rounds, .volume = *facts.volume, .reductions = *facts.reductions};
}

}  // namespace espalier::cost
