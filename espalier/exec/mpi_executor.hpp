// SPDX-License-Identifier: Apache-2.0

/// @file
/// Runs the program of one rank with MPI point-to-point messages. Calls PMPI names only.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <mpi.h>

#include "espalier/exec/binding.hpp"
#include "espalier/exec/layout.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::exec {

/// A number of elements of one datatype.
struct TypedCount {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::int64_t count = 0;
};

/// Memory and messages of one rank.
struct MpiSpec {
  /// Private to Espalier, with the error handler MPI_ERRORS_RETURN; not duplicated, not freed.
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Datatype output_type = MPI_DATATYPE_NULL;
  Layout output;  ///< in elements of output_type
  /// What the rank contributes, input block 0, at the input address. MPI_DATATYPE_NULL: it lies in
  /// the output already (MPI_IN_PLACE).
  TypedCount input{};

  /// Blocks are cut without regard to elements: the output is bytes, and elements with gaps are
  /// packed before (where the rank contributes the message) and unpacked after.
  struct Packed {
    TypedCount message{};
    bool contributes = false;
  };

  Packed packed{};
};

/// One collective of one rank, ready to run any number of times on different buffers.
///
/// Everything is made by the constructor: run() allocates nothing and takes no lock. Collectives
/// on one communicator may use different executors, in the same order on all ranks. Not to be used
/// by two threads at the same time. Must end before MPI_Finalize.
class MpiExecutor {
public:
  /// Local. Datatypes are duplicated; program and spec may end after it.
  /// @throws Error unsupported for programs that reduce, or need tags beyond MPI_TAG_UB; mpi if an
  ///     MPI call fails; argument if layout and program differ in number of blocks.
  MpiExecutor(schedule::RankProgram const& program, MpiSpec const& spec);
  MpiExecutor(MpiExecutor&&) noexcept;
  MpiExecutor& operator=(MpiExecutor&&) noexcept;
  MpiExecutor(MpiExecutor const&) = delete;
  MpiExecutor& operator=(MpiExecutor const&) = delete;
  ~MpiExecutor();

  /// Collective over the communicator: runs the program. `output` is the address of the user as it
  /// stands (also MPI_BOTTOM); `input` is not looked at in place.
  ///
  /// @return MPI_SUCCESS or the code of the first error. After an error the executor is broken:
  /// open
  ///     requests were cancelled or freed, every later run returns the same code, and messages may
  ///     be left on the communicator, which should not be used for other executors any more.
  int run(void const* input, void* output) noexcept;

  [[nodiscard]] bool is_broken() const noexcept;
  /// Memory held, including scratch and packing buffers, without what MPI keeps for datatypes.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Executor of MPI_Allgather: block i of the program lies where rank i's contribution goes.
/// `input.type` MPI_DATATYPE_NULL means MPI_IN_PLACE; otherwise the program may or may not have
/// from_input() applied: the copy is added where it is missing.
[[nodiscard]] MpiExecutor allgather_executor(
    schedule::RankProgram const& program, MPI_Comm comm, TypedCount input, TypedCount block
);

/// Executor of MPI_Allgatherv; counts and displacements as in the call, one for each rank.
[[nodiscard]] MpiExecutor allgatherv_executor(
    schedule::RankProgram const& program,
    MPI_Comm comm,
    TypedCount input,
    MPI_Datatype output_type,
    std::span<int const> counts,
    std::span<int const> displacements
);

/// Executor of MPI_Bcast. A program with several blocks cuts the message; run() gets the buffer as
/// `output` (input is not looked at).
[[nodiscard]] MpiExecutor
bcast_executor(schedule::RankProgram const& program, MPI_Comm comm, TypedCount message, int root);

}  // namespace espalier::exec
