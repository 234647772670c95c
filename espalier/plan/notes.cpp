// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/notes.hpp"

#include <algorithm>
#include <utility>

namespace espalier::plan {

void Notes::warn(std::string const& line) {
  if (remember(line)) {
    log_(line);
  }
}

bool Notes::remember(std::string const& line) {
  std::lock_guard const lock(mutex_);
  if (std::ranges::find(warnings_, line) != warnings_.end()) {
    return false;
  }
  warnings_.push_back(line);
  return true;
}

void Notes::add(MappingNote note) {
  std::lock_guard const lock(mutex_);
  mappings_.push_back(std::move(note));
}

bool Notes::is_first(std::string const& words) {
  std::lock_guard const lock(mutex_);
  return told_.insert(words).second;
}

void Notes::add(CommunicatorClass const& communicator, Recorder const& recorder, CountedForm form) {
  std::lock_guard const lock(mutex_);
  totals_.add(communicator, recorder, form);
}

void Notes::add(
    CommunicatorClass const& communicator, Recorder::Row const& counted, CountedForm form
) {
  std::lock_guard const lock(mutex_);
  totals_.add(communicator, counted, form);
}

void Notes::add(CommunicatorClass const& communicator, NeighborRecorder const& recorder) {
  std::lock_guard const lock(mutex_);
  totals_.add(communicator, recorder);
}

void Notes::add(OwnCommunicators const& made) {
  std::lock_guard const lock(mutex_);
  totals_.add(made);
}

std::vector<std::string> Notes::warnings() const {
  std::lock_guard const lock(mutex_);
  return warnings_;
}

std::vector<MappingNote> Notes::mappings() const {
  std::lock_guard const lock(mutex_);
  return mappings_;
}

Totals Notes::totals() const {
  std::lock_guard const lock(mutex_);
  return totals_;
}

}  // namespace espalier::plan
