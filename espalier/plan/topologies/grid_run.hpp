// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <mpi.h>

#include "espalier/exec/collectives/mpi_grid.hpp"
#include "espalier/exec/messages/mpi_executor.hpp"
#include "espalier/plan/communicators/underway.hpp"

namespace espalier::plan {

/// The collective along one dimension with its buffers, to be started any number of times.
/// Functions return MPI_SUCCESS or a code.
class LineRun {
public:
  LineRun() = default;
  LineRun(LineRun const&) = delete;
  LineRun& operator=(LineRun const&) = delete;
  LineRun(LineRun&&) = delete;
  LineRun& operator=(LineRun&&) = delete;
  virtual ~LineRun() = default;

  /// Local.
  virtual int start() noexcept = 0;
  /// Does what can be done without waiting. Local; not after it was complete.
  virtual int progress(bool& is_complete) noexcept = 0;

  /// Whether messages of it may be left, which a later one could take for its own.
  [[nodiscard]] virtual bool is_broken() const noexcept { return false; }
};

using LineRuns = std::vector<std::unique_ptr<LineRun>>;

/// An algorithm of the catalog along a line.
class ScheduledLine final : public LineRun {
public:
  ScheduledLine(exec::MpiExecutor executor, exec::LineBuffers buffers) noexcept;

  int start() noexcept override { return executor_.start(buffers_.input, buffers_.output); }

  int progress(bool& is_complete) noexcept override { return executor_.progress(is_complete); }

  [[nodiscard]] bool is_broken() const noexcept override { return executor_.is_broken(); }

private:
  exec::MpiExecutor executor_;
  exec::LineBuffers buffers_;
};

/// The collectives along all dimensions, as one that is underway: whoever looks after any
/// collective of this process moves it on, also from one dimension to the next.
class GridRun final : public Underway {
public:
  /// @param is_overlapped all dimensions at the same time; else one after the other, so that the
  ///     result of one can be the contribution to the next.
  GridRun(LineRuns lines, bool is_overlapped);

  /// As Underway::start(), with the buffers of the lines.
  int start() noexcept { return Underway::start(nullptr, nullptr); }

  [[nodiscard]] bool is_broken() const noexcept;

private:
  int begin() noexcept override;
  int proceed(bool& is_complete) noexcept override;
  int finish() noexcept override;
  /// Starts the lines from num_started_ on that may be underway now.
  void start_next() noexcept;
  /// A line is at its end. One that failed does not end the others, for which peers wait.
  void end(std::size_t line, int code) noexcept;

  LineRuns lines_;
  std::vector<char> is_complete_;
  std::size_t num_started_ = 0;
  std::size_t num_complete_ = 0;
  int code_ = MPI_SUCCESS;  ///< of the first line that failed
  bool is_overlapped_;
};

}  // namespace espalier::plan
