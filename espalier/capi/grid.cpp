// SPDX-License-Identifier: Apache-2.0

/// @file
/// Grids of espalier_grid.h: made, asked, freed.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "include/espalier.h"
#include "include/espalier_grid.h"

#include <mpi.h>

#include "espalier/capi/agreement.hpp"
#include "espalier/capi/arguments.hpp"
#include "espalier/capi/environment.hpp"
#include "espalier/capi/grid_objects.hpp"
#include "espalier/mapping/dims/cartesian_grid.hpp"
#include "espalier/plan/topologies/grid_trial.hpp"

namespace espalier::capi {
namespace {

struct GridOptions {
  GridWays ways{};
  std::string mapping{};
  espalier_grid_pattern* pattern = nullptr;
  void* context = nullptr;
  int num_calls = 3;
  int num_candidates = 4;
};

[[noreturn]] void fail(std::string const& text) {
  throw plan::ClassError(MPI_ERR_ARG, text);
}

std::string checked_algorithm(char const* name) {
  std::string const algorithm = name == nullptr ? "native" : name;
  if (algorithm != "native" && algorithm != "pipeline" && algorithm != "binomial") {
    fail("expected algorithm native, pipeline or binomial, got '" + algorithm + "'");
  }
  return algorithm;
}

GridOptions read(espalier_grid_options const* given) {
  GridOptions options;
  if (given == nullptr) {
    return options;
  }
  if (given->size != sizeof(espalier_grid_options) || given->flags != 0) {
    fail("expected options set by ESPALIER_GRID_OPTIONS_INIT with flags 0");
  }
  if (given->num_calls < 0 || given->num_candidates < 0) {
    fail("expected num_calls and num_candidates that are not negative");
  }
  if (given->pattern != nullptr && given->mapping != nullptr) {
    fail(
        "expected a mapping or a pattern to find one by, got both: '" +
        std::string(given->mapping) + "'"
    );
  }
  options.ways.algorithm = checked_algorithm(given->algorithm);
  options.ways.is_overlapped = given->is_overlapped != 0;
  if (given->segment_bytes != 0) {
    options.ways.segment_bytes = static_cast<std::int64_t>(given->segment_bytes);
  }
  options.mapping = given->mapping == nullptr ? "" : given->mapping;
  options.pattern = given->pattern;
  options.context = given->context;
  options.num_calls = given->num_calls == 0 ? options.num_calls : given->num_calls;
  options.num_candidates = given->num_candidates == 0 ? 4 : given->num_candidates;
  return options;
}

struct GridArguments {
  int ndims;
  int const* dims;
  int const* periods;
  espalier_grid_options const* options;
};

struct GridCall {
  std::vector<int> dims;
  std::vector<bool> periods;
  GridOptions options;
};

Fingerprint fingerprint_of(GridCall const& call) {
  Fingerprint fingerprint;
  fingerprint.add(call.dims);
  std::vector<int> const others{
      static_cast<int>(call.options.ways.segment_bytes),
      call.options.ways.is_overlapped ? 1 : 0,
      call.options.pattern == nullptr ? 0 : 1,
      call.options.num_calls,
      call.options.num_candidates,
  };
  fingerprint.add(others);
  fingerprint.add(std::vector<int>(call.periods.begin(), call.periods.end()));
  fingerprint.add(call.options.mapping);
  fingerprint.add(call.options.ways.algorithm);
  return fingerprint;
}

GridCall checked(GridArguments const& arguments, int num_ranks) {
  check_count(arguments.ndims, "ndims");
  check_pointer(arguments.dims, "dims");
  GridCall call{
      .dims = checked_sizes(arguments.dims, arguments.ndims, "dims"),
      .periods = arguments.periods == nullptr
                     ? std::vector<bool>(static_cast<std::size_t>(arguments.ndims))
                     : checked_periods(arguments.periods, arguments.ndims),
      .options = read(arguments.options),
  };
  static_cast<void>(num_positions(call.dims, num_ranks));
  return call;
}

/// Runs the pattern of the program on a candidate, whose object stays the same from call to call.
plan::GridPattern pattern_of(GridOptions const& options, DeviceBuffers const& devices) {
  if (options.pattern == nullptr) {
    return {};
  }
  auto const candidate = std::make_shared<espalier_grid>();
  return [candidate, options, devices](plan::GridLines& lines) {
    candidate->view = {.lines = &lines, .ways = options.ways, .devices = devices};
    return options.pattern(candidate.get(), options.context);
  };
}

/// The candidate in the order of the communicator comes first.
espalier_grid_overhead overhead_of(plan::MappedGrid const& made) {
  plan::GridOverhead const& found = made.overhead;
  espalier_grid_overhead overhead{
      .sort_us = found.sort_us,
      .choose_us = found.choose_us,
      .rearrange_us = found.rearrange_us,
      .create_us = found.create_us,
      .trial_us = found.trial_us,
      .standard_us = 0,
      .chosen_us = 0,
      .num_calls_to_pay = made.num_calls_to_pay(),
  };
  for (plan::TriedMapping const& one : made.tried) {
    overhead.chosen_us = one.name == made.mapping ? one.call_us : overhead.chosen_us;
  }
  overhead.standard_us = made.tried.empty() ? 0 : made.tried.front().call_us;
  return overhead;
}

void create(MPI_Comm comm_old, GridArguments const& arguments, espalier_grid** grid) {
  mpi::OwnCommunicator const own = mpi::OwnCommunicator::duplicate(comm_old);
  GridCall call;
  agree(own, [&] {
    check_pointer(static_cast<void const*>(grid), "grid");
    call = checked(arguments, own.size());
    return fingerprint_of(call);
  });
  *grid = nullptr;
  DeviceBuffers devices;
  if (call.options.ways.algorithm != "native") {
    devices = DeviceBuffers::among(own.get());
  }
  plan::MachineText machine;
  own.run_at_root([&] { machine = described_machine(); });
  plan::MappedGrid made = plan::make_grid(
      comm_old,
      {
          .grid = mapping::CartesianGrid(call.dims, call.periods),
          .mapping = call.options.mapping,
          .pattern = pattern_of(call.options, devices),
          .num_calls = call.options.num_calls,
          .num_candidates = call.options.num_candidates,
          .machine = machine,
      }
  );
  if (made.lines) {
    espalier_grid_overhead const overhead = overhead_of(made);
    *grid = new espalier_grid{
        .view = {.lines = made.lines.get(), .ways = call.options.ways, .devices = devices},
        .owner = std::move(made.lines),
        .overhead = overhead,
        .mapping = std::move(made.mapping),
    };
  }
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): what a std::function owns, it frees

}  // namespace
}  // namespace espalier::capi

