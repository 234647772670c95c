// SPDX-License-Identifier: Apache-2.0

/// @file
/// Operations of a bound program as steps of an MpiProgram.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include <mpi.h>

#include "espalier/exec/memory/binding.hpp"
#include "espalier/exec/messages/mpi_program.hpp"

namespace espalier::exec {

/// Makes steps of single operations, with the memory and the datatypes that these need.
class StepMaker {
public:
  /// Both must last as long as the object.
  StepMaker(BoundProgram const& program, MpiElements const& elements);

  [[nodiscard]] BoundProgram const& bound() const noexcept { return *bound_; }

  [[nodiscard]] MpiElements const& elements() const noexcept { return *elements_; }

  [[nodiscard]] std::span<MPI_Datatype const> elements_of(schedule::Buffer buffer) const;
  [[nodiscard]] bool is_bytes(schedule::Buffer buffer, std::span<Piece const> pieces) const;
  [[nodiscard]] MpiRegion region_of(schedule::Buffer buffer, std::span<Piece const> pieces);

  /// The program that the steps are added to.
  [[nodiscard]] MpiProgram& program() noexcept { return program_; }

  /// The start of a message, without region and request.
  [[nodiscard]] MpiStep message(BoundOperation const& operation) const;
  /// Sets the memory of a message inside the node, which is one run of bytes.
  /// @return what gathers or packs it before, or scatters or unpacks it after; none if the message
  ///     lies there already.
  [[nodiscard]] std::optional<MpiStep>
  place_near(BoundOperation const& operation, MpiStep& message);
  [[nodiscard]] MpiRegion message_region(BoundOperation const& operation);

  /// Adds the steps of a copy or a reduction.
  void add_local(BoundOperation const& operation);

  /// Adds the steps of a native call.
  void add_native(BoundOperation const& operation);

  /// A small message of several pieces, which we copy together.
  [[nodiscard]] bool is_staged(BoundOperation const& operation) const;
  /// Bytes of a message that has to be unpacked after it was received; 0 if it has not.
  [[nodiscard]] std::int64_t bytes_to_unpack(BoundOperation const& operation) const;
  /// Scratch memory behind that of the program.
  [[nodiscard]] MpiRegion room(std::int64_t num_bytes);
  /// A step of action gather or scatter, between the pieces of a message and its room.
  [[nodiscard]] MpiStep staging(
      MpiStep::Action action,
      schedule::Buffer buffer,
      MpiRegion const& room,
      std::span<Piece const> pieces
  );
  [[nodiscard]] MpiStep transfer(MpiTransfer const& transfer);

private:
  struct Runs {
    std::int64_t extent_bytes = 1;
    std::int64_t longest = std::numeric_limits<std::int64_t>::max();
  };

  [[nodiscard]] MpiRegion source_region(BoundOperation const& operation);
  [[nodiscard]] std::int64_t message_bytes(BoundOperation const& operation) const;
  void add_reduce(BoundOperation const& operation);
  void copy_bytes(BoundOperation const& operation);
  template <typename Visitor>
  void for_each_common_run(BoundOperation const& operation, Runs const& runs, Visitor&& visit);

  BoundProgram const* bound_;
  MpiElements const* elements_;
  MpiProgram program_;
};

/// Steps of a program in rounds, with waits where an operation needs them.
void compile_rounds(StepMaker& maker);

/// Steps of a dataflow program, and who waits for whom.
void compile_dataflow(StepMaker& maker);

}  // namespace espalier::exec
