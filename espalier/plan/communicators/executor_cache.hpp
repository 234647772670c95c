// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/exec/messages/mpi_executor.hpp"
#include "espalier/neighborhood/algorithm.hpp"
#include "espalier/plan/communicators/counts_key.hpp"
#include "espalier/plan/neighbors/neighbor_name.hpp"
#include "espalier/profile/call.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::plan {

/// What an executor depends on besides the communicator. Datatypes of the user are never part of
/// it: what is cached travels as bytes, and is reduced as elements of named types.
struct ExecutorKey {
  algorithms::Choice const* choice = nullptr;
  profile::Call call = profile::Call::allgather;
  bool is_in_place = false;
  int root = 0;
  std::int64_t bytes = 0;        ///< of a block or message; where blocks have counts: of an element
  std::int64_t input_bytes = 0;  ///< alltoallv: of an element of the send buffer
  MPI_Op op = MPI_OP_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< that is reduced
  /// Of a neighborhood collective: its algorithm, instead of a choice, and its function.
  neighborhood::Algorithm const* neighbor_algorithm = nullptr;
  NeighborCall neighbor_call = NeighborCall::allgather;

  friend bool operator==(ExecutorKey const&, ExecutorKey const&) = default;
};

/// Bound executors of one communicator, the ones used last. find() allocates nothing.
class ExecutorCache {
public:
  static constexpr std::size_t max_entries = 64;
  static constexpr std::size_t max_bytes = std::size_t{512} * 1024;

  /// @return null if there is none.
  [[nodiscard]] exec::MpiExecutor* find(ExecutorKey const& key, CountsKey const& counts) noexcept;
  /// The same, and it is here no longer.
  [[nodiscard]] std::optional<exec::MpiExecutor>
  take(ExecutorKey const& key, CountsKey const& counts) noexcept;
  /// Keeps an executor and drops those used least recently beyond the limits, never the new one.
  exec::MpiExecutor&
  insert(ExecutorKey const& key, CountsKey const& counts, exec::MpiExecutor executor);
  void clear() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  /// Scanned on every call, so it is small and apart from the rest.
  struct Key {
    ExecutorKey key;
    std::uint64_t hash;
    std::uint64_t last_use;
  };

  struct Entry {
    StoredCounts counts;
    exec::MpiExecutor executor;
    std::size_t memory_bytes;
  };

  /// Position of an executor, size() if there is none.
  [[nodiscard]] std::size_t
  position(ExecutorKey const& key, CountsKey const& counts) const noexcept;
  void erase(std::size_t index) noexcept;
  [[nodiscard]] std::size_t least_recent() const noexcept;

  std::vector<Key> keys_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::size_t entry_bytes_ = 0;
  std::uint64_t clock_ = 0;
};

/// Programs of one rank, shared by executors for different sizes; the ones used last.
class ProgramCache {
public:
  static constexpr std::size_t max_entries = 32;
  static constexpr std::size_t max_bytes = std::size_t{128} * 1024;

  /// The program, generated if need be; null if profile::refuses() says why there is none. Valid
  /// until the next call.
  [[nodiscard]] schedule::RankProgram const*
  get(algorithms::Choice const& choice, profile::Call call, int num_ranks, int root, int rank);

  void clear() noexcept { entries_.clear(); }

  [[nodiscard]] std::size_t memory_bytes() const noexcept;

private:
  struct Entry {
    algorithms::Choice const* choice;
    profile::Call call;
    int root;
    bool is_refused;
    schedule::RankProgram program;
  };

  std::list<Entry> entries_;  ///< the one used last in front
};

}  // namespace espalier::plan