extern "C" {

int espalier_grid_create(
    MPI_Comm comm_old,
    int ndims,
    int const dims[],
    int const periods[],
    espalier_grid_options const* options,
    espalier_grid** grid
) {
  return espalier::capi::on(comm_old, [&] {
    espalier::capi::create(comm_old, {ndims, dims, periods, options}, grid);
  });
}

int espalier_grid_free(espalier_grid** grid) {
  if (grid == nullptr || *grid == nullptr || !(*grid)->owner) {
    return espalier::plan::raise(MPI_COMM_SELF, MPI_ERR_ARG);
  }
  delete *grid;
  *grid = nullptr;
  return MPI_SUCCESS;
}

int espalier_grid_comm(espalier_grid* grid, MPI_Comm* comm) {
  return espalier::capi::on(grid, [&](espalier_grid const& self) {
    espalier::capi::check_pointer(static_cast<void const*>(comm), "comm");
    *comm = self.view.lines->comm();
    return MPI_SUCCESS;
  });
}

int espalier_grid_line(espalier_grid* grid, int dimension, MPI_Comm* line) {
  return espalier::capi::on(grid, [&](espalier_grid const& self) {
    espalier::capi::check_pointer(static_cast<void const*>(line), "line");
    int const ndims = self.view.lines->grid().num_dimensions();
    if (dimension < 0 || dimension >= ndims) {
      espalier::capi::fail(
          "expected a dimension of 0 .. " + std::to_string(ndims - 1) + ", got " +
          std::to_string(dimension)
      );
    }
    *line = self.view.lines->line(dimension);
    return MPI_SUCCESS;
  });
}

int espalier_grid_report(
    espalier_grid* grid, espalier_grid_overhead* overhead, char mapping[], int num
) {
  return espalier::capi::on(grid, [&](espalier_grid const& self) {
    espalier::capi::check_pointer(overhead, "overhead");
    *overhead = self.overhead;
    if (mapping != nullptr && num > 0) {
      std::string const name = self.mapping.substr(0, static_cast<std::size_t>(num) - 1);
      *std::ranges::copy(name, mapping).out = '\0';
    }
    return MPI_SUCCESS;
  });
}

}  // extern "C"
