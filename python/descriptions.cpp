// SPDX-License-Identifier: Apache-2.0

#include "python/descriptions.hpp"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace espalier::python {
namespace {

nb::list amounts_of(cost::Crossings const& crossings) {
  nb::list result;
  for (cost::Amount const& amount : crossings) {
    nb::dict described;
    described["messages"] = amount.messages;
    described["blocks"] = amount.blocks;
    result.append(described);
  }
  return result;
}

}  // namespace

nb::dict facts_of(algorithms::Facts const& facts, int num_blocks) {
  nb::dict result;
  result["rounds"] = facts.rounds;
  result["messages"] = facts.messages;
  result["blocks"] = facts.blocks;
  result["scratch"] = facts.scratch;
  result["output_blocks"] = num_blocks;
  return result;
}

nb::dict work_of(cost::Work const& work) {
  nb::dict result;
  result["rounds"] = work.rounds;
  result["volume"] = work.volume;
  result["reductions"] = work.reductions;
  return result;
}

nb::list messages_of(std::vector<verify::Sent> const& messages) {
  nb::list result;
  for (verify::Sent const& message : messages) {
    nb::dict described;
    described["round"] = message.round;
    described["sender"] = message.sender;
    described["receiver"] = message.receiver;
    described["blocks"] = message.num_blocks;
    described["cargo"] = message.cargo;
    result.append(described);
  }
  return result;
}

nb::dict traffic_of(std::span<cost::Crossings const> rounds, machine::Machine const& machine) {
  nb::list described;
  for (cost::Crossings const& crossings : rounds) {
    described.append(amounts_of(crossings));
  }
  nb::dict result;
  result["rounds"] = described;
  result["total"] = amounts_of(cost::total(rounds, machine));
  return result;
}

}  // namespace espalier::python
