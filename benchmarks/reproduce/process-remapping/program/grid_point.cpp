// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/reproduce/process-remapping/program/grid_point.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/reproduce/process-remapping/program/grid_memory.hpp"
#include "espalier/base/error.hpp"
#include "espalier/measure/common/timer.hpp"
#include "espalier/plan/topologies/grid_trial.hpp"

namespace espalier::measure {
namespace {

using plan::GridLines;

/// A way on a grid, ready to run. @return MPI_SUCCESS or the code of an error.
using Run = std::function<int()>;

/// Collective. @throws Error as GridLines::plan and line_choices.
Run run_of(GridPoint const& point, GridLines& lines, GridMemory& memory, std::string const& way) {
  std::vector<plan::LineCall> calls = memory.calls();
  if (way == "native") {
    for (int dimension = 0; dimension < lines.grid().num_dimensions(); ++dimension) {
      PMPI_Comm_set_errhandler(lines.line(dimension), MPI_ERRORS_RETURN);
    }
    return [&lines, &point, calls = std::move(calls)] {
      return lines.run_native(point.collective, calls, point.is_overlapped);
    };
  }
  std::vector<std::string> const choices =
      plan::line_choices(point.collective, way, calls, point.segment_bytes);
  auto executor =
      std::make_shared<exec::GridExecutor>(lines.plan(point.collective, calls, choices));
  return [executor, buffers = plan::buffers_of(calls), is_overlapped = point.is_overlapped] {
    return is_overlapped ? executor->run_overlapped(buffers) : executor->run_in_turn(buffers);
  };
}

/// Collective: what is wrong, the same on all ranks; empty if nothing, or if there are no values.
std::string prove(Job const& job, GridLines const& lines, GridMemory& memory, Run const& run) {
  for (std::uint32_t stamp = 1; memory.holds_values() && stamp <= 2; ++stamp) {
    memory.fill(lines.grid(), lines.rank(), stamp);
    int const code = run();
    std::string const problem =
        code == MPI_SUCCESS
            ? memory.problem(lines.grid(), lines.rank(), stamp)
            : "expected the collectives to succeed, got MPI error code " + std::to_string(code);
    if (std::string complaint = first_complaint(job, problem); !complaint.empty()) {
      return complaint;
    }
  }
  return {};
}

/// All grids and ways of a point. Refers to what it is given.
class PointRun {
public:
  PointRun(Job const& job, GridTask const& task, plan::MachineText const& machine)
      : job_(&job), task_(&task), machine_(&machine), memory_(task.point) {}

  void make_grids() {
    for (std::string const& name : task_->point.mappings) {
      try {
        grids_.push_back(plan::make_grid(job_->comm, request(name)));
      } catch (Error const& error) {
        complain({.mapping = name, .way = ""}, "refused", error);
        continue;
      }
      if (task_->file != nullptr) {
        task_->file->write_mapping(task_->number, grids_.back());
      }
    }
  }

  void time_ways(Pace const& pace) {
    for (plan::MappedGrid const& grid : grids_) {
      for (std::string const& way : task_->point.ways) {
        add(grid, way);
      }
    }
    if (cases_.empty()) {
      return;
    }
    // From one root, calls of a sample would run in a pipeline.
    Pace one_call = pace;
    one_call.most_calls = 1;
    Timer timer(*job_, one_call, timed_calls_);
    Samples const samples = timer.run();
    if (task_->file != nullptr) {
      task_->file->write_point(*task_, cases_, samples, memory_.holds_values());
    }
  }

  void try_mappings() {
    for (std::string const& way : task_->point.ways) {
      plan::GridRequest wanted = request("");
      wanted.num_calls = task_->point.trial_calls;
      // Lines are made and schedules planned in the first call of a candidate, which is not timed.
      int num_calls = 0;
      Run run;
      wanted.pattern = [&](GridLines& lines) {
        if (num_calls++ % (1 + wanted.num_calls) == 0) {
          run = run_of(task_->point, lines, memory_, way);
        }
        return run();
      };
      plan::MappedGrid const best = plan::make_grid(job_->comm, wanted);
      run = {};
      if (task_->file != nullptr) {
        task_->file->write_trial(task_->number, way, best);
      }
    }
  }

private:
  [[nodiscard]] plan::GridRequest request(std::string const& mapping) const {
    return {
        .grid = mapping::CartesianGrid(task_->point.extents),
        .mapping = mapping,
        .machine = *machine_,
    };
  }

  void add(plan::MappedGrid const& grid, std::string const& way) {
    GridCase const made{.mapping = grid.mapping, .way = way};
    Run const run = run_of(task_->point, *grid.lines, memory_, way);
    if (std::string const problem = prove(*job_, *grid.lines, memory_, run); !problem.empty()) {
      complain(made, "wrong", Error(ErrorCode::argument, problem));
      return;
    }
    cases_.push_back(made);
    timed_calls_.push_back({.name = grid.mapping + " " + way, .run = [run](int) { return run(); }});
  }

  void complain(GridCase const& made, char const* reason, Error const& error) const {
    if (error.code() == ErrorCode::mpi || error.code() == ErrorCode::io) {
      throw error;
    }
    if (task_->file != nullptr) {
      task_->file->write_error(task_->number, made, reason, error.what());
    }
  }

  Job const* job_;
  GridTask const* task_;
  plan::MachineText const* machine_;
  GridMemory memory_;
  std::deque<plan::MappedGrid> grids_;
  std::vector<GridCase> cases_;
  std::vector<TimedCall> timed_calls_;
};

}  // namespace

void measure_grid_point(
    Job const& job, GridTask const& task, Pace const& pace, plan::MachineText const& machine
) {
  if (mapping::CartesianGrid(task.point.extents).num_positions() != job.num_ranks) {
    if (task.file != nullptr) {
      task.file->write_error(
          task.number,
          {},
          "refused",
          "expected a grid of all " + std::to_string(job.num_ranks) + " ranks, got another"
      );
    }
    return;
  }
  PointRun run(job, task, machine);
  run.make_grids();
  run.time_ways(pace);
  if (task.point.trial_calls > 0) {
    run.try_mappings();
  }
}

}  // namespace espalier::measure
