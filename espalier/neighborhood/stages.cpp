// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/stages.hpp"

#include <cstddef>
#include <utility>

#include "espalier/schedule/transforms.hpp"

namespace espalier::neighborhood {

using schedule::Buffer;
using schedule::Kind;
using schedule::RankProgram;
using schedule::Slot;

Slot Stages::scratch(int label) {
  labels_.push_back(label);
  return {.buffer = Buffer::scratch, .first = static_cast<int>(labels_.size()) - 1};
}

Stages::Round& Stages::at(int round) {
  if (rounds_.size() <= static_cast<std::size_t>(round)) {
    rounds_.resize(static_cast<std::size_t>(round) + 1);
  }
  return rounds_[static_cast<std::size_t>(round)];
}

void Stages::recv(int round, int peer, Slots slots) {
  at(round).receives.push_back(
      {{.kind = Kind::recv, .peer = peer, .round = round}, std::move(slots), {}}
  );
}

void Stages::send(int round, int peer, Slots slots) {
  at(round).sends.push_back(
      {{.kind = Kind::send, .peer = peer, .round = round}, std::move(slots), {}}
  );
}

void Stages::copy_first(Slots destination, Slots source) {
  if (destination.empty()) {
    return;
  }
  first_copies_.push_back({{.kind = Kind::copy}, std::move(destination), std::move(source)});
}

void Stages::copy_after(int round, Slots destination, Slots source) {
  if (destination.empty()) {
    return;
  }
  at(round).copies.push_back(
      {{.kind = Kind::copy, .round = round}, std::move(destination), std::move(source)}
  );
}

Stages::Slots Stages::coalesced(Slots const& slots) const {
  Slots result;
  for (Slot const& slot : slots) {
    int const size = builder_.frame().num_blocks(slot.buffer);
    bool const repeats = !result.empty() && (result.back().first == slot.first ||
                                             result.back().num_blocks + slot.num_blocks > size);
    if (repeats) {
      result.push_back(slot);  // as a source may be
    } else {
      schedule::append_coalesced(result, slot, size);
    }
  }
  return result;
}

void Stages::emit(std::vector<Step> const& steps, int after) {
  for (Step const& step : steps) {
    schedule::Operation operation = step.operation;
    operation.after = after;
    builder_.repeat(operation, coalesced(step.slots), coalesced(step.sources));
  }
}

RankProgram Stages::finish() && {
  RankProgram program = std::move(builder_).finish();
  program.frame.scratch_like = std::move(labels_);
  builder_ = schedule::Builder(std::move(program));
  at(0);
  std::vector<int> written;  // position after the receives of each round
  emit(rounds_.front().receives, 0);
  written.push_back(builder_.num_operations());
  emit(rounds_.front().sends, 0);
  emit(first_copies_, 0);
  int ready = builder_.num_operations();  // what the sends of the next round wait for
  for (std::size_t round = 1; round < rounds_.size(); ++round) {
    emit(rounds_[round].receives, 0);
    written.push_back(builder_.num_operations());
  }
  for (std::size_t round = 0; round < rounds_.size(); ++round) {
    if (round + 1 < rounds_.size()) {
      emit(rounds_[round + 1].sends, ready);
      ready = written[round + 1];
    }
    emit(rounds_[round].copies, written[round]);
  }
  return std::move(builder_).finish();
}

}  // namespace espalier::neighborhood
