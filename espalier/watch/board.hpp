// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "espalier/watch/record.hpp"

namespace espalier::watch {

/// The records of the ranks of one node: a file in shared memory with one page for each rank of
/// MPI_COMM_WORLD, of which only those of this node's ranks exist. Without shared memory a rank has
/// its own record alone.
class Board {
public:
  /// Opens the file or makes it, and announces this rank. Never fails.
  /// @param name as drawn by draw_name(), the same on all ranks; empty: no shared memory.
  Board(std::string const& name, int num_ranks, int rank);
  Board(Board const&) = delete;
  Board& operator=(Board const&) = delete;
  Board(Board&&) = delete;
  Board& operator=(Board&&) = delete;
  ~Board();

  /// A name nobody else has; empty if the kernel gives no random numbers.
  [[nodiscard]] static std::string draw_name();

  /// Takes the name away; whoever has the file open keeps it. To be called when all ranks of the
  /// node have it open, and again whenever that does no harm.
  static void remove_name(std::string const& name) noexcept;

  [[nodiscard]] Record& own() noexcept { return *own_; }

  [[nodiscard]] bool is_shared() const noexcept { return file_ >= 0; }

  [[nodiscard]] int num_ranks() const noexcept { return num_ranks_; }

  /// What a rank is doing; none if it has no record here: it runs on another node.
  [[nodiscard]] std::optional<Findings> look_at_rank(int rank) const;

  /// From MPI_Finalize, or the end of the process, on.
  void finish() noexcept;

private:
  void share(std::string const& name);
  bool read(int rank, Record& to) const noexcept;

  int num_ranks_;
  int rank_;
  int file_ = -1;
  std::unique_ptr<Record> private_;
  Record* own_ = nullptr;
};

}  // namespace espalier::watch
