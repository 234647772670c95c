// SPDX-License-Identifier: Apache-2.0

/// @file
/// Runs the program of one rank with MPI point-to-point messages. Calls PMPI names only.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <mpi.h>

#include "espalier/exec/memory/binding.hpp"
#include "espalier/exec/memory/layout.hpp"
#include "espalier/exec/messages/mpi_context.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::exec {

/// A number of elements of one datatype.
struct TypedCount {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::int64_t count = 0;
};

/// Blocks and the elements they consist of.
struct MpiBlocks {
  MPI_Datatype type = MPI_BYTE;
  Layout layout = Layout::uniform(0, 0, 1);  ///< in elements of type
  /// If not empty, block i has elements of types[i] instead; the layout has an extent of 1.
  std::vector<MPI_Datatype> types{};
};

/// Operands of a reduction.
struct MpiReduction {
  MPI_Op op = MPI_OP_NULL;
  /// The operator is called with this handle, so both must last as long as the executor.
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

/// Memory and messages of one rank.
struct MpiSpec {
  MpiContext context;
  MpiBlocks output;
  /// What the rank contributes, at the input address; none if the program reads no input.
  std::optional<MpiBlocks> input{};
  /// Sizes of the output blocks, where some of them have no place on this rank.
  std::optional<MpiBlocks> sizes{};
  /// Neighborhood collectives: bytes of data of each scratch block. Input and output blocks then
  /// have sizes of their own, and labels say nothing of them.
  std::optional<std::vector<std::int64_t>> scratch_bytes{};
  /// For programs that reduce; output and input then have elements of its type.
  std::optional<MpiReduction> reduction{};
  /// The input lies at the output address.
  bool input_is_output = false;

  /// Blocks are cut without regard to elements: the output is bytes, and elements with gaps are
  /// packed before (where the rank contributes the message) and unpacked after.
  struct Packed {
    TypedCount message{};
    bool contributes = false;
  };

  Packed packed{};
};

/// What one run costs a rank.
struct RunCost {
  std::int64_t num_messages = 0;  ///< that it sends to other ranks
  std::int64_t num_bytes = 0;     ///< in these messages
  std::int64_t scratch_bytes = 0;
};

/// One collective of one rank, ready to run any number of times on different buffers.
///
/// Everything is made by the constructor: run() allocates nothing and takes no lock. Collectives
/// on one communicator may use different executors, in the same order on all ranks. Not to be used
/// by two threads at the same time. Must end before MPI_Finalize.
class MpiExecutor {
public:
  /// Local. Datatypes are duplicated; program and spec may end after it.
  /// @throws Error unsupported for programs that need tags beyond MPI_TAG_UB, or memory that this
  ///     rank does not have; mpi if an MPI call fails; argument if layout and program differ in
  ///     number of blocks, or sizes of input and output differ.
  MpiExecutor(schedule::RankProgram const& program, MpiSpec const& spec);
  MpiExecutor(MpiExecutor&&) noexcept;
  MpiExecutor& operator=(MpiExecutor&&) noexcept;
  MpiExecutor(MpiExecutor const&) = delete;
  MpiExecutor& operator=(MpiExecutor const&) = delete;
  ~MpiExecutor();

  /// Collective over the communicator: runs the program. `output` is the address of the user as it
  /// stands (also MPI_BOTTOM); `input` is not looked at if the spec has none.
  ///
  /// @return MPI_SUCCESS or the code of the first error. A message that failed, for example since
  /// it
  ///     was longer than expected, does not end the run: this rank sends and receives what others
  ///     wait for, its result is undefined, and the next run is a new one. Only where MPI does not
  ///     say which message failed the executor is broken: open requests were cancelled or freed,
  ///     and every later run returns the same code.
  int run(void const* input, void* output) noexcept;

  /// Nonblocking: begins a run, which progress() has to bring to its end before the next one. The
  /// first messages are underway then, and nobody looked whether others have come: where ranks
  /// share processors, the MPI library may leave its processor to them in such a look. Local.
  /// Arguments and errors as for run().
  int start(void const* input, void* output) noexcept;
  /// Does what can be done of the started run without waiting; is_complete tells whether it is at
  /// its end, and must be asked until it is. Local.
  int progress(bool& is_complete) noexcept;

  /// Of a started run: changes whenever progress() finds that something is complete. Local.
  [[nodiscard]] std::size_t position() const noexcept;

  /// Brings a started run to its end, waiting for what is missing. @return as run().
  int finish() noexcept;

  /// Adds `shift` to the tags from `least` on of the messages, between two runs: so runs of equal
  /// calls that are under way at the same time can have executors that were made at any time.
  void shift_tags(int least, int shift) noexcept;
  /// Whether a message has a tag below `limit`.
  [[nodiscard]] bool has_tag_below(int limit) const noexcept;

  [[nodiscard]] bool is_broken() const noexcept;
  /// Counted from what is bound. Local.
  /// @throws Error mpi.
  [[nodiscard]] RunCost cost() const;
  /// Memory held, including scratch and packing buffers, without what MPI keeps for datatypes.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace espalier::exec
