// SPDX-License-Identifier: Apache-2.0

/// @file
/// What an executor tells the watch of its waits.

#pragma once

#include <cstddef>
#include <span>

#include "espalier/exec/memory/binding.hpp"
#include "espalier/exec/messages/mpi_program.hpp"
#include "espalier/watch/beacon.hpp"

namespace espalier::exec {

/// Adds what is told of each wait to a program that was compiled of another.
void add_told_waits(BoundProgram const& bound, MpiProgram& program);

/// Tells where a run waits, if the call it runs for is watched.
class Teller {
public:
  /// Before the first wait of a run.
  void begin(MpiProgram const& program) noexcept {
    beacon_ = watch::current_beacon();
    if (beacon_ != nullptr) {
      beacon_->set_rounds(program.num_rounds);
    }
  }

  /// After the run: the call may be over, and its beacon with it.
  void end() noexcept { beacon_ = nullptr; }

  /// `number`: of what is waited for.
  [[gnu::always_inline]] void wait_at(MpiProgram const& program, int number) noexcept {
    if (beacon_ != nullptr) [[unlikely]] {
      beacon_->wait_at(program.told_waits[static_cast<std::size_t>(number)]);
    }
  }

  /// Any of these operations is waited for.
  [[gnu::always_inline]] void
  wait_at_any(MpiProgram const& program, std::span<int const> operations) noexcept {
    if (beacon_ != nullptr) [[unlikely]] {
      beacon_->wait_at(first_of(program, operations));
    }
  }

private:
  /// The first that receives stands for all.
  [[nodiscard]] static watch::Wait
  first_of(MpiProgram const& program, std::span<int const> operations) noexcept;

  watch::Beacon* beacon_ = nullptr;
};

}  // namespace espalier::exec
