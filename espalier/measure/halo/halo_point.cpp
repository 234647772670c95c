// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/halo/halo_point.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/measure/common/timer.hpp"
#include "espalier/measure/halo/halo_exchange.hpp"
#include "espalier/measure/halo/halo_memory.hpp"
#include "espalier/measure/halo/halo_values.hpp"

namespace espalier::measure {
namespace {

/// A case of a size, ready to run.
struct Ready {
  MeasuredCase measured;
  GridCommunicator const* comm;
  std::unique_ptr<HaloExchange> exchange;
};

std::vector<MeasuredCase>
geometries(HaloGroup const& group, int factor, GroupCommunicators& communicators) {
  std::vector<MeasuredCase> cases;
  for (GroupCommunicators::Entry const& entry : communicators.entries()) {
    HaloGeometry geometry = HaloGeometry::of(group, factor, entry.comm.grid().extents());
    cases.push_back({.number = entry.number, .geometry = std::move(geometry), .is_verified = false}
    );
  }
  return cases;
}

/// Memory for any of them, in which they take turns.
HaloMemory memory_for(std::vector<MeasuredCase> const& cases) {
  std::size_t all = 0;
  std::size_t largest = 0;
  for (MeasuredCase const& one : cases) {
    all = std::max(all, one.geometry.reach());
    for (HaloMessage const& message : one.geometry.messages) {
      largest = std::max(largest, message.reach());
    }
  }
  return {all, largest};
}

Ready make_ready(MeasuredCase const& planned, GridCommunicator const& comm, HaloMemory& memory) {
  return {
      .measured = planned,
      .comm = &comm,
      .exchange = std::make_unique<HaloExchange>(comm.get(), planned.geometry, memory)
  };
}

std::string problem_of(Ready& ready, HaloMemory& memory, std::uint32_t stamp) {
  HaloGeometry const& geometry = ready.measured.geometry;
  int const position = ready.comm->position();
  fill_halos(geometry, position, stamp, memory.sent(), memory.received());
  if (int const code = ready.exchange->run(); code != MPI_SUCCESS) {
    return "expected the exchange to succeed, got MPI error code " + std::to_string(code);
  }
  return halo_problem(ready.comm->grid(), geometry, position, stamp, memory.received());
}

/// Collective: what is wrong with the exchange, both ways round, the same on all ranks; nothing
/// where there are no values.
std::string prove(Job const& job, Ready& ready, HaloMemory& memory) {
  if (!memory.holds_values()) {
    return {};
  }
  for (std::uint32_t const stamp : {1U, 2U}) {
    std::string const problem = problem_of(ready, memory, stamp);
    if (std::string complaint = first_complaint(job, problem); !complaint.empty()) {
      return complaint;
    }
  }
  ready.measured.is_verified = true;
  return {};
}

std::vector<TimedCall> timed_calls_of(std::vector<Ready> const& cases) {
  std::vector<TimedCall> timed_calls;
  for (Ready const& ready : cases) {
    HaloExchange* const exchange = ready.exchange.get();
    std::string const name = std::to_string(ready.measured.number);
    timed_calls.push_back({.name = name, .run = [exchange](int) { return exchange->run(); }});
  }
  return timed_calls;
}

std::vector<MeasuredCase> measured_of(std::vector<Ready> const& cases) {
  std::vector<MeasuredCase> measured;
  for (Ready const& ready : cases) {
    measured.push_back(ready.measured);
  }
  return measured;
}

}  // namespace

GroupCommunicators::GroupCommunicators(
    Job const& job, HaloInput const& input, std::size_t group, HaloFile* file
) {
  HaloGroup const& cases = input.groups[group];
  for (std::size_t number = 0; number < cases.cases.size(); ++number) {
    CasePlace const place{.group = group, .number = number};
    try {
      entries_.push_back(
          {.number = number, .comm = GridCommunicator(job, cases, cases.cases[number])}
      );
      if (file != nullptr) {
        file->write_case(place, entries_.back().comm);
      }
    } catch (Error const& error) {
      if (error.code() == ErrorCode::io) {
        throw;
      }
      if (file != nullptr) {
        file->write_error(place, 0, "refused", error.what());
      }
    }
  }
}

void measure_halo(
    Job const& job,
    HaloInput const& input,
    std::size_t group,
    int factor,
    GroupCommunicators& communicators,
    Pace const& pace,
    HaloFile* file
) {
  std::vector<MeasuredCase> const planned = geometries(input.groups[group], factor, communicators);
  HaloMemory memory = memory_for(planned);
  std::vector<Ready> cases;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    Ready ready = make_ready(planned[i], communicators.entries()[i].comm, memory);
    std::string const problem = prove(job, ready, memory);
    if (problem.empty()) {
      cases.push_back(std::move(ready));
    } else if (file != nullptr) {
      file->write_error({.group = group, .number = planned[i].number}, factor, "wrong", problem);
    }
  }
  if (cases.empty()) {
    return;
  }
  std::vector<TimedCall> const timed_calls = timed_calls_of(cases);
  Timer timer(job, pace, timed_calls);
  Samples const samples = timer.run();
  if (file != nullptr) {
    file->write_point(group, factor, measured_of(cases), samples, timer.calls_per_sample());
  }
}

}  // namespace espalier::measure
