// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <mpi.h>

#include "espalier/exec/messages/mpi_context.hpp"
#include "espalier/mpi/attribute.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// Contexts for the messages of many communicators, on one communicator of ours with all ranks of
/// MPI_COMM_WORLD. A context is a number, to which an interval of tags belongs:
///
///     | blocking calls | started calls  | persistent calls | blocking calls of the next ...
///       for all, then    for all, then    a slot of each
///       for functions    slots
///
/// Each MPI function has a part of the first third, as in the MPI libraries: what is left over from
/// a call whose ranks did not agree on sizes can meet later calls of that function only. Calls that
/// were started and not completed have slots of their own, see StartedCalls, and persistent ones
/// have, too, see PlannedSlots. Where no call can be started there are no such thirds.
///
/// One communicator for all of them: to make another one takes three reductions over all ranks in
/// MPI_Init, which on emulated hosts are 4 ms. Where tags are too few for that, as in MPICH, each
/// kind of calls has a communicator of its own, and the thirds have the same tags there. Where they
/// are too few for many contexts even so, as in Open MPI over UCX, the thirds are smaller.
///
/// The ranks of a communicator agree on its number with reductions over that very communicator:
/// when it is made, or in the first call that is a trial. No communicator is made, no lock is held
/// meanwhile, and each of these calls waits for all ranks anyway: so what ends without this ends
/// with it.
///
/// A number belongs to one communicator of a process at a time, so messages of two communicators
/// with common ranks never meet. It is free again when the communicator is and nothing is underway
/// on it: all its messages were received by then.
///
/// Different threads may claim numbers for different communicators at the same time.
class Contexts {
public:
  static constexpr int max_contexts = 1 << 16;
  /// Started calls of a communicator that send messages at the same time.
  static constexpr int num_slots = 64;
  /// Persistent calls that a communicator may have at a time.
  static constexpr int num_planned_slots = 2 * num_slots;
  /// The number of MPI_COMM_WORLD.
  static constexpr int world = 0;

  Contexts() = default;
  Contexts(Contexts const&) = delete;
  Contexts& operator=(Contexts const&) = delete;
  Contexts(Contexts&&) = delete;
  Contexts& operator=(Contexts&&) = delete;
  /// Communicators may outlive it: those of MPI sessions outlive MPI_Finalize.
  ~Contexts();

  /// Makes the communicator of all ranks. Collective over `all`, whose ranks are meant where it
  /// says MPI_COMM_WORLD here.
  /// @param starts  whether calls will be started, too; equal on all ranks
  /// @throws Error mpi.
  void open(MPI_Comm all = MPI_COMM_WORLD, bool starts = false);
  /// Frees it. Collective over MPI_COMM_WORLD.
  void close() noexcept;

  [[nodiscard]] bool is_open() const noexcept { return comm_ != MPI_COMM_NULL; }

  /// Whether calls can be started.
  [[nodiscard]] bool starts() const noexcept { return started_comm_ != MPI_COMM_NULL; }

  /// Gives an intracommunicator of ranks of MPI_COMM_WORLD a number until it is freed; it gets
  /// none, on all ranks, if there is none left. Collective over comm.
  /// @throws Error mpi.
  void give(MPI_Comm comm);
  /// Local. The communicator may be given a number by a later call.
  /// @throws Error mpi.
  void put_off(MPI_Comm comm);
  /// What a communicator was given; that of all ranks has `world`. None before open().
  /// @throws Error mpi.
  [[nodiscard]] std::optional<int> of(MPI_Comm comm) const;
  /// Whether put_off() was called for a communicator, which has no number yet.
  /// @throws Error mpi.
  [[nodiscard]] bool is_put_off(MPI_Comm comm) const;

  /// A number for such a communicator, which does not know it. Collective over comm.
  /// @throws Error mpi.
  [[nodiscard]] std::optional<int> claim(MPI_Comm comm);
  /// Local. The communicator exists no longer. A number that is held is free when it is not.
  void release(int number) noexcept;
  /// Local. Something is underway on the communicator, which may be freed meanwhile.
  void hold(int number) noexcept;
  /// Local. Nothing is underway any more.
  void let_go(int number) noexcept;
  /// Local. Messages may be left: the number is never used again.
  void retire(int number) noexcept;

  /// @param world_ranks  of the ranks of the communicator; empty: they are the same. Not copied.
  [[nodiscard]] exec::MpiContext
  context(int number, std::span<int const> world_ranks) const noexcept;

  /// The context of started calls, with the first slot: num_own_tags are from a slot to the next.
  [[nodiscard]] exec::MpiContext
  started_context(int number, std::span<int const> world_ranks) const noexcept;

  /// The context of persistent calls, with the first slot and without ranks. It has no other tags,
  /// so num_tags are from a slot to the next.
  [[nodiscard]] exec::MpiContext planned_context(int number) const noexcept;

  /// A context with one tag, for what ranks tell each other behind calls.
  [[nodiscard]] exec::MpiContext
  exchange_context(int number, std::span<int const> world_ranks) const noexcept;

  /// A context with the part of one function.
  [[nodiscard]] static exec::MpiContext
  part(exec::MpiContext const& context, profile::Call call) noexcept;

private:
  enum class Use : std::uint8_t { free, used, held, held_and_released, retired };

  /// A third of a context. A program needs tags for its segments only: most need few.
  struct Tags {
    int all = 0;       ///< of one kind of calls
    int of_all = 0;    ///< for programs that need many
    int per_call = 0;  ///< for the others, of each function
    int per_slot = 0;  ///< for the others, of each call that was started or is persistent
  };

  /// The largest with which there are enough contexts, as far as that is possible.
  [[nodiscard]] static Tags divide(std::int64_t num_tags) noexcept;

  /// What communicators keep of those that put_off() was called for.
  static constexpr int none_yet = -1;

  static int on_delete(MPI_Comm comm, int keyval, void* number, void* id) noexcept;
  /// What communicators keep is nothing to this object any more.
  void disown() noexcept;
  void keep(MPI_Comm comm, int number);
  [[nodiscard]] std::optional<int> kept(MPI_Comm comm) const;
  /// Gives calls that are started, and persistent ones, tags of their own. Collective over `all`.
  void share_tags(std::int64_t num_tags);
  /// The smallest free number from `least` on becomes used; num_contexts_ if there is none.
  int take(int least);

  std::intptr_t id_ = 0;                     ///< from open() on; no other object has had it
  MPI_Comm all_ = MPI_COMM_NULL;             ///< of open()
  std::unique_ptr<mpi::Attribute> numbers_;  ///< from open() on
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Comm started_comm_ = MPI_COMM_NULL;  ///< may be comm_
  MPI_Comm planned_comm_ = MPI_COMM_NULL;  ///< may be comm_
  Tags tags_{};
  int third_ = 0;  ///< from the tags of one kind of calls to those of the next
  int tags_per_context_ = 0;
  int num_contexts_ = 0;
  std::mutex mutex_;  ///< guards uses_
  std::vector<Use> uses_;
};

}  // namespace espalier::plan
