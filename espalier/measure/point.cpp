// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/point.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace espalier::measure {
namespace {

/// Runs native call and contender on the same contributions; what differs, empty if nothing.
std::string try_once(Workload& workload, Contender const& contender, int root) {
  std::uint32_t const stamp = static_cast<std::uint32_t>(root) + 1;
  workload.fill(root, stamp);
  check(workload.run_native(root), "the native call");
  std::vector<std::byte> const expected(
      workload.guarded_result().begin(), workload.guarded_result().end()
  );
  workload.fill(root, stamp);
  if (int const code = contender.run(workload, root); code != MPI_SUCCESS) {
    return "expected the call to succeed, got MPI error code " + std::to_string(code);
  }
  if (!workload.has_result(root)) {
    return {};
  }
  std::string const difference = Workload::difference(expected, workload.guarded_result());
  return difference.empty() ? "" : difference + " (root " + std::to_string(root) + ")";
}

/// Collective: what is wrong with a contender, the same on all ranks; empty if nothing.
std::string prove(Job const& job, Workload& workload, Contender const& contender) {
  for (int const root : workload.roots()) {
    if (std::string complaint = first_complaint(job, try_once(workload, contender, root));
        !complaint.empty()) {
      return complaint;
    }
  }
  return {};
}

/// Calls of a bcast go round the roots: the next root cannot begin before it has the message
/// before, so that calls do not run in a pipeline as they would from one root that never waits.
Candidate candidate_of(std::string name, Contender const& contender, Workload& workload) {
  auto const run = [&contender, &workload, roots = workload.roots()](int call) {
    return contender.run(workload, roots[static_cast<std::size_t>(call) % roots.size()]);
  };
  return {.name = std::move(name), .run = run};
}

std::vector<std::string> names_of(std::vector<Candidate> const& candidates) {
  std::vector<std::string> names;
  names.reserve(candidates.size());
  for (Candidate const& candidate : candidates) {
    names.push_back(candidate.name);
  }
  return names;
}

}  // namespace

void measure_point(
    Job const& job, Place const& place, Pace const& pace, Contenders& contenders, SampleFile* file
) {
  PointRequest point = *place.request;
  Workload workload(job, point);
  point.bytes = workload.bytes();
  std::vector<Candidate> candidates{
      candidate_of("native", contenders.get(point.call, "native"), workload)
  };
  for (std::string const& choice : point.choices) {
    std::string problem = contenders.refuses(point.call, choice);
    bool const is_refused = !problem.empty();
    if (!is_refused) {
      Contender const& contender = contenders.get(point.call, choice);
      candidates.push_back(candidate_of(choice, contender, workload));
      problem = prove(job, workload, contender);
    }
    if (!problem.empty() && file != nullptr) {
      file->write_error(place.index, point, choice, is_refused ? "refused" : "wrong", problem);
    }
    if (!problem.empty() && !is_refused) {
      return;
    }
  }
  Timer timer(job, pace, candidates);
  Samples const samples = timer.run();
  if (file != nullptr) {
    std::vector<std::string> const names = names_of(candidates);
    file->write_point(place.index, point, names, samples, timer.calls_per_sample());
  }
}

}  // namespace espalier::measure
